/** Follows one collection of one cluster: its initial state, then its events. */
import { Clock, Duration, Effect, Exit, Metric, Option, Random, Result, Scope, Stream } from "effect"
import type { Cluster } from "../registry/Cluster.ts"
import { ClusterAnswerInvalid, ClusterError, ClusterTimeout, ClusterTooLarge, watchEnded } from "./ClusterError.ts"
import type { KubeObject, Scope as Collection, WatchEvent } from "./KubeObject.ts"
import type { OpenAnswer } from "./Transport.ts"
import * as State from "./ListWatchState.ts"
import type { JsonLines } from "./JsonLines.ts"
import { beginList, getPage, nextPage, ONE, type Pages } from "./ListPages.ts"
import type { ListProgress } from "./ListProgress.ts"
import * as kubePath from "./KubePath.ts"
import * as Reconnects from "./Reconnects.ts"
import * as versions from "./ResourceVersion.ts"
import * as steadyClock from "./SteadyClock.ts"
import { isNotAcceptable, reasonOf, refusesWatchList } from "./WatchRefusal.ts"
import * as watchLines from "./WatchLines.ts"
import * as wireForm from "./WireForm.ts"

/** Timeouts and limits of a watch, in milliseconds, bytes and seconds. */
export interface FollowLimits extends State.ListWatchPatience {
  /** A stream without any byte for this time counts as dead. Servers send bookmarks every minute. */
  readonly silenceMs: number
  /** Silence in the initial state after which a watch-list is replaced by a list. */
  readonly initialSilenceMs: number
  /** Time without response headers after which a list replaces a watch-list or, for `headMs`, a watch. */
  readonly initialHeadMs: number
  readonly headMs: number
  /** Time for a whole list, or for the initial state of a watch-list. */
  readonly listMs: number
  /** Time a resumed watch may take to catch up. After that the kind is listed again: a proxy may withhold events. */
  readonly catchUpMs: number
  /**
   * Time a resumed watch may take to open. After that the kind is listed again, because much may have changed
   * meanwhile.
   */
  readonly openedWithinMs: number
  readonly lineBytes: number
  /** The server is asked to end a watch after a random time in this range, so that watches do not end together. */
  readonly minWatchSeconds: number
  readonly maxWatchSeconds: number
}

export interface Followed {
  readonly pages: Pages
  readonly cluster: Cluster
  readonly collection: Collection
  readonly watchList: boolean
  /** Called when a watch-list was replaced by a list because the server or a proxy withheld a part of it. */
  readonly onWithheld: Effect.Effect<void>
  readonly limits: FollowLimits
  /** The version of a complete view to resume from. */
  readonly from: string | undefined
}

interface OpenWatch {
  readonly read: OpenAnswer["read"]
  readonly form: wireForm.WireForm
  readonly lines: JsonLines
  readonly scope: Scope.Closeable
  readonly openedAt: number
  /** Progress of the initial state: the number of objects, and the time of the last one. */
  readonly initial: { objects: number; lastAt: number }
}

/**
 * Makes the stream of event batches. The stream ends only by failing.
 *
 * **Shape** a watch that ends cleanly is resumed from its position. So is a watch that breaks. If it breaks again
 * before a new event arrives, the stream fails. 410 in any form leads to `Restart` and a new initial state, after a
 * random wait. So does a server whose newest version is older than the version to resume from.
 */
export const stream = (followed: Followed): Stream.Stream<ReadonlyArray<WatchEvent>, ClusterError> =>
  Stream.fromEffect(makeFollower(followed)).pipe(
    Stream.flatMap((follower) => Stream.fromEffectRepeat(step(follower))),
    Stream.filter((events) => events.length > 0),
    Stream.scoped
  )

/** A followed collection and its state. */
interface Follower extends Followed {
  readonly scope: Scope.Scope
  readonly reconnects: ReturnType<typeof Reconnects.of>
  state: State.ListWatchState<OpenWatch>
  /** Content types to request. `undefined` requests JSON: there is no other type, or the server rejected the others. */
  accept: string | undefined
}

type Batch = Effect.Effect<ReadonlyArray<WatchEvent>, ClusterError>

