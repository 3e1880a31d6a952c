/**
 * Builds the rows of the report by workload.
 */
import { Effect } from "effect"
import type { CostRow, CostTotals } from "./CostRow.ts"
import * as AllocationSet from "./AllocationSet.ts"
import type { WorkloadRows } from "./WorkloadRows.ts"
import * as GroupTotals from "./GroupTotals.ts"

/** Rows built before the fiber yields. */
const BATCH = 1_000

/** Builds rows. **Limits** yields every {@link BATCH} rows. */
export const rowsAt = Effect.fnUntraced(function* (rows: WorkloadRows, chosen: ReadonlyArray<number>) {
  const written: Array<CostRow> = []
  for (let from = 0; from < chosen.length; from += BATCH) {
    if (from > 0) yield* Effect.yieldNow
    write(written, rows, chosen.slice(from, from + BATCH))
  }
  return written
})

/** Returns the sums of rows, in their order. */
export const totalsAt = (rows: WorkloadRows, chosen: ReadonlyArray<number>): ReadonlyArray<CostTotals> => {
  const table = summed(rows, chosen)
  for (const [bin, row] of chosen.entries()) {
    table.savingsNanos[bin] = rows.savingsNanos[row] ?? 0
    table.increaseNanos[bin] = rows.increaseNanos[row] ?? 0
  }
  return chosen.map((_, bin) => GroupTotals.totalsAt(table, bin))
}

/** Appends some rows to `written`. */
const write = (written: Array<CostRow>, rows: WorkloadRows, chosen: ReadonlyArray<number>): void => {
  // Most rows consist of a single series, so there is nothing to sum.
  const several = chosen.filter((row) => hasSeveral(rows, row))
  const sums = summed(rows, several)
  const figures = GroupTotals.noFigures()
  let bin = 0
  for (const row of chosen) {
    const costRow = rowAt(rows, row, sums, several[bin] === row ? bin++ : -1, figures)
    if (costRow !== undefined) written.push(costRow)
  }
}

const hasSeveral = ({ firstOf, nextOf }: WorkloadRows, row: number): boolean => (nextOf[firstOf[row] ?? -1] ?? -1) >= 0

/** Sums the series of each chosen row into a bin of its own. */
const summed = ({ firstOf, allocations, nextOf }: WorkloadRows, chosen: ReadonlyArray<number>): GroupTotals.Table => {
  const table = GroupTotals.empty(chosen.length)
  const places: Array<GroupTotals.Placed> = []
  for (const [bin, row] of chosen.entries()) {
    for (let place = firstOf[row] ?? -1; place >= 0; place = nextOf[place] ?? -1) {
      const part = AllocationSet.partAt(allocations, place)
      if (part !== undefined) places.push({ bin, index: place - part.from, columns: part.columns })
    }
  }
  GroupTotals.addPlaces(table, places)
  return table
}

/**
 * Builds one row from its bin of `sums`, or from its only series if `bin` is below 0. Overwrites `figures`.
 *
 * **Limits** allocates only the row. Naming each figure is faster than spreading an object, and a list may have tens
 * of thousands of rows.
 */
const rowAt = (
  rows: WorkloadRows,
  row: number,
  sums: GroupTotals.Table,
  bin: number,
  figures: GroupTotals.Figures
): CostRow | undefined => {
  const { firstOf, allocations, names, numberOf, savingsNanos, increaseNanos } = rows
  const first = firstOf[row] ?? -1
  const part = AllocationSet.partAt(allocations, first)
  if (part === undefined) return undefined
  const [cluster, named] = [allocations.clusters[part.cluster], names[part.cluster]]
  const series = part.series[first - part.from]
  if (cluster === undefined || named === undefined || series === undefined) return undefined

  const isSum = bin >= 0
  const columns = isSum ? sums.columns : part.columns
  const place = isSum ? bin : first - part.from
  GroupTotals.writeFigures(figures, columns, place, {
    savingsNanos: savingsNanos[row] ?? 0,
    increaseNanos: increaseNanos[row] ?? 0
  })
  const recommended = named.recommended()
  const number = numberOf[row] ?? 0
  return {
    id: `${cluster}/${named.keyOf(number)}`,
    cluster,
    namespace: series.namespace,
    workloadName: series.name,
    workloadType: series.kind,
    totalCost: figures.totalCost,
    cpuCost: figures.cpuCost,
    memoryCost: figures.memoryCost,
    gpuCost: figures.gpuCost,
    storageCost: figures.storageCost,
    networkCost: figures.networkCost,
    loadBalancerCost: figures.loadBalancerCost,
    hourlyCost: figures.hoursExisted === 0 ? 0 : figures.totalCost / figures.hoursExisted,
    replicaHours: figures.replicaHours,
    spotHours: figures.spotHours,
    onDemandHours: figures.onDemandHours,
    spotPercent: figures.spotPercent,
    onDemandPercent: figures.onDemandPercent,
    cpuCoreHours: figures.cpuCoreHours,
    memoryByteHours: figures.memoryByteHours,
    cpuRequestedCoreHours: figures.cpuRequestedCoreHours,
    cpuUsedCoreHours: figures.cpuUsedCoreHours,
    memoryRequestedByteHours: figures.memoryRequestedByteHours,
    memoryUsedByteHours: figures.memoryUsedByteHours,
    cpuEfficiency: figures.cpuEfficiency,
    memoryEfficiency: figures.memoryEfficiency,
    efficiency: figures.efficiency,
    savingsAvailable: figures.savingsAvailable,
    costIncrease: figures.costIncrease,
    cpuRecommendedMillis: recommended.cpuMillis[number] ?? 0,
    memoryRecommendedBytes: recommended.memoryBytes[number] ?? 0,
    recommendationDays: recommended.days[number] ?? 0,
    hoursExisted: figures.hoursExisted,
    hoursCovered: figures.hoursCovered
  }
}
