/** Follows one collection of one cluster: an initial state, then what happens to it. */
import { Clock, Duration, Effect, Exit, Option, Random, Result, Scope, Stream } from "effect"
import type { Cluster } from "../registry/Cluster.ts"
import { ClusterAnswerInvalid, ClusterError } from "./ClusterError.ts"
import type { KubeObject, Scope as Collection, WatchEvent } from "./KubeObject.ts"
import type { OpenAnswer } from "./Transport.ts"
import { decodeStatus, fromAnswer } from "./AnswerProblem.ts"
import * as jsonLines from "./JsonLines.ts"
import { parseJson, toEvent } from "./KubeObjectJson.ts"
import { getPage, type Pages } from "./ListPages.ts"
import * as kubePath from "./KubePath.ts"
import * as versions from "./ResourceVersion.ts"
import * as steadyClock from "./SteadyClock.ts"

/** **Units** milliseconds, bytes, seconds. */
export interface FollowLimits {
  /** A stream without any byte for so long is dead: bookmarks come every minute. */
  readonly silenceMs: number
  /** A watch-list that says nothing for so long before its initial state is whole will not say more. */
  readonly initialSilenceMs: number
  readonly lineBytes: number
  /** The server is asked to end a watch after a random time between these, so that watches do not end together. */
  readonly minWatchSeconds: number
  readonly maxWatchSeconds: number
  /** Waits that a throttling server asks for are kept up to this long and this often in a row; others fail. */
  readonly maxThrottleMs: number
  readonly maxThrottles: number
  /** A connection that told something or lived so long is no reason to wait before the next. */
  readonly usefulMs: number
  readonly firstBackoffMs: number
  readonly maxBackoffMs: number
}

export interface Followed {
  readonly pages: Pages
  readonly cluster: Cluster
  readonly collection: Collection
  readonly watchList: boolean
  readonly limits: FollowLimits
}

type Phase =
  | { readonly _tag: "Begin" }
  | { readonly _tag: "Page"; readonly continueToken: string | undefined }
  /** `checked`: the version to resume from is known to be the server's own. */
  | { readonly _tag: "Resume"; readonly checked: boolean }
  | { readonly _tag: "Read"; readonly initial: boolean; readonly watch: OpenWatch }

