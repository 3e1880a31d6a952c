/** Follows one collection of one cluster: an initial state, then what happens to it. */
import { Clock, Duration, Effect, Exit, Metric, Option, Random, Result, Scope, Stream } from "effect"
import type { Cluster } from "../registry/Cluster.ts"
import { ClusterAnswerInvalid, ClusterError, watchEnded } from "./ClusterError.ts"
import type { KubeObject, Scope as Collection, WatchEvent } from "./KubeObject.ts"
import type { OpenAnswer } from "./Transport.ts"
import * as State from "./ListWatchState.ts"
import { decodeStatus, fromAnswer } from "./AnswerProblem.ts"
import type { JsonLines } from "./JsonLines.ts"
import { getPage, ONE, type Pages } from "./ListPages.ts"
import * as kubePath from "./KubePath.ts"
import * as Reconnects from "./Reconnects.ts"
import * as versions from "./ResourceVersion.ts"
import * as steadyClock from "./SteadyClock.ts"
import * as watchLines from "./WatchLines.ts"
import * as wireForm from "./WireForm.ts"

/** How patient a watch is, and how long a line and a watch may be, in milliseconds, bytes and seconds. */
export interface FollowLimits extends State.ListWatchPatience {
  /** A stream without any byte for so long is dead: bookmarks come every minute. */
  readonly silenceMs: number
  /** A watch-list that says nothing for so long before its initial state is whole will not say more. */
  readonly initialSilenceMs: number
  /** A view that is resumed is read whole when it has not caught up by then: what is between may keep back what tells so. */
  readonly catchUpMs: number
  /** A view that is resumed is read whole where the server takes longer to open its watch: much may have happened by then. */
  readonly openedWithinMs: number
  readonly lineBytes: number
  /** The server is asked to end a watch after a random time between these, so that watches do not end together. */
  readonly minWatchSeconds: number
  readonly maxWatchSeconds: number
}

export interface Followed {
  readonly pages: Pages
  readonly cluster: Cluster
  readonly collection: Collection
  readonly watchList: boolean
  readonly limits: FollowLimits
  /** The version of a view that was whole, to go on from. */
  readonly from: string | undefined
}

interface OpenWatch {
  readonly read: OpenAnswer["read"]
  readonly form: wireForm.WireForm
  readonly lines: JsonLines
  readonly scope: Scope.Closeable
  readonly openedAt: number
}

/**
 * Makes the stream of batches; it ends only by failing.
 *
 * **Shape** a watch that ends cleanly is resumed where it was; one that breaks is resumed once, and fails when nothing
 * comes of that. 410, in whatever form, gives `Restart` and a new initial state, after a random wait; so does a server
 * whose newest version is earlier than the one to resume from.
 */
export const stream = (followed: Followed): Stream.Stream<ReadonlyArray<WatchEvent>, ClusterError> =>
  Stream.fromEffect(makeFollower(followed)).pipe(
    Stream.flatMap((follower) => Stream.fromEffectRepeat(step(follower))),
    Stream.filter((events) => events.length > 0),
    Stream.scoped
  )

/** The collection, and where following it stands. */
interface Follower extends Followed {
  readonly scope: Scope.Scope
  readonly reconnects: ReturnType<typeof Reconnects.of>
  state: State.ListWatchState<OpenWatch>
  /** The forms to ask for; JSON where there is none, or the server refused them. */
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
      return page(follower, phase.continueToken)
    case "Resume":
      return resume(follower, phase.checked)
    case "Read":
      return readOrMend(follower, phase.watch, phase.initial)
  }
}

const begin = Effect.fnUntraced(function* (follower: Follower) {
  if (follower.state.futile > 0) yield* backOff(follower)
  if (!follower.state.offersWatchList) {
    follower.state = State.listing(follower.state, undefined)
    return NOTHING
  }
  return yield* open(follower, true, { sendInitialEvents: "true", resourceVersionMatch: "NotOlderThan" }).pipe(
    Effect.catchIf(refusesWatchList, () => {
      follower.state = State.withoutWatchList(follower.state)
      return Effect.succeed(NOTHING)
    })
  )
})

const page = Effect.fnUntraced(function* (follower: Follower, continueToken: string | undefined) {
  const { cluster, collection, pages } = follower
  const next = yield* getPage(pages, cluster, collection, { continueToken, accept: follower.accept })
  follower.state = State.answered(follower.state)
  const puts = next.items.map(put)
  if (next.continueToken !== undefined) {
    follower.state = State.listing(follower.state, next.continueToken)
    return puts
  }
  const { resourceVersion } = next
  if (resourceVersion === "") return yield* invalid(follower, "the list has no resource version to watch from")
  follower.state = State.listed(follower.state, resourceVersion)
  return [...puts, synced(resourceVersion)]
})

/**
 * A server that was restored from a backup counts from before: a watch from a version that it has yet to reach stays
 * silent until then, and never tells what happened on the way.
 */
