/**
 * Probes one cluster for ever: rarely while all is well, soon after a doubt, and with growing patience while it is dead.
 *
 * @since 0.1.0
 */
import { Context, Effect, Random } from "effect"
import { type Breaker, verdict } from "./Breaker.ts"
import type { Cluster } from "./Cluster.ts"
import { ClusterError, ClusterTimeout } from "./ClusterError.ts"
import type { ClusterStore } from "./ClusterStore.ts"
import * as steadyClock from "./internal/steadyClock.ts"
import type { KubeApi } from "./KubeApi.ts"

/** **Units** milliseconds. **Shape** `doubtMs` is the pause after a failed probe, and the least between any two. */
export const HeartbeatLimits = Context.Reference("@quarterdeck/cluster-fanout/Heartbeat/HeartbeatLimits", {
  defaultValue: () => ({ intervalMs: 30_000, doubtMs: 1_000, timeoutMs: 5_000 })
})

/** Runs until interrupted, one probe at a time. */
export const run = Effect.fnUntraced(function* (
  cluster: Cluster,
  parts: {
    readonly api: KubeApi["Service"]
    readonly breaker: Breaker
    readonly store: ClusterStore
  }
) {
  const { api, breaker, store } = parts
  const limits = yield* HeartbeatLimits

  const probe = api.version(cluster).pipe(
    Effect.timeoutOrElse({
      duration: limits.timeoutMs,
      orElse: () =>
        Effect.fail(
          new ClusterError({ cluster: cluster.name, reason: new ClusterTimeout({ timeoutMs: limits.timeoutMs }) })
        )
    }),
    breaker.guard,
    Effect.map((version) => ({ answered: true, version: version.gitVersion })),
    Effect.catch((error) => Effect.succeed({ answered: verdict(error) === "alive", error }))
  )

  const pause = Effect.gen(function* () {
    const now = yield* steadyClock.now
    const retryAt = breaker.retryAt()
    // Its time may have come and somebody else's call be the probe: then that is waited for, not asked about at once.
    if (retryAt !== undefined) return yield* Effect.sleep(Math.max(limits.doubtMs, retryAt - now))
    const jitter = yield* Random.nextBetween(0.9, 1.1)
    yield* Effect.sleep(limits.doubtMs * jitter)
    if (breaker.failures() > 0) return
    const rest = Math.max(0, limits.intervalMs * jitter - limits.doubtMs)
    yield* Effect.raceFirst(Effect.sleep(rest), breaker.awaitSuspicion)
  })

  const beat = Effect.gen(function* () {
    const outcome = yield* probe
    store.probed(outcome, yield* steadyClock.now)
    yield* pause
  })
  return yield* Effect.forever(beat)
})
