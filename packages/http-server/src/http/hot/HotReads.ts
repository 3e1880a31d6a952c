/**
 * Answers lists that were answered a moment ago by the same bytes.
 *
 * An ordinary reply is kept on its way out. Whoever asks for the same in the same words while it holds gets it without the
 * ordinary way: who asks is known by the words, and what may have ended since then is judged again. Another question with the
 * headers of a caller who was let in a moment ago is answered in one step, where that takes no waiting (`HotPages`).
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
import * as RecentCallers from "./RecentCallers.ts"
import * as RequestCoalescing from "./RequestCoalescing.ts"
import * as HotPages from "./HotPages.ts"
import * as ReplyCache from "./ReplyCache.ts"
import * as HotRequest from "./HotRequest.ts"
import * as HitRecorder from "./HitRecorder.ts"
import * as HotWrites from "./HotWrites.ts"
import * as Moment from "./Moment.ts"

/**
 * How old a reply may be, from when its ordinary way began, how much is kept, and how many wait for one way.
 *
 * **Units** milliseconds, bytes, requests.
 */
const HotLimits = Context.Reference("@quarterdeck/http-server/HotLimits", {
  defaultValue: () => ({ maxAgeMs: 20, maxBytes: 32 * 1_024 * 1_024, maxWaiting: 256 })
})

export class HotReads extends Context.Service<
  HotReads,
  {
    /**
     * Puts the hot way before an ordinary one.
     *
     * **Shape** a request of the same words as an earlier one is answered by its reply if that is 20 ms old at most, nothing was
     * told by any cluster since and no key changed, its key has not expired and permits the client's address, labels that its rule needs are proven, and its
     * limit lets it. Else a page is made in one step for a caller who was let in within the last 2 s with the same path and
     * headers, if nothing has to be waited for or refused. Everything else takes the ordinary way; requests of the same words
     * that come while one is on it wait for it, as long as its reply could be given to them.
     */
    readonly before: (ordinary: RequestListener) => RequestListener
    /** Keeps the reply of an ordinary way, if it began by `before` and its like may be answered by it. */
    readonly keep: (source: object, record: RequestRecord) => Effect.Effect<void>
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
  const keyLimit = yield* KeyLimit
  const services = yield* Effect.context<never>()
  const moments = yield* Moment.make(limits.maxAgeMs)
  const flights = yield* RequestCoalescing.make(moments, limits)
  const recorder = yield* HitRecorder.make
  const replies = new ReplyCache.ReplyCache<ReplyCache.StoredReply>(limits.maxBytes)
  const answer = yield* makeAnswer(moments, recorder)
  const callers = RecentCallers.make(moments)
  const pages = yield* HotPages.make
  // Whoever exports spans wants to see what each request spends its time on: there each goes the ordinary way.
  const isTraced = (yield* References.TracerEnabled) && (yield* Tracer.Tracer) !== Tracer.nativeTracer
  let isOpen = !isTraced

  const before =
    (ordinary: RequestListener): RequestListener =>
    (request, response) => {
      const startedAt = moments.epochNow()
      const asked = isOpen ? HotRequest.read(request) : undefined
      const goOrdinary = () => {
        // What is asked for may be what was told: metrics, audit, the last use of a key.
        recorder.flush()
        ordinary(request, response)
      }
      if (asked === undefined) return goOrdinary()
      const isAnswered = () => {
        const reply = isOpen ? replies.find(asked.key) : undefined
        return reply !== undefined && answer(reply, asked, request, response, { by: "again", startedAt })
      }
      if (isAnswered()) return
      const proceed = () => {
        if (isAnswered()) return
        goOrdinary()
        // Who left while waiting did so before the ordinary way could hear of it.
        if (response.destroyed) response.emit("close")
      }
      if (flights.join(asked, proceed)) return
      const made = makeNow(asked, request)
      if (made !== undefined && answer(made, asked, request, response, { by: "made", startedAt })) {
        replies.set(asked.key, made)
        return
      }
      flights.begin(asked, request)
      goOrdinary()
    }

  /** Makes the reply to a caller of a moment ago, if that takes one step and its key may ask. */
  const makeNow = (asked: HotRequest.HotRequest, request: IncomingMessage): ReplyCache.StoredReply | undefined => {
    const caller = callers.find(asked)
    if (caller === undefined || !keyLimit.allowsCached(caller.user.keyId, moments.epochNow())) return undefined
    const made = Result.try(() => {
      const page = pages.make(asked, request, caller)
      // Nothing changes within one step, however long it takes.
      return page && ReplyCache.fromList(moments.now(), page.record, caller.user, page.list, [])
    })
    if (Result.isSuccess(made)) return made.success
    // The ordinary way keeps the defect to the clusters that have it.
    Effect.runForkWith(services)(Effect.logError("a page was not made in one step", Cause.die(made.failure)))
    return undefined
  }

  const keep = Effect.fnUntraced(function* (source: object, record: RequestRecord) {
    const flight = flights.take(source)
    if (flight === undefined) return
    const caller = ReplyCache.callerOf(record)
    if (isOpen && caller !== undefined) callers.remember(flight.asked, flight.moment, caller)
    const reply = moments.isPresent(flight.moment) ? yield* ReplyCache.fromFlight(cache, flight, record) : undefined
    if (isOpen && reply !== undefined) replies.set(flight.asked.key, reply)
    flights.end(flight)
  })

  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      isOpen = false
      replies.clear()
    })
  )
  const sweep = Effect.sync(() => {
    const oldest = moments.steadyNow() - limits.maxAgeMs
    replies.dropBefore(oldest)
    callers.sweep()
    flights.dropBefore(oldest)
  })
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep("1 second"), sweep)))
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep("1 minute"), Effect.sync(pages.forget))))
  return HotReads.of({ before, keep })
})

/** Makes what answers a request by a reply that is kept. **Shape** gives whether it did; if not, nothing was done. */
const makeAnswer = Effect.fnUntraced(function* (moments: Moment.Moments, recorder: HitRecorder.HitRecorder) {
  const limit = yield* KeyLimit
  const connections = yield* RequestConnection.make
  const writes = HotWrites.make()

  /** Judges again what may have ended since a reply was made. */
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
