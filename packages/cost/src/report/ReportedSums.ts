/**
 * Decides what a report by groups tells of an allocation set.
 */
import { Effect } from "effect"
import type { HistoryName } from "@quarterdeck/targeting/HistoryName"
import type { Idle } from "./Aggregate.ts"
import { isWorkload, type Series } from "../hour/Series.ts"
import { apportion } from "./Apportionment.ts"
import * as IdleSpreading from "./IdleSpreading.ts"
import * as AllocationSet from "./AllocationSet.ts"
import type { WorkloadRows } from "./WorkloadRows.ts"
import * as BinSums from "./BinSums.ts"

/** An allocation set's parts with what is told of them. **Shape** `savings` and `increases` one a place. */
export interface ReportedSums {
  readonly clusters: AllocationSet.AllocationSet["clusters"]
  readonly parts: ReadonlyArray<AllocationSet.Part>
  readonly isTold: Uint8Array
  readonly savings: Float64Array
  readonly increases: Float64Array
}

/**
 * Marks the places that are told, with idle costs shown, spread or left out.
 *
 * Shares are made over the whole allocation set, before anything is left out. What could be saved of a workload is
 * split over its places by what they cost, so that however they are grouped it comes to the same.
 */
export const of = Effect.fnUntraced(function* (
  rows: WorkloadRows,
  { idle, isVisible }: { readonly idle: Idle; readonly isVisible: (cluster: HistoryName, series: Series) => boolean }
) {
  const { allocations, rowOf } = rows
  const weights = AllocationSet.laid(allocations, "cpuCostNanos")
  const memory = AllocationSet.laid(allocations, "memoryCostNanos")
  for (let place = 0; place < weights.length; place++) weights[place] = (weights[place] ?? 0) + (memory[place] ?? 0)
  yield* Effect.yieldNow
  const { shares: savings } = apportion(allocations, { amounts: rows.savingsNanos, binOf: rowOf, weights })
  yield* Effect.yieldNow
  const { shares: increases } = apportion(allocations, { amounts: rows.increaseNanos, binOf: rowOf, weights })
  yield* Effect.yieldNow
  const parts = idle === "share" ? yield* IdleSpreading.spread(allocations) : allocations.parts
  const isTold = new Uint8Array(allocations.size)
  for (let place = 0; place < rowOf.length; place++) isTold[place] = (rowOf[place] ?? -1) >= 0 ? 1 : 0
  if (idle !== "hide") {
    for (const part of parts) {
      const cluster = allocations.clusters[part.cluster]
      yield* Effect.yieldNow
      for (const [index, one] of part.series.entries()) {
        if (isWorkload(one) || cluster === undefined || !isVisible(cluster, one)) continue
        if (hasAny(part, index)) isTold[part.from + index] = 1
      }
    }
  }
  const told: ReportedSums = { clusters: allocations.clusters, parts, isTold, savings, increases }
  return told
})

/** Costs, or room on a node: what was shared, and what cost nothing, has neither. */
const hasAny = ({ columns }: AllocationSet.Part, index: number): boolean =>
  BinSums.COSTS.some((cost) => columns[cost][index] !== 0)
  || columns.cpuAllocatedMilliSeconds[index] !== 0
  || columns.memoryAllocatedKibSeconds[index] !== 0
