/**
 * Writes the figures of a row, as a reply has them.
 */
import { Effect } from "effect"
import type { CostRow } from "./CostRow.ts"
import * as AllocationSet from "./AllocationSet.ts"
import type { WorkloadRows } from "./WorkloadRows.ts"
import * as BinSums from "./BinSums.ts"

/** Rows that are written before other fibers get their turn. */
const WRITTEN_AT_ONCE = 1_000

/** Writes rows out. **Limits** gives way to others every {@link WRITTEN_AT_ONCE} rows. */
export const rowsAt = Effect.fnUntraced(function* (rows: WorkloadRows, chosen: ReadonlyArray<number>) {
  const written: Array<CostRow> = []
  for (let from = 0; from < chosen.length; from += WRITTEN_AT_ONCE) {
    if (from > 0) yield* Effect.yieldNow
    write(written, rows, chosen.slice(from, from + WRITTEN_AT_ONCE))
  }
  return written
})

/** Writes some rows behind those that are written, in one go. */
const write = (written: Array<CostRow>, rows: WorkloadRows, chosen: ReadonlyArray<number>): void => {
  // Most rows have one place, and nothing to add up.
  const several = chosen.filter((row) => hasSeveral(rows, row))
  const sums = summed(rows, several)
  const figures = BinSums.noFigures()
  let bin = 0
  for (const row of chosen) {
    const one = rowAt(rows, row, sums, several[bin] === row ? bin++ : -1, figures)
    if (one !== undefined) written.push(one)
  }
}

const hasSeveral = ({ firstOf, nextOf }: WorkloadRows, row: number): boolean => (nextOf[firstOf[row] ?? -1] ?? -1) >= 0

/** Sums rows of several places, each in the bin of its place among them. */
const summed = ({ firstOf, allocations, nextOf }: WorkloadRows, chosen: ReadonlyArray<number>): BinSums.Table => {
  const table = BinSums.empty(chosen.length)
  const places: Array<BinSums.Placed> = []
  for (const [bin, row] of chosen.entries()) {
    for (let place = firstOf[row] ?? -1; place >= 0; place = nextOf[place] ?? -1) {
      const part = AllocationSet.partAt(allocations, place)
      if (part !== undefined) places.push({ bin, index: place - part.from, columns: part.columns })
    }
  }
  BinSums.addPlaces(table, places)
  return table
}

/**
 * Writes a row.
 *
 * From its bin of `sums`, or, where that is below 0, from its only place; `figures` are overwritten. **Limits**
 * makes nothing but the row, and names each of its figures: a list of all rows has tens of thousands, and spread from an
 * object of their own they take half as long again.
 */
const rowAt = (
  rows: WorkloadRows,
  row: number,
  sums: BinSums.Table,
  bin: number,
  figures: BinSums.Figures
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
  BinSums.tell(figures, columns, place, {
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
