/** The cost columns that fit on a screen. */
import type { AggregateRow } from "@quarterdeck/cost/Aggregate"
import type { CostRow, CostTotals } from "@quarterdeck/cost/CostRow"
import { money, percent } from "@quarterdeck/http-server/cli/CostText"
import type { Column } from "@quarterdeck/http-server/cli/Output"

const COST = "COST"
/** Shown for unknown values, and for costs that belong to no workload. */
const NOTHING = "-"

const partOf = (efficiency: number | null): string => (efficiency === null ? NOTHING : percent(efficiency))

const figures: ReadonlyArray<Column<CostTotals>> = [
  { title: COST, align: "right", cell: ({ totalCost }) => money(totalCost) },
  { title: "CPU USED", align: "right", cell: ({ cpuEfficiency }) => partOf(cpuEfficiency) },
  { title: "MEMORY USED", align: "right", cell: ({ memoryEfficiency }) => partOf(memoryEfficiency) },
  { title: "SAVINGS", align: "right", cell: ({ savingsAvailable }) => money(savingsAvailable) }
]

export const workloads: ReadonlyArray<Column<CostRow>> = [
  { title: "CLUSTER", cell: ({ cluster }) => cluster },
  { title: "NAMESPACE", cell: ({ namespace }) => namespace },
  { title: "KIND", cell: ({ workloadType }) => workloadType },
  { title: "NAME", cell: ({ workloadName }) => workloadName },
  ...figures,
  { title: "SPOT", align: "right", cell: ({ spotPercent }) => percent(spotPercent / 100) },
  { title: "HOURS", align: "right", cell: ({ hoursExisted }) => hoursExisted.toFixed(1) },
  {
    title: "KNOWN",
    align: "right",
    cell: ({ hoursCovered, hoursExisted }) => percent(hoursExisted === 0 ? 0 : hoursCovered / hoursExisted)
  }
]

const besides: ReadonlyArray<readonly ["idle" | "management" | "unmounted", string]> = [
  ["idle", "(idle machines)"],
  ["management", "(control planes)"],
  ["unmounted", "(unmounted volumes and load balancers)"]
]

const besideOf = (row: AggregateRow): string | undefined => besides.find(([mark]) => row[mark] === true)?.[1]

const groupsBy = (title: string, key: string): ReadonlyArray<Column<AggregateRow>> => [
  { title, cell: (row) => besideOf(row) ?? row.group[key] ?? NOTHING },
  ...figures.map(({ cell, title, ...rest }) => ({
    ...rest,
    title,
    cell: (row: AggregateRow) => (title === COST || besideOf(row) === undefined ? cell(row) : NOTHING)
  }))
]

export const namespaces = groupsBy("NAMESPACE", "namespace")
export const teams = groupsBy("TEAM", "label:team")
