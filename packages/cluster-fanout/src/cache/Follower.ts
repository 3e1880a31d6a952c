/**
 * Keeps one kind of one cluster up to date: lists and watches it, and starts again after each failure.
 */
import { Cause, Context, Effect, Exit, Metric, Random, Scope, type Semaphore, Stream } from "effect"
import type { Breaker } from "../kube/Breaker.ts"
import type { Cluster } from "../registry/Cluster.ts"
import { ClusterError, ClusterExpired, ClusterTooLarge, watchEnded } from "../kube/ClusterError.ts"
import type { ClusterStore } from "./ClusterStore.ts"
import type { Interner } from "../projection/Interner.ts"
import * as Reconnects from "../kube/Reconnects.ts"
import * as steadyClock from "../kube/SteadyClock.ts"
import * as Kind from "../projection/Kind.ts"
import { isMissing, isTooLarge } from "./KindTable.ts"
import type { KubeApi } from "../kube/KubeApi.ts"
import type { WatchEvent } from "../kube/KubeObject.ts"
import * as kubePath from "../kube/KubePath.ts"
import { MaxObjects } from "../kube/ListPages.ts"
import * as Projection from "../projection/Projection.ts"
import { TurnBudget } from "../kube/TurnBudget.ts"
import { WatchPosition } from "./WatchPosition.ts"

/**
 * Backoff and timeouts of following a kind.
 *
 * **Shape** the wait after a failure is random. Its upper limit doubles with each failure, from `minBackoffMs` to
 * `maxBackoffMs`; for a kind that the credential may not read, from `minMissingMs` to `maxMissingMs`. The backoff
 * resets after a watch that lasted `settledMs` and delivered data.
 *
 * A kind that was read before counts as missing once it has been refused for `refusedMs`. A server that has just
 * started may refuse permitted requests until it has loaded its RBAC rules.
 *
 * An initial sync without data for `quietMs` gives up its lanes and continues without them.
 *
 * A kind with more than `resumedFrom` objects, more than one page of a list, resumes its watch if it was lost for at
 * most `resumedWithinMs`. After a longer outage the kind is listed again: the server may have been restored from a
 * backup and have reused resource versions since.
 *
 * **Units** milliseconds; objects.
 */
export const FollowerLimits = Context.Reference("@quarterdeck/cluster-fanout/Follower/FollowerLimits", {
  defaultValue: () => ({
    minBackoffMs: 500,
    maxBackoffMs: 30_000,
    minMissingMs: 5_000,
    maxMissingMs: 300_000,
    refusedMs: 5_000,
    quietMs: 5_000,
    settledMs: 30_000,
    resumedWithinMs: 60_000,
    resumedFrom: 500
  })
})

export type FollowerLimits = typeof FollowerLimits.Service

/** Services shared by the followers of one cluster. **Shape** `lanes` limit initial syncs, per cluster and in total. */
export interface Parts {
  readonly cluster: Cluster
  readonly api: KubeApi["Service"]
  readonly breaker: Breaker
  readonly store: ClusterStore
  readonly interner: Interner
  readonly accelerators: ReadonlyArray<string>
  readonly lanes: ReadonlyArray<Semaphore.Semaphore>
}

const watches = Metric.gauge("quarterdeck_watches", { description: "Watches that are running" })
const events = Metric.counter("quarterdeck_watch_events_total", {
  description: "Watch events applied",
  incremental: true
})
const failures = Metric.counter("quarterdeck_watch_failures_total", {
  description: "Watches that ended and were restarted, by kind and reason",
  incremental: true
})
const resumes = Metric.counter("quarterdeck_watch_resumes_total", {
  description:
    "Attempts to resume a watch after an outage; result is resumed, or listed if the kind had to be listed again",
  incremental: true
})
const syncSeconds = Metric.histogram("quarterdeck_sync_seconds", {
  description: "Wall time of initial syncs in seconds, by kind",
  boundaries: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300]
})

/**
 * Errors after which the watch may resume: the server was not reached, or refused temporarily. After any other error, a
 * retry from the same position would fail the same way.
 */
const KEEPS_POSITION: ReadonlySet<ClusterError["reason"]["_tag"]> = new Set([
  "ClusterUnreachable",
  "ClusterTimeout",
  "ClusterThrottled",
  "ClusterUnauthorized",
  "ClusterCredentialUnavailable"
])

