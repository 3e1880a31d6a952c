/**
 * Selects the series of an allocation set that a report by group counts.
 */
import { Effect } from "effect"
import type { HistoryName } from "@quarterdeck/targeting/HistoryName"
import type { Idle } from "./Aggregate.ts"
import { isWorkload, type Series } from "../hour/Series.ts"
import { apportion } from "./Apportionment.ts"
import * as IdleSpreading from "./IdleSpreading.ts"
import * as AllocationSet from "./AllocationSet.ts"
import type { WorkloadRows } from "./WorkloadRows.ts"
import * as GroupTotals from "./GroupTotals.ts"

/**
 * The parts of an allocation set, and which of its series the report counts. **Shape** `isReported`, `savings` and
 * `increases` have one value per series.
 */
export interface ReportedSums {
  readonly clusters: AllocationSet.AllocationSet["clusters"]
  readonly parts: ReadonlyArray<AllocationSet.Part>
  readonly isReported: Uint8Array
  readonly savings: Float64Array
  readonly increases: Float64Array
}

/**
 * Marks the series that the report counts, with idle costs shown, shared or hidden.
 *
 * Shares are computed over the whole allocation set, before filtering. A workload's savings are split over its series
 * by cost, so that they sum to the same amount in any grouping.
 */
export const of = Effect.fnUntraced(function* (
  rows: WorkloadRows,
  { idle, isVisible }: { readonly idle: Idle; readonly isVisible: (cluster: HistoryName, series: Series) => boolean }
) {
  const { allocations, rowOf } = rows
  const weights = AllocationSet.columnOf(allocations, "cpuCostNanos")
  const memory = AllocationSet.columnOf(allocations, "memoryCostNanos")
  for (let place = 0; place < weights.length; place++) weights[place] = (weights[place] ?? 0) + (memory[place] ?? 0)
  yield* Effect.yieldNow
  const { shares: savings } = apportion(allocations, { amounts: rows.savingsNanos, binOf: rowOf, weights })
  yield* Effect.yieldNow
  const { shares: increases } = apportion(allocations, { amounts: rows.increaseNanos, binOf: rowOf, weights })
  yield* Effect.yieldNow
  const parts = idle === "share" ? yield* IdleSpreading.spread(allocations) : allocations.parts
  const isReported = new Uint8Array(allocations.size)
  for (let place = 0; place < rowOf.length; place++) isReported[place] = (rowOf[place] ?? -1) >= 0 ? 1 : 0
  if (idle !== "hide") {
    for (const part of parts) {
      const cluster = allocations.clusters[part.cluster]
      yield* Effect.yieldNow
      for (const [index, subject] of part.series.entries()) {
        if (isWorkload(subject) || cluster === undefined || !isVisible(cluster, subject)) continue
        if (hasAny(part, index)) isReported[part.from + index] = 1
      }
    }
  }
  const reported: ReportedSums = { clusters: allocations.clusters, parts, isReported, savings, increases }
  return reported
})

/** Returns true for a series with costs or allocated quantities. An idle series whose costs were shared has neither. */
const hasAny = ({ columns }: AllocationSet.Part, index: number): boolean =>
  GroupTotals.COSTS.some((cost) => columns[cost][index] !== 0)
  || columns.cpuAllocatedMilliSeconds[index] !== 0
  || columns.memoryAllocatedKibSeconds[index] !== 0
