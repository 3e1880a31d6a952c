/**
 * Order of cost groups.
 */
import type { CostGroup } from "../api/CostQueries.ts"
import { besideOf, nameOf } from "../chart/CostLabels.ts"
import type { CostView, Sort } from "./CostView.ts"

/** Columns of the table, after the name. **Shape** the share has no `sort`, because its order is that of the cost. */
export const COLUMNS: ReadonlyArray<{ readonly sort?: Sort; readonly text: string }> = [
  { sort: "cost", text: "Cost" },
  { text: "Share" },
  { sort: "before", text: "Before" },
  { sort: "change", text: "Change" },
  { sort: "cpu", text: "CPU used" },
  { sort: "memory", text: "Memory used" },
  { sort: "savings", text: "Savings" }
]

const VALUES: Readonly<Record<Exclude<Sort, "name">, (row: CostGroup) => number | null | undefined>> = {
  cost: ({ totalCost }) => totalCost,
  before: ({ previous }) => previous?.totalCost,
  change: ({ previous, totalCost }) => (previous ? totalCost - previous.totalCost : undefined),
  cpu: ({ cpuEfficiency }) => cpuEfficiency,
  memory: ({ memoryEfficiency }) => memoryEfficiency,
  savings: ({ savingsAvailable }) => savingsAvailable
}

/** Sorts groups. **Shape** costs without a workload are on top; unknown values are last in either order; ties keep their order. */
export const sorted = (
  rows: ReadonlyArray<CostGroup>,
  { order, sort }: Pick<CostView, "order" | "sort">
): ReadonlyArray<CostGroup> => {
  const sign = order === "asc" ? 1 : -1
  const compare = (a: CostGroup, b: CostGroup): number => {
    if (sort === "name") return sign * nameOf(a).localeCompare(nameOf(b))
    const [x, y] = [VALUES[sort](a) ?? undefined, VALUES[sort](b) ?? undefined]
    if (x === undefined || y === undefined) return Number(x === undefined) - Number(y === undefined)
    return sign * (x - y)
  }
  const rank = (row: CostGroup) => (besideOf(row) === undefined ? 1 : 0)
  return rows.toSorted((a, b) => rank(a) - rank(b) || compare(a, b))
}
