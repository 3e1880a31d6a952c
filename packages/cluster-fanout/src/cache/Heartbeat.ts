/**
 * Probes one cluster for ever: rarely while all is well, soon after a doubt, and with growing patience while it is dead.
 *
 * @since 0.1.0
 */
import { Context, Effect, Metric, Random } from "effect"
import { type Breaker, verdict } from "../kube/Breaker.ts"
import type { Cluster } from "../registry/Cluster.ts"
import { ClusterError, ClusterTimeout } from "../kube/ClusterError.ts"
import type { ClusterStore } from "./ClusterStore.ts"
import * as steadyClock from "../kube/SteadyClock.ts"
import type { KubeApi } from "../kube/KubeApi.ts"

/** How a probe ended. **Shape** `answered` also with an `error` where the server answered with a refusal. */
interface Outcome {
  readonly answered: boolean
  readonly version?: string
  readonly error?: ClusterError
}

/** **Units** milliseconds. **Shape** `doubtMs` is the pause after a failed probe, and the least between any two. */
export const HeartbeatLimits = Context.Reference("@quarterdeck/cluster-fanout/Heartbeat/HeartbeatLimits", {
  defaultValue: () => ({ intervalMs: 30_000, doubtMs: 1_000, timeoutMs: 5_000 })
})

const reachable = Metric.gauge("quarterdeck_cluster_reachable", {
  description: "1 while the cluster answers probes, 0 while it does not"
})

/** Runs until interrupted, one probe at a time; what changes between two probes is logged. */
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

  /** What was wrong at the last probe; the same trouble is told once. */
  let trouble: string | undefined
  const tell = Effect.fnUntraced(function* ({ answered, error }: Outcome) {
    yield* Metric.update(Metric.withAttributes(reachable, { cluster: cluster.name }), answered ? 1 : 0)
    const before = trouble
    trouble = error?.message
    if (trouble === before) return
    if (trouble === undefined) return yield* Effect.logInfo(`cluster ${cluster.name} answers again`)
    yield* Effect.logWarning(trouble)
  })

  const beat = Effect.gen(function* () {
    const outcome: Outcome = yield* probe
    store.probed(outcome, yield* steadyClock.now)
    yield* tell(outcome)
    yield* pause
  })
  return yield* Effect.forever(beat)
})
