/**
 * Probes one cluster: periodically while it is healthy, sooner after a failure, and at once on demand.
 */
import { Context, Effect, Metric, Random } from "effect"
import { type Breaker, verdict } from "../kube/Breaker.ts"
import type { ClusterError } from "../kube/ClusterError.ts"
import type { KubeApi } from "../kube/KubeApi.ts"
import * as steadyClock from "../kube/SteadyClock.ts"
import * as Kind from "../projection/Kind.ts"
import type { Cluster } from "../registry/Cluster.ts"
import type { ClusterStore } from "./ClusterStore.ts"

/** Result of a probe. **Shape** `answered` is true with an `error` if the server answered with an error status. */
interface Outcome {
  readonly answered: boolean
  readonly version?: string
  readonly error?: ClusterError
}

/**
 * Probe interval and timeouts.
 *
 * **Units** milliseconds. **Shape** from the start of one probe to the start of the next: `intervalMs` normally,
 * `doubtMs` after a failed probe, at least `leastMs` if a failure is suspected. The version is read again after
 * `versionMs`.
 */
export const HeartbeatLimits = Context.Reference("@quarterdeck/cluster-fanout/Heartbeat/HeartbeatLimits", {
  defaultValue: () => ({ intervalMs: 5_000, doubtMs: 1_000, leastMs: 500, timeoutMs: 1_500, versionMs: 30_000 })
})

const reachable = Metric.gauge("quarterdeck_cluster_reachable", {
  description: "1 while the cluster answers probes, 0 once two in a row have failed"
})

/** Probes one at a time until interrupted, and logs changes between two probes. */
export const run = Effect.fnUntraced(function* (
  cluster: Cluster,
  parts: {
    readonly api: KubeApi["Service"]
    readonly breaker: Breaker
    readonly store: ClusterStore
  }
) {
  const { api, breaker, store } = parts
  const reached = Metric.withAttributes(reachable, { cluster: cluster.name })
  const limits = yield* HeartbeatLimits
  let versionDueAt = 0

  /**
   * Lists a readable kind, because a server can answer version requests while its lists fail. Reads the version too if
   * that is due.
   */
  const probeOnce = Effect.gen(function* () {
    const kind = Kind.kinds.find((kind) => store.table(kind).sync._tag !== "Missing")
    if (kind !== undefined) yield* api.probe(cluster, { resource: Kind.resources[kind] }, limits.timeoutMs)
    const now = yield* steadyClock.now
    if (kind !== undefined && now < versionDueAt) return undefined
    const version = api.version(cluster, limits.timeoutMs)
    // A credential may be allowed to list, but not to read the version. That is no failure of the cluster.
    const answer = yield* kind === undefined
      ? version
      : Effect.catchReason(version, "ClusterError", "ClusterForbids", () => Effect.succeed(undefined))
    versionDueAt = now + limits.versionMs
    return answer?.gitVersion
  })

  const probe = probeOnce.pipe(
    Effect.map((version): Outcome => ({ answered: true, ...(version !== undefined && { version }) })),
    Effect.catch((error) => Effect.succeed<Outcome>({ answered: verdict(error) === "alive", error }))
  )

  const pause = Effect.fnUntraced(function* (startedAt: number) {
    const jitter = yield* Random.nextBetween(0.9, 1)
    const until = (ms: number) =>
      Effect.flatMap(steadyClock.now, (now) => Effect.sleep(Math.max(0, startedAt + ms * jitter - now)))
    const suspicion = Effect.andThen(breaker.awaitSuspicion, until(limits.leastMs))
    const soon = breaker.isDoubted() ? until(limits.doubtMs) : Effect.raceFirst(until(limits.intervalMs), suspicion)
    yield* Effect.raceFirst(soon, breaker.awaitDemand)
  })

  /** Error of the last probe. The same error is logged once. */
  let trouble: string | undefined
  const report = Effect.fnUntraced(function* ({ error }: Outcome) {
    yield* Metric.update(reached, breaker.isSilent() ? 0 : 1)
    const before = trouble
    trouble = error?.message
    if (trouble === before) return
    if (trouble === undefined) return yield* Effect.logInfo(`cluster ${cluster.name} answers again`)
    yield* Effect.logWarning(trouble)
  })

  const beat = Effect.gen(function* () {
    const startedAt = yield* steadyClock.now
    breaker.probing()
    const outcome = yield* probe
    if (outcome.error !== undefined) versionDueAt = 0
    breaker.probed(outcome.error)
    store.probed(outcome, yield* steadyClock.now)
    yield* report(outcome)
    yield* pause(startedAt)
  })
  // A cluster that is no longer probed has no reachability metric.
  return yield* Effect.ensuring(Effect.forever(beat), Metric.remove(reached))
})