/** Follows a kind until interrupted. */
export const run = Effect.fnUntraced(function* (kind: Kind.Kind, parts: Parts) {
  const { breaker, store } = parts
  const limits = yield* FollowerLimits
  let attempt = 0
  let refusals = 0
  let refusedAt: number | undefined
  const reconnects = Reconnects.of(parts.cluster.name)
  let isLost = false
  /** The last failure that was logged since the kind was last read. */
  let logged: string | undefined
  const position = new WatchPosition()
  /**
   * Returns the version to resume from. Events, kinds that fit one page of a list, and namespaces, whose labels decide
   * access, are always listed again.
   */
  const resumable = (now: number) =>
    kind !== "Namespace" && kind !== "Event" && store.table(kind).records.size > limits.resumedFrom
      ? position.from(now, limits.resumedWithinMs)
      : undefined

  // A cluster that has never answered must not occupy a lane.
  yield* store.signal.until(() => store.health.probedAt !== undefined)
  return yield* Effect.forever(
    Effect.gen(function* () {
      yield* breaker.awaitClosed
      if (isLost) yield* Metric.update(reconnects, 1)
      const startedAt = yield* steadyClock.now
      const from = resumable(startedAt)
      if (from === undefined) {
        position.forget()
        store.begin(kind)
      }
      const { provenAt } = store.table(kind)
      const error = yield* followOnce(kind, parts, position, from)
      if (from !== undefined && error.reason._tag === "ClusterExpired") {
        position.forget()
        isLost = false
        yield* Metric.update(Metric.withAttributes(resumes, { kind, result: "listed" }), 1)
        return yield* Effect.sleep(yield* Random.nextBetween(0, limits.minBackoffMs))
      }
      const endedAt = yield* steadyClock.now
      const lifetimeMs = endedAt - startedAt
      yield* Metric.update(Metric.withAttributes(failures, { kind, reason: error.reason._tag }), 1)

      const isProven = store.table(kind).provenAt !== provenAt
      if (isProven) logged = undefined
      // The heartbeat lists a single object, so it cannot detect that a kind is too large.
      if (isTooLarge(error) && error.message !== logged) {
        logged = error.message
        yield* Effect.logWarning(error.message)
      }
      if (isProven && lifetimeMs >= limits.settledMs) {
        attempt = 0
        refusals = 0
        refusedAt = undefined
      }
      const since = refusedAt ?? endedAt
      refusedAt = isMissing(error) ? since : undefined
      isLost = !isMissing(error)
      const isDoubted = store.table(kind).sync._tag === "Synced" && endedAt - since < limits.refusedMs
      if (!KEEPS_POSITION.has(error.reason._tag)) position.forget()
      if (isMissing(error) && !isDoubted) {
        store.miss(kind, error)
        const bound = Math.min(limits.maxMissingMs, limits.minMissingMs * 2 ** refusals++)
        return yield* Effect.sleep(yield* Random.nextBetween(bound / 2, bound))
      }
      position.lost(store.health.seenAt ?? endedAt)
      if (resumable(endedAt) === undefined) store.fail(kind, error)
      else store.interrupt(kind, error)
      yield* breaker.suspect
      const bound = Math.min(limits.maxBackoffMs, limits.minBackoffMs * 2 ** attempt++)
      const wait = yield* Random.nextBetween(limits.minBackoffMs, Math.max(limits.minBackoffMs, bound))
      const retryAfterMs = error.reason._tag === "ClusterThrottled" ? (error.reason.retryAfterMs ?? 0) : 0
      // Retry once the refusal has lasted `refusedMs`, even if the backoff would be longer.
      const atMost = isMissing(error) ? Math.max(limits.minBackoffMs, since + limits.refusedMs - endedAt) : Infinity
      yield* Effect.sleep(Math.min(atMost, Math.max(wait, Math.min(retryAfterMs, limits.maxBackoffMs))))
    })
  )
})