const makeFollower = (followed: Followed): Effect.Effect<Follower, never, Scope.Scope> =>
  Effect.map(Effect.scope, (scope) => ({
    ...followed,
    scope,
    reconnects: Reconnects.of(followed.cluster.name),
    state: begun(followed),
    accept: wireForm.accept(followed.collection.resource)
  }))

const begun = ({ from, watchList }: Followed): State.ListWatchState<OpenWatch> => {
  const state = State.make<OpenWatch>(watchList)
  return from === undefined ? state : State.from(state, from)
}

const step = (follower: Follower): Batch =>
  Effect.suspend(() => advance(follower)).pipe(
    Effect.catchReason("ClusterError", "ClusterExpired", () =>
      Effect.sync(() => {
        follower.state = State.expired(follower.state)
        return RESTART
      })
    ),
    Effect.catchIf(
      (error) => follower.accept !== undefined && isNotAcceptable(error),
      () =>
        Effect.sync(() => {
          follower.accept = undefined
          return NOTHING
        })
    ),
    Effect.catchReason("ClusterError", "ClusterThrottled", (reason) => {
      const pause = State.throttled(follower.state, reason.retryAfterMs, follower.limits)
      if (pause === undefined) return fail(follower, reason)
      follower.state = pause.state
      return Effect.as(Effect.sleep(Duration.millis(pause.waitMs)), NOTHING)
    })
  )

const advance = (follower: Follower): Batch => {
  const { phase } = follower.state
  switch (phase._tag) {
    case "Begin":
      return begin(follower)
    case "Page":
      return page(follower, phase.progress)
    case "Resume":
      return resume(follower, phase.checked)
    case "Read":
      return readOrRepair(follower, phase.watch, phase.initial)
  }
}

const begin = Effect.fnUntraced(function* (follower: Follower) {
  if (follower.state.futile > 0) yield* backOff(follower)
  if (!follower.state.offersWatchList) {
    follower.state = State.listing(
      follower.state,
      yield* beginList(follower.pages, follower.cluster, follower.collection)
    )
    return NOTHING
  }
  return yield* open(follower, true, { sendInitialEvents: "true", resourceVersionMatch: "NotOlderThan" }).pipe(
    Effect.catchIf(refusesWatchList, () => {
      follower.state = State.withoutWatchList(follower.state)
      return Effect.succeed(NOTHING)
    })
  )
})

const page = Effect.fnUntraced(function* (follower: Follower, progress: ListProgress) {
  const { accept, cluster, collection, pages } = follower
  const { isAnew, items, next, resourceVersion } = yield* nextPage(pages, cluster, collection, progress, { accept })
  follower.state = State.answered(follower.state)
  const puts = isAnew ? RESTART : items.map(put)
  if (next !== undefined) {
    follower.state = State.listing(follower.state, next)
    return puts
  }
  if (resourceVersion === "") return yield* invalid(follower, "the list has no resource version to watch from")
  follower.state = State.listed(follower.state, resourceVersion)
  return [...puts, synced(resourceVersion)]
})

/**
 * Resumes a watch after checking the server's newest version. A server that was restored from a backup reuses earlier
 * versions. A watch from a version that the server has not reached yet would stay silent until then and miss the events
 * in between.
 */
const resume = Effect.fnUntraced(function* (follower: Follower, checked: boolean) {
  const { cluster, collection, pages } = follower
  if (!checked) {
    if (State.isDeaf(follower.state)) return yield* fail(follower, watchEnded)
    if (follower.state.futile > 1) yield* backOff(follower)
  }
  // Measure from here: events after the newest version may already be missed when the watch opens.
  const askedAt = yield* steadyClock.now
  if (!checked) {
    const newest = yield* getPage(pages, cluster, collection, {
      continueToken: undefined,
      metadataOnly: true,
      limit: ONE
    })
    const { behind, resourceVersion } = follower.state
    const compared = versions.compare(newest.resourceVersion, resourceVersion)
    // If the versions cannot be compared, a resumed view could never be seen to catch up, so it is listed again.
    if ((compared ?? (behind === undefined ? 0 : -1)) < 0) {
      follower.state = State.restarted(follower.state)
      return RESTART
    }
    follower.state = State.checked(follower.state, newest.resourceVersion)
  }
  const { behind, resourceVersion } = follower.state
  // If nothing has changed since, the server sends nothing, not even a bookmark.
  const isCaughtUp = State.hasReached(behind, resourceVersion)
  const events = yield* open(follower, false, {
    resourceVersion,
    ...(behind !== undefined && !isCaughtUp && { timeoutSeconds: CATCH_UP_SECONDS })
  })
  if (behind === undefined || follower.state.behind === undefined) return events
  const { phase } = follower.state
  if (phase._tag === "Read" && (yield* steadyClock.now) - askedAt > follower.limits.openedWithinMs) {
    yield* close(follower, phase.watch)
    follower.state = State.restarted(follower.state)
    return RESTART
  }
  if (!isCaughtUp) return NOTHING
  follower.state = State.caughtUp(follower.state)
  return [RESUMED]
})

