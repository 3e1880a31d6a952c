/**
 * Costs of workloads or groups as a table.
 */
import type { CostTotals } from "@quarterdeck/cost/CostRow"
import * as CostText from "./CostText.ts"
import * as Output from "../print/Output.ts"

/** One line. **Shape** `place` names the workload or group, with one text for each title. */
export interface Line {
  readonly place: ReadonlyArray<string>
  /** Absent if no hour is covered. */
  readonly figures: CostTotals | undefined
  /** Figures of the window before: null if not comparable, absent in a report that does not compare. */
  readonly previous?: CostTotals | null | undefined
  /** Mean cost of an hour in which the workload existed. Sums have none. */
  readonly hourlyCost?: number
  /** Recommended requests of one replica; absent without a recommendation. */
  readonly recommended?: { readonly cpuRecommendedMillis: number; readonly memoryRecommendedBytes: number }
}

type Column = Output.Column<Line>

/** Printed where a figure does not apply. */
const NONE = "-"
const MIB_BYTES = 1024 * 1024

const figure = (title: string, print: (figures: CostTotals) => string): Column => ({
  title,
  align: "right",
  cell: ({ figures }) => (figures === undefined ? CostText.NOT_KNOWN : print(figures))
})

const cost = (title: string, of: (figures: CostTotals) => number): Column =>
  figure(title, (figures) => CostText.money(of(figures)))

/** Prints a missing figure: `-` for idle nodes and unmounted volumes, which have no usage, else "not known yet". */
const missing = ({ hoursExisted }: CostTotals): string => (hoursExisted === 0 ? NONE : CostText.NOT_KNOWN)

const TOTAL = cost("TOTAL", ({ totalCost }) => totalCost)
const CPU = cost("CPU", ({ cpuCost }) => cpuCost)
const MEMORY = cost("MEMORY", ({ memoryCost }) => memoryCost)
const STORAGE = cost("STORAGE", ({ storageCost }) => storageCost)

/** Parts of the cost that many clusters do not have. Shown in a wide table, or if a line has a cost of that part. */
const RARE: ReadonlyArray<{ readonly column: Column; readonly of: (figures: CostTotals) => number }> = [
  { title: "GPU", of: ({ gpuCost }: CostTotals) => gpuCost },
  { title: "NETWORK", of: ({ networkCost }: CostTotals) => networkCost },
  { title: "BALANCER", of: ({ loadBalancerCost }: CostTotals) => loadBalancerCost }
].map(({ of, title }) => ({ column: cost(title, of), of }))

/** Shown in a report that compares. A change of an unknown or absent cost is not printed. */
const COMPARED: ReadonlyArray<Column> = [
  {
    title: "BEFORE",
    align: "right",
    cell: ({ previous }) => (previous === null || previous === undefined ? NONE : CostText.money(previous.totalCost))
  },
  {
    title: "CHANGE",
    align: "right",
    cell: ({ figures, previous }) => {
      if (figures === undefined || previous === null || previous === undefined) return NONE
      return CostText.change(figures.totalCost, previous.totalCost)
    }
  }
]

const HOURLY: Column = {
  title: "COST/HOUR",
  align: "right",
  cell: ({ figures, hourlyCost }) =>
    hourlyCost === undefined || figures?.hoursExisted === 0 ? NONE : CostText.money(hourlyCost, 4)
}

const EFFICIENCY = figure("EFFICIENCY", (figures) =>
  figures.efficiency === null ? missing(figures) : CostText.percent(figures.efficiency)
)

const SAVINGS = figure("SAVINGS", (figures) => {
  const { costIncrease, hoursCovered, hoursExisted, savingsAvailable } = figures
  const isKnown = savingsAvailable > 0 || costIncrease > 0 || (hoursExisted > 0 && hoursCovered > 0)
  return isKnown ? CostText.money(savingsAvailable) : missing(figures)
})

/** Shown only if a recommendation is above the request. */
const INCREASE: Column = {
  title: "INCREASE",
  align: "right",
  isRare: true,
  cell: ({ figures }) => {
    const { costIncrease = 0 } = figures ?? {}
    return costIncrease === 0 ? "" : CostText.money(costIncrease)
  }
}

const COVERED: Column = {
  title: "COVERED",
  align: "right",
  cell: ({ figures }) =>
    figures === undefined || figures.hoursExisted === 0
      ? NONE
      : CostText.percent(figures.hoursCovered / figures.hoursExisted)
}

/** Recommended requests of one replica, as a manifest takes them. Memory is rounded up to MiB. */
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
  figure("REPLICA-H", ({ replicaHours }) => CostText.quantity(replicaHours)),
  figure("SPOT", ({ replicaHours, spotPercent }) => (replicaHours === 0 ? NONE : CostText.percent(spotPercent / 100)))
]

/**
 * Renders lines and the total, which includes the lines that are not shown.
 *
 * **Shape** only the titles if there are no lines and the total is known. A wide table has every part of the cost.
 */
export const render = (
  titles: ReadonlyArray<string>,
  lines: ReadonlyArray<Line>,
  total: Line,
  isWide = false
): string => {
  const shown = lines.length === 0 && total.figures !== undefined ? [] : [...lines, total]
  const rare = RARE.filter(
    ({ of }) => isWide || shown.some(({ figures }) => figures !== undefined && of(figures) !== 0)
  )
  const columns: ReadonlyArray<Column> = [
    ...titles.map((title, index): Column => ({ title, cell: ({ place }) => place[index] ?? "" })),
    ...(lines.some(({ hourlyCost }) => hourlyCost !== undefined) ? [HOURLY] : []),
    TOTAL,
    ...(shown.some(({ previous }) => previous !== undefined) ? COMPARED : []),
    ...[CPU, MEMORY, STORAGE, ...rare.map(({ column }) => column)],
    ...[EFFICIENCY, SAVINGS, INCREASE],
    ...RECOMMENDED,
    COVERED,
    ...(isWide ? WIDE : [])
  ]
  return Output.table(columns, shown)
}
