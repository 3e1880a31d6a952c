/**
 * Shows one followed cluster in the metrics: what is held of it, how old that is, and how its breaker stands.
 */
import { Effect, Metric } from "effect"
import type { Breaker } from "../kube/Breaker.ts"
import * as Reconnects from "../kube/Reconnects.ts"
import * as ScrapedGauge from "../kube/ScrapedGauge.ts"
import * as steadyClock from "../kube/SteadyClock.ts"
import * as Kind from "../projection/Kind.ts"
import type { ClusterStore } from "./ClusterStore.ts"

const rows = Metric.gauge("quarterdeck_rows", { description: "Objects that the cache holds, by kind" })

const age = Metric.gauge("quarterdeck_cache_age_seconds", {
  description: "Time since the oldest rows of the cluster were proven current, or since it is followed"
})

const sameCluster = Metric.gauge("quarterdeck_same_clusters", {
  description: "Other registered names of the same cluster, by the uid of its kube-system namespace"
})

const open = Metric.gauge("quarterdeck_breaker_open", {
  description: "1 while calls are kept away from the cluster, which has stopped answering"
})

const openings = Metric.counter("quarterdeck_breaker_openings_total", {
  description: "Times that a cluster stopped answering",
  incremental: true
})

/**
 * Shows the cluster until the scope ends; then nothing is shown of it any more.
 *
 * **Limits** gauges are read when the metrics are: from sizes that are kept, whatever the number of rows.
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
  // A rate knows of the first of something only if there was none before.
  yield* shown(Reconnects.of(store.cluster.name))
  const counted = yield* shown(Metric.withAttributes(openings, labels))
  const opening = breaker.awaitOpen.pipe(
    Effect.andThen(Metric.update(counted, 1)),
    Effect.andThen(breaker.awaitClosed),
    Effect.forever
  )
  yield* Effect.forkScoped(opening)
})

/** Begins at none. */
const shown = (counter: Metric.Counter<number>) =>
  Effect.acquireRelease(Effect.as(Metric.update(counter, 0), counter), Metric.remove)