/** A server sends its version two seconds before a watch ends. A short watch therefore reports the version soon. */
const CATCH_UP_SECONDS = "4"

const open = Effect.fnUntraced(function* (
  follower: Follower,
  initial: boolean,
  query: Readonly<Record<string, string>>
) {
  const { cluster, collection, limits, pages } = follower
  const scope = yield* Scope.fork(follower.scope)
  const timeoutSeconds = String(yield* Random.nextIntBetween(limits.minWatchSeconds, limits.maxWatchSeconds))
  const path = kubePath.collection(collection, { watch: "1", allowWatchBookmarks: "true", timeoutSeconds, ...query })
  const { accept } = follower
  const request = { method: "GET", path, action: actionOf(follower), ...(accept !== undefined && { accept }) } as const
  const opened = yield* pages.transport.open(cluster, request).pipe(
    Scope.provide(scope),
    Effect.timeoutOption(initial ? limits.initialHeadMs : limits.headMs),
    Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause)))
  )
  if (Option.isNone(opened)) {
    yield* Scope.close(scope, Exit.void)
    yield* Metric.update(follower.reconnects, 1)
    if (initial) yield* follower.onWithheld
    follower.state = State.heldBack(follower.state)
    return RESTART
  }
  const { contentType, read } = opened.value
  const form = wireForm.of(contentType, collection.resource)
  const openedAt = yield* steadyClock.now
  const lines = form.split(limits.lineBytes)
  const watch = { read, form, lines, scope, openedAt, initial: { objects: 0, lastAt: openedAt } }
  follower.state = State.reading(State.answered(follower.state), watch, initial)
  return NOTHING
})

const close = Effect.fnUntraced(function* (follower: Follower, { openedAt, scope }: OpenWatch) {
  const lifetimeMs = (yield* steadyClock.now) - openedAt
  follower.state = State.closed(follower.state, lifetimeMs, follower.limits)
  yield* Scope.close(scope, Exit.void)
})

const backOff = ({ limits, state }: Follower): Effect.Effect<void> =>
  Effect.flatMap(Random.nextBetween(0, State.backoffCeilingMs(state, limits)), (wait) =>
    Effect.sleep(Duration.millis(wait))
  )

/** Reads a watch. Resumes a broken watch once; replaces a watch-list that fell silent by a list. */
const readOrRepair = Effect.fnUntraced(function* (follower: Follower, watch: OpenWatch, initial: boolean) {
  const outcome = yield* Effect.result(read(follower, watch, initial))
  if (Result.isSuccess(outcome)) return outcome.success
  const error = outcome.failure
  if (initial && error.reason._tag === "ClusterTimeout") {
    yield* close(follower, watch)
    yield* follower.onWithheld
    follower.state = State.restarted(State.withoutWatchList(follower.state))
    return RESTART
  }
  const { behind, isMended } = follower.state
  if (behind !== undefined && error.reason._tag === "ClusterTimeout") {
    yield* close(follower, watch)
    follower.state = State.restarted(follower.state)
    return RESTART
  }
  if (initial || isMended || behind !== undefined || error.reason._tag !== "ClusterUnreachable") return yield* error
  yield* close(follower, watch)
  follower.state = State.broken(follower.state)
  yield* Metric.update(follower.reconnects, 1)
  return NOTHING
})

