/**
 * Fast path for repeated list requests.
 *
 * The reply to a request that was sent before is cached for a moment. An identical request, credential included, is answered
 * from the cache after a check that key, data and limits still allow it. A different query with the headers of a recently authenticated
 * caller is answered synchronously if all data is cached (`HotPages`).
 */
import { ClusterCache } from "@quarterdeck/cluster-fanout/ClusterCache"
import * as AllowFrom from "@quarterdeck/keys/AllowFrom"
import { Cause, Context, Effect, Layer, References, Result, Tracer } from "effect"
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http"
import * as EntityTag from "../request/EntityTag.ts"
import { KeyLimit } from "../guard/KeyLimit.ts"
import * as ReplyHeaders from "../request/ReplyHeaders.ts"
import * as RequestConnection from "../request/RequestConnection.ts"
import * as RequestId from "../request/RequestId.ts"
import type { RequestRecord } from "../request/RequestRecord.ts"
import * as HotRefusals from "./HotRefusals.ts"
import * as RecentFacts from "./RecentFacts.ts"
import * as RequestCoalescing from "./RequestCoalescing.ts"
import * as HotPages from "./HotPages.ts"
import * as ReplyCache from "./ReplyCache.ts"
import * as HotRequest from "./HotRequest.ts"
import * as HitRecorder from "./HitRecorder.ts"
import * as HotWrites from "./HotWrites.ts"
import * as Moment from "./Moment.ts"

/**
 * Maximum age of a cached reply, counted from the start of its request; size of the cache; requests that may wait for one
 * identical request; remembered requests.
 *
 * **Units** milliseconds, bytes, requests.
 */
const HotLimits = Context.Reference("@quarterdeck/http-server/HotLimits", {
  defaultValue: () => ({ maxAgeMs: 20, maxBytes: 32 * 1_024 * 1_024, maxWaiting: 256, maxRecent: 4_096 })
})

/** Time for which a caller is known by its headers. **Units** milliseconds. */
const CALLER_MS = 2_000

export class HotReads extends Context.Service<
  HotReads,
  {
    /**
     * Puts the fast path before the normal one.
     *
     * **Shape** an identical request gets the cached reply under these conditions: the reply is at most 20 ms old; no cluster
     * reported a change and no key changed since; the key has not expired, permits the client address and is within its rate
     * limit. If the key's rule selects namespaces by label, the labels must still be current enough to decide access.
     *
     * A request that was refused within the last second is refused again without the normal path, if its key or address is
     * still above its limit, or its key is still unknown.
     *
     * Otherwise a page is made synchronously, if no step would wait or refuse. The same path and headers must have been
     * authenticated within the last 2 s. All other requests take the normal path. Identical requests wait for the one in flight
     * while its reply could still be used for them.
     */
    readonly before: (ordinary: RequestListener) => RequestListener
    /**
     * Caches the reply of the normal path, if the request came through `before`, was sent before, and its reply may be
     * reused.
     */
    readonly keep: (source: object, record: RequestRecord) => void
  }
>()("@quarterdeck/http-server/HotReads") {
  static readonly layer = Layer.effect(
    HotReads,
    Effect.suspend(() => make)
  )
}

const make = Effect.gen(function* () {
  const cache = yield* ClusterCache
  const limits = yield* HotLimits
  const services = yield* Effect.context<never>()
  const moments = yield* Moment.make(limits.maxAgeMs)
  const flights = yield* RequestCoalescing.make(moments, limits)
  const recorder = yield* HitRecorder.make
  const recent = new ReplyCache.RecentRequests(limits.maxRecent)
  const members = () => Effect.runSyncWith(services)(cache.members)
  const replies = new ReplyCache.ReplyCache<ReplyCache.StoredReply>(limits.maxBytes)
  const connections = yield* RequestConnection.make
  const writes = HotWrites.make()
  const parts = { connections, moments, recorder, writes }
  const answer = yield* makeAnswer(parts)
  const refusals = yield* HotRefusals.make(parts)
  const pages = yield* makePages(moments, members)
  // With tracing every request takes the normal path, so that its spans show where it spends its time.
  const isTraced = (yield* References.TracerEnabled) && (yield* Tracer.Tracer) !== Tracer.nativeTracer
  let isOpen = !isTraced

  const before =
    (ordinary: RequestListener): RequestListener =>
    (request, response) => {
      const startedAt = moments.epochNow()
      const asked = isOpen ? HotRequest.read(request) : undefined
      const goOrdinary = () => {
        // The request may read what the batch writes: metrics, audit, the last use of a key.
        recorder.flush()
        ordinary(request, response)
      }
      if (asked === undefined) return goOrdinary()
      const isAnswered = () => {
        const reply = isOpen ? replies.find(asked.key) : undefined
        if (reply !== undefined && answer(reply, asked, request, response, { by: "again", startedAt })) return true
        return isOpen && refusals.refuse(asked, request, response, startedAt)
      }
      if (isAnswered()) return
      const proceed = () => {
        if (isAnswered()) return
        goOrdinary()
        // If the client disconnected while the request waited, the normal path has missed the `close` event.
        if (response.destroyed) response.emit("close")
      }
      const isRepeated = recent.add(asked.key)
      if (flights.join(asked, proceed)) return
      const made = pages.makeNow(asked, request)
      if (made !== undefined && answer(made, asked, request, response, { by: "made", startedAt })) {
        if (isRepeated) replies.set(asked.key, made)
        return
      }
      flights.begin({ ...asked, isRepeated }, request)
      goOrdinary()
    }

  const keep = (source: object, record: RequestRecord): void => {
    const flight = flights.take(source)
    if (flight === undefined) return
    if (isOpen) {
      pages.remember(flight, record)
      refusals.remember(flight, record)
    }
    const isWanted = isOpen && (flight.asked.isRepeated || flight.waiting.length > 0)
    const reply =
      isWanted && moments.isPresent(flight.moment) ? ReplyCache.fromFlight(members, flight, record) : undefined
    if (reply !== undefined) replies.set(flight.asked.key, reply)
    flights.end(flight)
  }

  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      isOpen = false
      replies.clear()
    })
  )
  const sweep = Effect.sync(() => {
    const oldest = moments.steadyNow() - limits.maxAgeMs
    replies.dropBefore(oldest)
    recent.age()
    pages.sweep()
    refusals.sweep()
    flights.dropBefore(oldest)
  })
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep("1 second"), sweep)))
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep("1 minute"), Effect.sync(pages.forget))))
  return HotReads.of({ before, keep })
})

