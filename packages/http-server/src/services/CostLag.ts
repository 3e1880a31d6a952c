/**
 * Measures the time since the end of the last closed hour in each cost history.
 */
import { ClusterRegistry } from "@quarterdeck/cluster-fanout/ClusterRegistry"
import { CostHistories } from "@quarterdeck/cost/CostHistories"
import { CostStore } from "@quarterdeck/cost/CostStore"
import { Clock, Effect, Layer, Metric, Schedule } from "effect"

const INTERVAL = "1 minute"

const lag = Metric.gauge("quarterdeck_cost_lag_seconds", {
  description: "Time since the end of the last closed cost hour, by cluster"
})

/**
 * Updates the metric of the lag once a minute.
 *
 * **Shape** covers registered clusters with at least one closed hour. A lag of up to 62 minutes is normal.
 */
export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const registry = yield* ClusterRegistry
    const store = yield* CostStore
    const histories = yield* CostHistories

    const measure = Effect.gen(function* () {
      const { clusters } = yield* registry.snapshot
      const names = new Set<string>(clusters.map(({ name }) => name))
      const nowMs = yield* Clock.currentTimeMillis
      for (const { cluster: key, toMs } of yield* store.extents) {
        const cluster = histories.nameOf(key)
        if (!names.has(cluster)) continue
        yield* Metric.update(Metric.withAttributes(lag, { cluster }), Math.max(0, nowMs - toMs) / 1_000)
      }
    }).pipe(Effect.catch((error) => Effect.logWarning("the lag of the cost history cannot be measured", error)))

    yield* Effect.forkScoped(Effect.repeat(measure, Schedule.spaced(INTERVAL)))
  })
)