/** Returns the time until which a watch may stay silent, depending on whether it is initial, catching up or current. */
const patientUntil = ({ limits, state }: Follower, watch: OpenWatch, initial: boolean, now: number): number => {
  const { initial: progress, openedAt } = watch
  if (initial) return Math.min(progress.lastAt + limits.initialSilenceMs, openedAt + limits.listMs)
  return state.behind === undefined ? now + limits.silenceMs : openedAt + limits.catchUpMs
}

const read = Effect.fnUntraced(function* (follower: Follower, watch: OpenWatch, initial: boolean) {
  const askedAt = yield* steadyClock.now
  const timeoutMs = patientUntil(follower, watch, initial, askedAt) - askedAt
  // A server that keeps sending something never runs into the timeout of a single read.
  if (timeoutMs <= 0) return yield* fail(follower, new ClusterTimeout({ timeoutMs: askedAt - watch.openedAt }))
  const piece = yield* watch.read(timeoutMs)
  if (Option.isNone(piece)) {
    yield* close(follower, watch)
    // A watch-list that ended before its initial state was complete would end early again.
    if (initial) follower.state = State.withoutWatchList(follower.state)
    const isAnew = initial || follower.state.behind !== undefined
    follower.state = isAnew ? State.restarted(follower.state) : State.ended(follower.state)
    return isAnew ? RESTART : NOTHING
  }
  const lines = watch.lines.push(piece.value)
  if (Result.isFailure(lines)) return yield* invalid(follower, lines.failure)
  const before = { isInitial: initial, resourceVersion: follower.state.resourceVersion }
  const reading = watchLines.read(lines.success, before, watch.form)
  yield* follower.pages.turns.repeat(reading.step)
  const taken = reading.taken()
  if (Result.isFailure(taken)) return yield* invalid(follower, taken.failure)
  const { error, events, isInitial } = taken.success
  if (initial && events.length > 0) {
    watch.initial.objects += events.length
    watch.initial.lastAt = yield* steadyClock.now
    yield* requireBound(follower, watch.initial.objects)
  }
  const wasBehind = follower.state.behind !== undefined
  if (error !== undefined) {
    follower.state = State.cutShort(follower.state, taken.success)
    const reason = reasonOf(error.status, actionOf(follower), yield* Clock.currentTimeMillis)
    if (reason._tag !== "ClusterExpired" && reason._tag !== "ClusterThrottled") return yield* fail(follower, reason)
    yield* close(follower, watch)
    // The server ended the watch for lack of resources, but its events are valid. The next watch applies its own wait.
    const isContinued = reason._tag === "ClusterThrottled" && !isInitial && !wasBehind
    follower.state = isContinued ? State.ended(follower.state) : State.restarted(follower.state)
    return isContinued ? events : [...events, ...RESTART]
  }
  follower.state = State.received(follower.state, taken.success)
  if (isInitial !== initial) follower.state = State.reading(follower.state, watch, isInitial)
  return wasBehind && follower.state.behind === undefined ? [...events, RESUMED] : events
})

/** Limits the events of an initial state: a server might send objects forever, or one object again and again. */
const requireBound = (follower: Follower, objects: number): Effect.Effect<void, ClusterError> => {
  const { maxObjects: limit } = follower.pages.bounds
  const resource = kubePath.words(follower.collection)
  return objects <= limit * EVENTS_AN_OBJECT
    ? Effect.void
    : fail(follower, new ClusterTooLarge({ excess: "objects", resource, limit }))
}

/** Events per object: objects may change while a large initial state is sent. */
const EVENTS_AN_OBJECT = 2

const actionOf = ({ collection }: Follower) => ({ verb: "watch", resource: kubePath.words(collection) })

const fail = ({ cluster }: Follower, reason: ClusterError["reason"]): Effect.Effect<never, ClusterError> =>
  Effect.fail(new ClusterError({ cluster: cluster.name, reason }))

const invalid = (follower: Follower, problem: string): Effect.Effect<never, ClusterError> =>
  fail(follower, new ClusterAnswerInvalid({ problem }))

const RESTART: ReadonlyArray<WatchEvent> = [{ _tag: "Restart" }]
const RESUMED: WatchEvent = { _tag: "Resumed" }
const NOTHING: ReadonlyArray<WatchEvent> = []
const put = (object: KubeObject): WatchEvent => ({ _tag: "Put", object })
const synced = (resourceVersion: string): WatchEvent => ({ _tag: "Synced", resourceVersion })