interface OpenWatch {
  readonly read: OpenAnswer["read"]
  readonly lines: jsonLines.JsonLines
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
  Stream.fromEffect(makeStep(followed)).pipe(
    Stream.flatMap((step) => Stream.fromEffectRepeat(step)),
    Stream.filter((events) => events.length > 0),
    Stream.scoped
  )

const makeStep = Effect.fnUntraced(function* ({ cluster, collection, limits, pages, watchList }: Followed) {
  const scope = yield* Effect.scope
  const action = { verb: "watch", resource: kubePath.words(collection) }
  const fail = (reason: ClusterError["reason"]) => new ClusterError({ cluster: cluster.name, reason })
  const invalid = (problem: string) => fail(new ClusterAnswerInvalid({ problem }))

  let phase: Phase = { _tag: "Begin" }
  let resourceVersion = ""
  let offersWatchList = watchList
  let futile = 0
  let throttles = 0
  let isMended = false

  const open = Effect.fnUntraced(function* (initial: boolean, query: Readonly<Record<string, string>>) {
    const own = yield* Scope.fork(scope)
    const timeoutSeconds = String(yield* Random.nextIntBetween(limits.minWatchSeconds, limits.maxWatchSeconds))
    const path = kubePath.collection(collection, { watch: "1", allowWatchBookmarks: "true", timeoutSeconds, ...query })
    const answer = yield* pages.transport.open(cluster, { method: "GET", path, action }).pipe(
      Scope.provide(own),
      Effect.onError((cause) => Scope.close(own, Exit.failCause(cause)))
    )
    throttles = 0
    const lines = jsonLines.make(limits.lineBytes)
    phase = {
      _tag: "Read",
      initial,
      watch: { read: answer.read, lines, scope: own, openedAt: yield* steadyClock.now }
    }
    return NOTHING
  })

  const close = Effect.fnUntraced(function* ({ openedAt, scope: own }: OpenWatch) {
    const lived = (yield* steadyClock.now) - openedAt
    futile = lived >= limits.usefulMs ? 0 : futile + 1
    yield* Scope.close(own, Exit.void)
  })

  const backOff = Effect.suspend(() => {
    const ceiling = Math.min(limits.maxBackoffMs, limits.firstBackoffMs * 2 ** Math.min(futile, 16))
    return Effect.flatMap(Random.nextBetween(0, ceiling), (wait) => Effect.sleep(Duration.millis(wait)))
  })

  const restart = (events: ReadonlyArray<WatchEvent> = NOTHING): ReadonlyArray<WatchEvent> => {
    phase = { _tag: "Begin" }
    futile = Math.max(futile, 1)
    return [...events, { _tag: "Restart" }]
  }

  const begin = Effect.gen(function* () {
    if (futile > 0) yield* backOff
    if (!offersWatchList) {
      phase = { _tag: "Page", continueToken: undefined }
      return NOTHING
    }
    return yield* open(true, { sendInitialEvents: "true", resourceVersionMatch: "NotOlderThan" }).pipe(
      Effect.catchIf(refusesWatchList, () => {
        offersWatchList = false
        return Effect.succeed(NOTHING)
      })
    )
  })

  const page = Effect.fnUntraced(function* (continueToken: string | undefined) {
    const next = yield* getPage(pages, cluster, collection, { continueToken })
    throttles = 0
    const puts = next.items.map(put)
    if (next.continueToken !== undefined) {
      phase = { _tag: "Page", continueToken: next.continueToken }
      return puts
    }
    if (next.resourceVersion === "") return yield* invalid("the list has no resource version to watch from")
    resourceVersion = next.resourceVersion
    phase = { _tag: "Resume", checked: true }
    return [...puts, synced(resourceVersion)]
  })

  /**
   * A server that was restored from a backup counts from before: a watch from a version that it has yet to reach stays
   * silent until then, and never tells what happened on the way.
   */
  const resume = Effect.fnUntraced(function* (checked: boolean) {
    if (futile > 1) yield* backOff
    if (!checked) {
      const newest = yield* getPage(pages, cluster, collection, {
        continueToken: undefined,
        metadataOnly: true,
        limit: "1"
      })
      if ((versions.compare(newest.resourceVersion, resourceVersion) ?? 0) < 0) return restart()
      phase = { _tag: "Resume", checked: true }
    }
    return yield* open(false, { resourceVersion })
  })

  const read = Effect.fnUntraced(function* (watch: OpenWatch, initial: boolean) {
    const piece = yield* watch.read(initial ? limits.initialSilenceMs : limits.silenceMs)
    if (Option.isNone(piece)) {
      yield* close(watch)
      if (initial) return restart()
      phase = { _tag: "Resume", checked: false }
      return NOTHING
    }
    const lines = watch.lines.push(piece.value)
    if (Result.isFailure(lines)) return yield* invalid(lines.failure)
    const events: Array<WatchEvent> = []
    let isInitial = initial
    for (const line of lines.success) {
      const decoded = Result.flatMap(parseJson(line), toEvent)
      if (Result.isFailure(decoded)) return yield* invalid(decoded.failure)
      const event = decoded.success
      if (event === undefined) continue
      if (event.type === "ERROR") {
        const reason = statusReason(event.status, action, yield* Clock.currentTimeMillis)
        if (reason._tag !== "ClusterExpired") return yield* fail(reason)
        yield* close(watch)
        return restart(events)
      }
      if (event.type === "BOOKMARK") {
        resourceVersion = event.resourceVersion
        if (!isInitial) events.push({ _tag: "Bookmark", resourceVersion })
        else if (event.endsInitial) events.push(synced(resourceVersion))
        if (event.endsInitial) isInitial = false
        continue
      }
      resourceVersion = event.object.metadata.resourceVersion
      events.push(event.type === "DELETED" ? { _tag: "Delete", object: event.object } : put(event.object))
    }
    if (events.length > 0 && !isInitial) {
      futile = 0
      isMended = false
    }
    if (isInitial !== initial) phase = { _tag: "Read", initial: isInitial, watch }
    return events
  })

  /** A watch that broke is resumed once; a watch-list that fell silent before it was whole becomes a list. */
  const readOrMend = Effect.fnUntraced(function* (watch: OpenWatch, initial: boolean) {
    const outcome = yield* Effect.result(read(watch, initial))
    if (Result.isSuccess(outcome)) return outcome.success
    const error = outcome.failure
    if (initial && error.reason._tag === "ClusterTimeout") {
      yield* close(watch)
      offersWatchList = false
      return restart()
    }
    if (initial || isMended || error.reason._tag !== "ClusterUnreachable") return yield* error
    yield* close(watch)
    isMended = true
    phase = { _tag: "Resume", checked: false }
    return NOTHING
  })

  const advance = Effect.suspend((): Effect.Effect<ReadonlyArray<WatchEvent>, ClusterError> => {
    switch (phase._tag) {
      case "Begin":
        return begin
      case "Page":
        return page(phase.continueToken)
      case "Resume":
        return resume(phase.checked)
      case "Read":
        return readOrMend(phase.watch, phase.initial)
    }
  })

  return advance.pipe(
    Effect.catchReason("ClusterError", "ClusterExpired", () =>
      Effect.sync(() => {
        futile++
        return restart()
      })
    ),
    Effect.catchReason("ClusterError", "ClusterThrottled", (reason) => {
      const wait = reason.retryAfterMs ?? limits.firstBackoffMs
      if (wait > limits.maxThrottleMs || ++throttles > limits.maxThrottles) return Effect.fail(fail(reason))
      return Effect.as(Effect.sleep(Duration.millis(wait)), NOTHING)
    })
  )
})

const NOTHING: ReadonlyArray<WatchEvent> = []
const put = (object: KubeObject): WatchEvent => ({ _tag: "Put", object })
const synced = (resourceVersion: string): WatchEvent => ({ _tag: "Synced", resourceVersion })

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
    status: told?.code ?? 500,
    headers: {},
    // Its message is left out: an event has no credential to mask it by.
    body: JSON.stringify({ kind: "Status", reason: told?.reason ?? "Unknown", details: told?.details }),
    ...action,
    secrets: [],
    nowMs
  })
}
