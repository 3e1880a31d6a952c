/**
 * Publishes the metrics of one followed cluster: rows in the cache, their age, and the state of the breaker.
 */
import { Effect, Metric } from "effect"
import type { Breaker } from "../kube/Breaker.ts"
import * as Reconnects from "../kube/Reconnects.ts"
import * as ScrapedGauge from "../kube/ScrapedGauge.ts"
import * as steadyClock from "../kube/SteadyClock.ts"
import * as Kind from "../projection/Kind.ts"
import type { ClusterStore } from "./ClusterStore.ts"

const rows = Metric.gauge("quarterdeck_rows", { description: "Objects in the cache, by kind" })

const age = Metric.gauge("quarterdeck_cache_age_seconds", {
  description:
    "Age of the cluster's oldest rows: time since the cluster last confirmed them, or since the service began to follow it"
})

const sameCluster = Metric.gauge("quarterdeck_same_clusters", {
  description: "Other registered names of the same cluster, by the uid of its kube-system namespace"
})

const open = Metric.gauge("quarterdeck_breaker_open", {
  description:
    "1 while the breaker is open: the cluster has stopped answering and the service sends it no calls except probes"
})

const openings = Metric.counter("quarterdeck_breaker_openings_total", {
  description: "Times that the cluster's breaker opened because the cluster stopped answering",
  incremental: true
})

/**
 * Publishes the cluster's metrics until the scope ends, then removes them. `others` returns the number of other
 * registered names of the same cluster.
 *
 * **Limits** gauges are computed at each scrape from stored sizes, in constant time.
 */
export const show = Effect.fnUntraced(function* (store: ClusterStore, breaker: Breaker, others: () => number) {
  const labels = { cluster: store.cluster.name }
  const followedAt = yield* steadyClock.now
  for (const kind of Kind.kinds) {
    yield* ScrapedGauge.show(Metric.withAttributes(rows, { ...labels, kind }), () => store.table(kind).records.size)
  }
  yield* ScrapedGauge.show(Metric.withAttributes(open, labels), () => (breaker.refusal() === undefined ? 0 : 1))
  yield* ScrapedGauge.show(Metric.withAttributes(sameCluster, labels), others)
  yield* ScrapedGauge.show(Metric.withAttributes(age, labels), (now) => {
    const isRead = Kind.kinds.some((kind) => store.table(kind).sync._tag === "Synced")
    return (isRead ? store.ageMs(Kind.kinds, now) : now - followedAt) / 1_000
  })
  // Prometheus sees the first increment of a counter only if the counter existed at 0 before.
  yield* startedCounter(Reconnects.of(store.cluster.name))
  const counted = yield* startedCounter(Metric.withAttributes(openings, labels))
  const opening = breaker.awaitOpen.pipe(
    Effect.andThen(Metric.update(counted, 1)),
    Effect.andThen(breaker.awaitClosed),
    Effect.forever
  )
  yield* Effect.forkScoped(opening)
})

/** Starts a counter at 0 and removes it when the scope ends. */
const startedCounter = (counter: Metric.Counter<number>) =>
  Effect.acquireRelease(Effect.as(Metric.update(counter, 0), counter), Metric.remove)