const resume = Effect.fnUntraced(function* (follower: Follower, checked: boolean) {
  const { cluster, collection, pages } = follower
  if (!checked) {
    if (State.isDeaf(follower.state)) return yield* fail(follower, watchEnded)
    if (follower.state.futile > 1) yield* backOff(follower)
  }
  // From here on, as what happens after the newest version is told may not be read yet when the watch is open.
  const askedAt = yield* steadyClock.now
  if (!checked) {
    const newest = yield* getPage(pages, cluster, collection, {
      continueToken: undefined,
      metadataOnly: true,
      limit: ONE
    })
    const { behind, resourceVersion } = follower.state
    const compared = versions.compare(newest.resourceVersion, resourceVersion)
    // Where nothing can be said, a view that may be far behind could not be seen to catch up.
    if ((compared ?? (behind === undefined ? 0 : -1)) < 0) {
      follower.state = State.restarted(follower.state)
      return RESTART
    }
    follower.state = State.checked(follower.state, newest.resourceVersion)
  }
  const { behind, resourceVersion } = follower.state
  // Where nothing happened since, a server has nothing to tell, not even a bookmark.
  const isCaughtUp = State.hasReached(behind, resourceVersion)
  yield* open(follower, false, {
    resourceVersion,
    ...(behind !== undefined && !isCaughtUp && { timeoutSeconds: CATCH_UP_SECONDS })
  })
  if (behind === undefined) return NOTHING
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

/** A server tells its version two seconds before a watch ends: soon, where it has nothing else to tell. */
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
  const { contentType, read } = yield* pages.transport.open(cluster, request).pipe(
    Scope.provide(scope),
    Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause)))
  )
  const form = wireForm.of(contentType, collection.resource)
  const watch = { read, form, lines: form.split(limits.lineBytes), scope, openedAt: yield* steadyClock.now }
  follower.state = State.reading(State.answered(follower.state), watch, initial)
  return NOTHING
})

const close = Effect.fnUntraced(function* (follower: Follower, { openedAt, scope }: OpenWatch) {
  const lived = (yield* steadyClock.now) - openedAt
  follower.state = State.closed(follower.state, lived, follower.limits)
  yield* Scope.close(scope, Exit.void)
})

const backOff = ({ limits, state }: Follower): Effect.Effect<void> =>
  Effect.flatMap(Random.nextBetween(0, State.backoffCeilingMs(state, limits)), (wait) =>
    Effect.sleep(Duration.millis(wait))
  )

/** A watch that broke is resumed once; a watch-list that fell silent before it was whole becomes a list. */
const readOrMend = Effect.fnUntraced(function* (follower: Follower, watch: OpenWatch, initial: boolean) {
  const outcome = yield* Effect.result(read(follower, watch, initial))
  if (Result.isSuccess(outcome)) return outcome.success
  const error = outcome.failure
  if (initial && error.reason._tag === "ClusterTimeout") {
    yield* close(follower, watch)
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

/** Gives for how long a watch may be silent now. */
const patience = ({ limits, state }: Follower, { openedAt }: OpenWatch, initial: boolean): Effect.Effect<number> => {
  if (initial) return Effect.succeed(limits.initialSilenceMs)
  if (state.behind === undefined) return Effect.succeed(limits.silenceMs)
  return Effect.map(steadyClock.now, (now) => Math.max(0, openedAt + limits.catchUpMs - now))
}

const read = Effect.fnUntraced(function* (follower: Follower, watch: OpenWatch, initial: boolean) {
  const piece = yield* watch.read(yield* patience(follower, watch, initial))
  if (Option.isNone(piece)) {
    yield* close(follower, watch)
    // One that ends before its initial state is whole would do so again.
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
  const wasBehind = follower.state.behind !== undefined
  if (error !== undefined) {
    follower.state = State.cutShort(follower.state, taken.success)
    const reason = statusReason(error.status, actionOf(follower), yield* Clock.currentTimeMillis)
    if (reason._tag !== "ClusterExpired" && reason._tag !== "ClusterThrottled") return yield* fail(follower, reason)
    yield* close(follower, watch)
    // A watch that is cut short for want of room has told the truth so far; what goes on from it waits by itself.
    const goesOn = reason._tag === "ClusterThrottled" && !isInitial && !wasBehind
    follower.state = goesOn ? State.ended(follower.state) : State.restarted(follower.state)
    return goesOn ? events : [...events, ...RESTART]
  }
  follower.state = State.received(follower.state, taken.success)
  if (isInitial !== initial) follower.state = State.reading(follower.state, watch, isInitial)
  return wasBehind && follower.state.behind === undefined ? [...events, RESUMED] : events
})

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

/** A proxy that knows JSON alone may not look at what else would do. */
const isNotAcceptable = ({ reason }: ClusterError): boolean =>
  reason._tag === "ClusterAnswerInvalid" && reason.status === 406

/** Whether it was the watch-list or the watch that was refused, the list that follows tells: it fails in its own words. */
const refusesWatchList = ({ reason }: ClusterError): boolean =>
  reason._tag === "ClusterForbids"
  || (reason._tag === "ClusterAnswerInvalid" && (reason.status === 400 || reason.status === 422))

const statusReason = (
  status: unknown,
  action: { verb: string; resource: string },
  nowMs: number
): ClusterError["reason"] => {
  const told = Option.getOrUndefined(decodeStatus(status))
  return fromAnswer({
    isWrite: false,
    status: told?.code ?? 500,
    headers: {},
    // Its message is left out: an event has no credential to mask it by.
    body: JSON.stringify({ kind: "Status", reason: told?.reason ?? "Unknown", details: told?.details }),
    ...action,
    secrets: [],
    nowMs
  })
}