/** Makes replies synchronously for recently authenticated callers. */
const makePages = Effect.fnUntraced(function* (moments: Moment.Moments, members: ReplyCache.Members) {
  const keyLimit = yield* KeyLimit
  const services = yield* Effect.context<never>()
  const callers = RecentFacts.make<ReplyCache.RecentCaller>(moments, CALLER_MS)
  const pages = yield* HotPages.make

  /** Makes the reply of a request whose caller is known and within the rate limit of its key, if possible. */
  const makeNow = (asked: HotRequest.HotRequest, request: IncomingMessage): ReplyCache.StoredReply | undefined => {
    const caller = callers.find(asked.callerKey)
    if (caller === undefined || !keyLimit.allowsCached(caller.user.keyId, moments.epochNow())) return undefined
    const made = Result.try(() => {
      const page = pages.make(asked, request, caller)
      // Data and keys cannot change during synchronous code, so a moment taken after the page was made is correct.
      const proving = page && ReplyCache.provingOf(members, caller.user, page.record)
      return proving && ReplyCache.fromList(moments.now(), page.record, caller.user, page.list, proving)
    })
    if (Result.isSuccess(made)) return made.success
    // The normal path isolates the defect to the clusters that cause it.
    Effect.runForkWith(services)(Effect.logError("the fast path failed to make a page", Cause.die(made.failure)))
    return undefined
  }

  /** Remembers the caller of a request on the normal path, if a reply to it may be reused. */
  const remember = ({ asked, moment }: RequestCoalescing.Flight, record: RequestRecord): void => {
    const caller = ReplyCache.callerOf(record)
    if (caller !== undefined) callers.remember(asked.callerKey, moment, caller)
  }
  return { makeNow, remember, sweep: callers.sweep, forget: pages.forget }
})

/** Makes the function that sends a cached reply. It returns false, without any effect, if the reply may not be used. */
const makeAnswer = Effect.fnUntraced(function* ({
  connections,
  moments,
  recorder,
  writes
}: Parameters<typeof HotRefusals.make>[0]) {
  const limit = yield* KeyLimit

  /** Returns true if data and keys are unchanged, the key has not expired, and the namespace labels are still current. */
  const holds = ({ expiresAt, moment, proving }: ReplyCache.StoredReply, now: number): boolean =>
    moments.isPresent(moment)
    && now < expiresAt
    && (proving.length === 0 || ReplyCache.areProven(proving, moments.steadyNow()))

  return (
    reply: ReplyCache.StoredReply,
    asked: HotRequest.HotRequest,
    request: IncomingMessage,
    response: ServerResponse,
    { by, startedAt }: { readonly by: HitRecorder.Answered["by"]; readonly startedAt: number }
  ): boolean => {
    const now = moments.epochNow()
    if (response.destroyed || !holds(reply, now)) return false
    const connection = connections.ofNode(request)
    if (reply.allowFrom !== undefined && !AllowFrom.permits(reply.allowFrom, connection.clientAddress)) return false
    const replyHeaders = limit.spendCached(reply.keyId, now)
    if (replyHeaders === undefined) return false

    const requestId = RequestId.from(asked.requestId)
    const record: RequestRecord = { ...reply.record, ...connection, requestId, replyHeaders }
    const isUnchanged = EntityTag.isKnown(asked.ifNoneMatch, reply.etag)
    const status = isUnchanged ? 304 : 200
    const ofReply = isUnchanged ? reply.unchangedHeaders : reply.headers
    response.writeHead(status, [...ofReply, ...ReplyCache.headerList(ReplyHeaders.ofRequest(record))])
    if (isUnchanged) writes.end(response)
    else writes.end(response, reply.body, reply.encoding)
    recorder.add({ by, record, status, durationMs: moments.epochNow() - startedAt })
    return true
  }
})
