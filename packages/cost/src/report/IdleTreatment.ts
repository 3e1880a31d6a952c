/**
 * Decides what a report by groups tells of a ledger.
 */
import { Effect } from "effect"
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import type { Idle } from "./Aggregate.ts"
import { isWorkload, type Series } from "../hour/Series.ts"
import { apportion } from "./Apportionment.ts"
import type { ReportedSums } from "./Groups.ts"
import * as IdleShare from "./IdleShare.ts"
import * as Ledger from "./Ledger.ts"
import type { WorkloadRows } from "./WorkloadRows.ts"
import * as BinSums from "./BinSums.ts"

/**
 * Marks the places.
 *
 * Shares are made over the whole ledger, before anything is left out. What could be saved of a workload is
 * split over its places by what they cost, so that however they are grouped it comes to the same.
 */
export const of = Effect.fnUntraced(function* (
  rows: WorkloadRows,
  { idle, isVisible }: { readonly idle: Idle; readonly isVisible: (cluster: ClusterName, series: Series) => boolean }
) {
  const { ledger, rowOf } = rows
  const weights = Ledger.laid(ledger, "cpuCostNanos")
  const memory = Ledger.laid(ledger, "memoryCostNanos")
  for (let place = 0; place < weights.length; place++) weights[place] = (weights[place] ?? 0) + (memory[place] ?? 0)
  yield* Effect.yieldNow
  const { shares: savings } = apportion(ledger, { amounts: rows.savingsNanos, binOf: rowOf, weights })
  yield* Effect.yieldNow
  const parts = idle === "share" ? yield* IdleShare.shared(ledger) : ledger.parts
  const isTold = new Uint8Array(ledger.size)
  for (let place = 0; place < rowOf.length; place++) isTold[place] = (rowOf[place] ?? -1) >= 0 ? 1 : 0
  if (idle !== "hide") {
    for (const part of parts) {
      const cluster = ledger.clusters[part.cluster]
      yield* Effect.yieldNow
      for (const [index, one] of part.series.entries()) {
        if (isWorkload(one) || cluster === undefined || !isVisible(cluster, one)) continue
        if (hasAny(part, index)) isTold[part.from + index] = 1
      }
    }
  }
  const told: ReportedSums = { clusters: ledger.clusters, parts, isTold, savings }
  return told
})

/** Costs, or room on a node: what was shared, and what cost nothing, has neither. */
const hasAny = ({ columns }: Ledger.Part, index: number): boolean =>
  BinSums.COSTS.some((cost) => columns[cost][index] !== 0)
  || columns.cpuAllocatedMilliSeconds[index] !== 0
  || columns.memoryAllocatedKibSeconds[index] !== 0
