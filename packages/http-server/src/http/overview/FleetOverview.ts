/**
 * The workloads and pods of an overview, from the cache.
 */
import type { Coverage } from "@quarterdeck/cluster-fanout/Coverage"
import type { StatusCounts, WorkloadRow } from "@quarterdeck/cluster-fanout/Row"
import * as RowLimit from "@quarterdeck/cluster-fanout/RowLimit"
import { Workloads } from "@quarterdeck/cluster-fanout/Workloads"
import { MAX_ATTENTION, MAX_POD_REASONS, type Overview, type PodReason } from "@quarterdeck/contract/OverviewGroup"
import * as Rule from "@quarterdeck/keys/Rule"
import { Effect } from "effect"
import * as ListQuestion from "../lists/ListQuestion.ts"

/** Statuses of workloads that need attention. */
const BAD: ReadonlySet<WorkloadRow["status"]> = new Set(["failed", "degraded"])

/**
 * Makes the function that reads the parts of an overview that come from clusters.
 *
 * **Shape** counts and rows are limited to the caller's clusters and namespaces, and to clusters that answered.
 *
 * **Errors** as the list of workloads. **Limits** costs about as much as a page of {@link MAX_ATTENTION} workloads.
 */
export const make = Effect.gen(function* () {
  const workloads = yield* Workloads

  return Effect.fnUntraced(function* (caller: ListQuestion.AdmittedCaller, timeoutMs: number) {
    const namespaces = Rule.namespaceFilter(caller.principal.rule)
    const { clusters, items, partial, readings, statusCounts } = yield* workloads.listReadings({
      ...ListQuestion.within(caller),
      filter: {},
      page: { sort: "status", order: "asc", limit: MAX_ATTENTION, consistency: "cache", timeoutMs }
    })
    const reasons = [...readings.values()].map(({ labels, store }) => store.podTotals.blockedIn(namespaces, labels))
    return {
      clusters,
      clusterCounts: countsOf(clusters),
      statusCounts: statusCounts ?? NO_WORKLOADS,
      podReasons: topOf(reasons),
      attention: items.filter(({ status }) => BAD.has(status)).map(RowLimit.limited),
      partial
    } satisfies Overview
  })
})

const NO_WORKLOADS: StatusCounts = {
  failed: 0,
  degraded: 0,
  progressing: 0,
  paused: 0,
  healthy: 0,
  completed: 0,
  idle: 0
}

/** Counts clusters by their coverage. A stale cluster has answered. */
const countsOf = (clusters: ReadonlyArray<Coverage>): Overview["clusterCounts"] => {
  const count = (status: Coverage["status"]) => clusters.filter((coverage) => coverage.status === status).length
  const [ok, stale] = [count("ok"), count("stale")]
  return { ok, stale, failed: clusters.length - ok - stale }
}

/** Sums the reasons of all clusters. Returns the most frequent ones. */
const topOf = (reasons: ReadonlyArray<ReadonlyMap<string, number>>): ReadonlyArray<PodReason> => {
  const sums = new Map<string, number>()
  for (const counts of reasons) {
    for (const [reason, count] of counts) sums.set(reason, (sums.get(reason) ?? 0) + count)
  }
  return Array.from(sums, ([reason, count]): PodReason => ({ reason, count }))
    .toSorted((left, right) => right.count - left.count || (left.reason < right.reason ? -1 : 1))
    .slice(0, MAX_POD_REASONS)
}
