/**
 * Probes one cluster for ever: now and then while all is well, soon after a doubt, at once when somebody waits for it.
 */
import { Context, Effect, Metric, Random } from "effect"
import { type Breaker, verdict } from "../kube/Breaker.ts"
import type { ClusterError } from "../kube/ClusterError.ts"
import type { KubeApi } from "../kube/KubeApi.ts"
import * as steadyClock from "../kube/SteadyClock.ts"
import * as Kind from "../projection/Kind.ts"
import type { Cluster } from "../registry/Cluster.ts"
import type { ClusterStore } from "./ClusterStore.ts"

/** How a probe ended. **Shape** `answered` also with an `error` where the server answered with a refusal. */
interface Outcome {
  readonly answered: boolean
  readonly version?: string
  readonly error?: ClusterError
}

/**
 * How often a cluster is probed, and for how long it may take to answer.
 *
 * **Units** milliseconds. **Shape** probes begin `intervalMs` apart, `doubtMs` after one that failed or at once when that
 * took as long, and no sooner than `leastMs` after another however often the cluster is suspected. The version is read
 * again after `versionMs`.
 */
export const HeartbeatLimits = Context.Reference("@quarterdeck/cluster-fanout/Heartbeat/HeartbeatLimits", {
  defaultValue: () => ({ intervalMs: 5_000, doubtMs: 1_000, leastMs: 500, timeoutMs: 1_500, versionMs: 30_000 })
})

const reachable = Metric.gauge("quarterdeck_cluster_reachable", {
  description: "1 while the cluster answers probes, 0 once two in a row have failed"
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
  const reached = Metric.withAttributes(reachable, { cluster: cluster.name })
  const limits = yield* HeartbeatLimits
  let versionDueAt = 0

  /** A server may answer for itself and for no list, so that a list is what it is asked for, of what it may tell. */
  const ask = Effect.gen(function* () {
    const kind = Kind.kinds.find((kind) => store.table(kind).sync._tag !== "Missing")
    if (kind !== undefined) yield* api.probe(cluster, { resource: Kind.resources[kind] }, limits.timeoutMs)
    const now = yield* steadyClock.now
    if (kind !== undefined && now < versionDueAt) return undefined
    const version = api.version(cluster, limits.timeoutMs)
    // A credential may list, and not read the version: that is no trouble of the cluster.
    const told = yield* kind === undefined
      ? version
      : Effect.catchReason(version, "ClusterError", "ClusterForbids", () => Effect.succeed(undefined))
    versionDueAt = now + limits.versionMs
    return told?.gitVersion
  })

  const probe = ask.pipe(
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

  /** What was wrong at the last probe; the same trouble is told once. */
  let trouble: string | undefined
  const tell = Effect.fnUntraced(function* ({ error }: Outcome) {
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
    yield* tell(outcome)
    yield* pause(startedAt)
  })
  // Nothing is told of a cluster that is not probed any more.
  return yield* Effect.ensuring(Effect.forever(beat), Metric.remove(reached))
})