/** Follows once and returns the error that ended it: `ClusterExpired` if the server cannot resume from `from`. */
const followOnce = (
  kind: Kind.Kind,
  parts: Parts,
  position: WatchPosition,
  from: string | undefined
): Effect.Effect<ClusterError> => {
  const { breaker, cluster } = parts
  const ended = new ClusterError({ cluster: cluster.name, reason: watchEnded })
  // The sync of an unreachable cluster must not occupy its lanes until the transport times out.
  const refused = Effect.flatMap(breaker.awaitOpen, (error) => Effect.fail(error))
  // A defect must not leave the kind without a follower. The kind is listed again, as after a watch that ended.
  const logDefect = (defect: unknown) =>
    Effect.logError(`Follower: a defect while following ${kind} of cluster ${cluster.name}`, Cause.die(defect))
  // A watch that timed out was lost at an unknown earlier time, so its position is not used. An unreachable cluster
  // fails sooner, through the breaker.
  const followed = Effect.tapError(follow(kind, parts, position, from), ({ reason }) =>
    reason._tag === "ClusterTimeout" ? Effect.sync(() => position.forget()) : Effect.void
  )
  return Effect.raceFirst(followed, refused).pipe(
    Effect.catchDefect(logDefect),
    Effect.andThen(Effect.fail(ended)),
    Effect.flip,
    Effect.scoped
  )
}

const follow = Effect.fnUntraced(function* (
  kind: Kind.Kind,
  parts: Parts,
  position: WatchPosition,
  from: string | undefined
) {
  const { accelerators, api, breaker, cluster, interner, lanes, store } = parts
  const { quietMs } = yield* FollowerLimits
  const maxObjects = yield* MaxObjects
  const turns = yield* TurnBudget
  const lane = yield* Effect.acquireRelease(Scope.make(), (scope, exit) => Scope.close(scope, exit))
  for (const semaphore of from === undefined ? lanes : []) yield* semaphore.takeScoped(1).pipe(Scope.provide(lane))
  const place = { cluster: cluster.name, interner, accelerators }
  const startedAt = yield* steadyClock.now
  let heardAt = startedAt
  // Lanes limit the work of receiving data. A sync that receives nothing must not keep other syncs waiting.
  const leaveWhenQuiet = Effect.gen(function* () {
    let left = quietMs
    while (left > 0) {
      yield* Effect.sleep(left)
      left = heardAt + quietMs - (yield* steadyClock.now)
    }
    yield* Scope.close(lane, Exit.void)
  })
  yield* Effect.forkScoped(leaveWhenQuiet)
  const counted = Metric.withAttributes(events, { kind })
  const syncTook = Metric.withAttributes(syncSeconds, { kind })
  yield* Effect.acquireRelease(Metric.modify(watches, 1), () => Metric.modify(watches, -1))

  const expired = new ClusterError({ cluster: cluster.name, reason: new ClusterExpired() })
  const resource = Kind.resources[kind]
  const tooLarge = new ClusterError({
    cluster: cluster.name,
    reason: new ClusterTooLarge({ excess: "objects", resource: kubePath.words({ resource }), limit: maxObjects })
  })
  let isResuming = from !== undefined
  const applyBatch = Effect.fnUntraced(function* (batch: ReadonlyArray<WatchEvent>) {
    const now = yield* steadyClock.now
    heardAt = now
    // A new list needs lanes, which a resumed watch does not hold.
    if (isResuming && batch.some(({ _tag }) => _tag === "Restart")) return yield* expired
    const changes = yield* turns.map(batch, (event) => Projection.change(kind, event, place))
    const synced = store.apply(kind, changes, now)
    if (store.table(kind).size > maxObjects) return yield* tooLarge
    position.applied(batch)
    breaker.succeeded()
    if (isResuming && batch.some(({ _tag }) => _tag === "Resumed")) {
      isResuming = false
      yield* Metric.update(Metric.withAttributes(resumes, { kind, result: "resumed" }), 1)
    }
    yield* Metric.update(counted, batch.length)
    if (!synced) return
    yield* Metric.update(syncTook, (now - startedAt) / 1_000)
    yield* Scope.close(lane, Exit.void)
  })
  return yield* Stream.runForEach(api.follow(cluster, { resource }, from), (batch) =>
    // It is unknown how much of the batch was applied.
    Effect.tapDefect(applyBatch(batch), () => Effect.sync(() => position.forget()))
  )
})
