/**
 * Costs as a table: the same figures for workloads and for groups of them.
 */
import type { CostTotals } from "@quarterdeck/cost/CostRow"
import * as CostText from "./CostText.ts"
import * as Output from "../Output.ts"

/** One line. **Shape** `place` says whose costs these are, a text for each title. */
export interface Line {
  readonly place: ReadonlyArray<string>
  readonly figures: CostTotals
  /** The mean over the hours that a workload existed; a sum over several has none. */
  readonly hourlyCost?: number
  /** What one replica should request, where that is known. */
  readonly recommended?: { readonly cpuRecommendedMillis: number; readonly memoryRecommendedBytes: number }
}

type Column = Output.Column<Line>

const UNKNOWN = "-"
const MIB_BYTES = 1024 * 1024

const cost = (title: string, of: (figures: CostTotals) => number): Column => ({
  title,
  align: "right",
  cell: ({ figures }) => CostText.money(of(figures))
})

const TOTAL = cost("TOTAL", ({ totalCost }) => totalCost)
const CPU = cost("CPU", ({ cpuCost }) => cpuCost)
const MEMORY = cost("MEMORY", ({ memoryCost }) => memoryCost)
const STORAGE = cost("STORAGE", ({ storageCost }) => storageCost)

/** The parts that many clusters have none of: shown where there is any. */
const RARE: ReadonlyArray<{ readonly column: Column; readonly of: (figures: CostTotals) => number }> = [
  { title: "GPU", of: ({ gpuCost }: CostTotals) => gpuCost },
  { title: "NETWORK", of: ({ networkCost }: CostTotals) => networkCost },
  { title: "BALANCER", of: ({ loadBalancerCost }: CostTotals) => loadBalancerCost }
].map(({ of, title }) => ({ column: cost(title, of), of }))

const HOURLY: Column = {
  title: "COST/HOUR",
  align: "right",
  cell: ({ hourlyCost }) => (hourlyCost === undefined ? UNKNOWN : CostText.money(hourlyCost, 4))
}

const EFFICIENCY: Column = {
  title: "EFFICIENCY",
  align: "right",
  cell: ({ figures: { efficiency } }) => (efficiency === null ? UNKNOWN : CostText.percent(efficiency))
}

const SAVINGS = cost("SAVINGS", ({ savingsAvailable }) => savingsAvailable)

/** Shown where a recommendation is above a request. */
const INCREASE: Column = {
  title: "INCREASE",
  align: "right",
  isRare: true,
  cell: ({ figures: { costIncrease } }) => (costIncrease === 0 ? "" : CostText.money(costIncrease))
}

const COVERED: Column = {
  title: "COVERED",
  align: "right",
  cell: ({ figures: { hoursCovered, hoursExisted } }) =>
    hoursExisted === 0 ? UNKNOWN : CostText.percent(hoursCovered / hoursExisted)
}

/** What one replica should request, as a manifest takes it; memory is rounded up, so that no byte is lost. */
const RECOMMENDED: ReadonlyArray<Column> = [
  {
    title: "REC. CPU",
    align: "right",
    isRare: true,
    cell: ({ recommended }) => (recommended === undefined ? "" : `${recommended.cpuRecommendedMillis}m`)
  },
  {
    title: "REC. MEMORY",
    align: "right",
    isRare: true,
    cell: ({ recommended }) =>
      recommended === undefined ? "" : `${Math.ceil(recommended.memoryRecommendedBytes / MIB_BYTES)}Mi`
  }
]

const WIDE: ReadonlyArray<Column> = [
  {
    title: "REPLICA-H",
    align: "right",
    cell: ({ figures: { replicaHours } }) => CostText.quantity(replicaHours)
  },
  { title: "SPOT", align: "right", cell: ({ figures: { spotPercent } }) => CostText.percent(spotPercent / 100) }
]

/**
 * Renders lines, and what they and those that are not shown sum to.
 *
 * **Shape** only the titles where there is no line; a wide table has every part of the cost.
 */
export const render = (
  titles: ReadonlyArray<string>,
  lines: ReadonlyArray<Line>,
  total: Line,
  isWide = false
): string => {
  const shown = lines.length === 0 ? [] : [...lines, total]
  const rare = RARE.filter(({ of }) => isWide || shown.some(({ figures }) => of(figures) !== 0))
  const columns: ReadonlyArray<Column> = [
    ...titles.map((title, index): Column => ({ title, cell: ({ place }) => place[index] ?? "" })),
    ...(lines.some(({ hourlyCost }) => hourlyCost !== undefined) ? [HOURLY] : []),
    ...[TOTAL, CPU, MEMORY, STORAGE, ...rare.map(({ column }) => column)],
    ...[EFFICIENCY, SAVINGS, INCREASE],
    ...RECOMMENDED,
    COVERED,
    ...(isWide ? WIDE : [])
  ]
  return Output.table(columns, shown)
}
