/**
 * Answers lists that were answered a moment ago by the same bytes.
 *
 * An ordinary reply is kept on its way out. Whoever asks for the same in the same words while it holds gets it without the
 * ordinary way: who asks is known by the words, and what may have ended since then is judged again.
 */
import { type ClusterStore, DataEpoch } from "@quarterdeck/cluster-fanout"
import { ClusterCache } from "@quarterdeck/cluster-fanout/ClusterCache"
import { KeyEpoch } from "@quarterdeck/keys"
import type { Principal } from "@quarterdeck/keys/Principal"
import * as Rule from "@quarterdeck/keys/Rule"
import * as NamespaceFilter from "@quarterdeck/targeting/NamespaceFilter"
import { Clock, Context, DateTime, Effect, Layer, References, Tracer } from "effect"
import { Headers, type HttpBody } from "effect/http"
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http"
import * as EntityTag from "../EntityTag.ts"
import { KeyLimit } from "../KeyLimit.ts"
import * as ReplyHeaders from "../ReplyHeaders.ts"
import * as RequestConnection from "../RequestConnection.ts"
import * as RequestId from "../RequestId.ts"
import { parametersOf } from "../RequestInput.ts"
import type { RequestRecord } from "../RequestRecord.ts"
import { HotReplies } from "./HotReplies.ts"
import * as HotRequest from "./HotRequest.ts"
import * as HotTelling from "./HotTelling.ts"

/** How old a reply may be, from when its ordinary way began, and how much is kept. **Units** milliseconds, bytes. */
export const HotLimits = Context.Reference("@quarterdeck/http-server/HotLimits", {
  defaultValue: () => ({ maxAgeMs: 20, maxBytes: 32 * 1_024 * 1_024, maxWaiting: 256 })
})

/** What was true when an ordinary way began. **Units** milliseconds by `steadyClock`. */
interface Moment {
  readonly madeAt: number
  readonly data: number
  readonly keys: number
}

/** An ordinary way that may lead to a reply that is kept, and who waits for it. */
interface Flight extends Moment {
  readonly key: string
  readonly url: string
  readonly waiting: Array<() => void>
}

interface HotReply extends Moment {
  readonly bytes: number
  readonly body: string | Uint8Array
  readonly encoding: BufferEncoding
  readonly etag: string
  /** Names and values in turn, of the whole reply and of that which says that nothing changed. */
  readonly headers: ReadonlyArray<string>
  readonly unchangedHeaders: ReadonlyArray<string>
  readonly record: RequestRecord
  readonly keyId: string
  /** **Units** milliseconds since the epoch. */
  readonly expiresAt: number
  /** Those whose proof of labels the caller's rights depend on. */
  readonly proving: ReadonlyArray<ClusterStore.ClusterStore>
}

export class HotReads extends Context.Service<
  HotReads,
  {
    /**
     * Puts the hot way before an ordinary one.
     *
     * **Shape** a request of the same words as an earlier one is answered by its reply if that is 20 ms old at most, nothing was
     * told by any cluster since and no key changed, its key has not expired, labels that its rule needs are proven, and its
     * limit lets it. Everything else takes the ordinary way; requests of the same words that come while one is on it wait for
     * it, as long as its reply could be given to them.
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

const NANOS = 1_000_000n

const make = Effect.gen(function* () {
  const cache = yield* ClusterCache
  const clock = yield* Clock.Clock
  const data = yield* DataEpoch.CurrentDataEpoch
  const keys = yield* KeyEpoch.CurrentKeyEpoch
  const limit = yield* KeyLimit
  const limits = yield* HotLimits
  const connections = yield* RequestConnection.make
  const telling = yield* HotTelling.make
  const services = yield* Effect.context<never>()
  // Whoever exports spans wants to see what each request spends its time on: there each goes the ordinary way.
  const isTraced = (yield* References.TracerEnabled) && (yield* Tracer.Tracer) !== Tracer.nativeTracer

  const replies = new HotReplies<HotReply>(limits.maxBytes)
  const flights = new Map<string, Flight>()
  const flightOf = new WeakMap<object, Flight>()
  let isOpen = !isTraced
  const steadyNow = () => Number(clock.monotonicTimeNanosUnsafe() / NANOS)

  /** Tells whether what was true at a moment is true now. */
  const isPresent = (moment: Moment) =>
    moment.data === data.number && moment.keys === keys.number && steadyNow() - moment.madeAt <= limits.maxAgeMs

  /** Judges again what may have ended since a reply was made. */
  const holds = (reply: HotReply, now: number) =>
    isPresent(reply) && now < reply.expiresAt && (reply.proving.length === 0 || areProven(reply.proving, steadyNow()))

  /** Answers from what is kept. **Shape** gives whether it did; if not, nothing was done. */
  const serve = (asked: HotRequest.HotRequest, request: IncomingMessage, response: ServerResponse): boolean => {
    const reply = isOpen && !response.destroyed ? replies.find(asked.key) : undefined
    if (reply === undefined) return false
    const now = clock.currentTimeMillisUnsafe()
    if (!holds(reply, now)) return false
    const replyHeaders = limit.spendCached(reply.keyId, now)
    if (replyHeaders === undefined) return false

    const requestId = RequestId.from(asked.requestId)
    const record: RequestRecord = { ...reply.record, ...connections.ofNode(request), requestId, replyHeaders }
    const isUnchanged = EntityTag.isKnown(asked.ifNoneMatch, reply.etag)
    const status = isUnchanged ? 304 : 200
    const own = listOf(ReplyHeaders.ofRequest(record))
    response.writeHead(status, [...(isUnchanged ? reply.unchangedHeaders : reply.headers), ...own])
    if (isUnchanged) response.end()
    else response.end(reply.body, reply.encoding)
    telling.add({ record, status, durationMs: clock.currentTimeMillisUnsafe() - now })
    return true
  }

  /** Has a request wait for the like of it that is under way. **Shape** gives whether it does. */
  const join = (asked: HotRequest.HotRequest, begin: () => void): boolean => {
    const flight = flights.get(asked.key)
    if (!isOpen || flight === undefined || !isPresent(flight) || flight.waiting.length >= limits.maxWaiting)
      return false
    if (flight.waiting.length === 0) {
      const release = Effect.andThen(
        Effect.sleep(limits.maxAgeMs),
        Effect.sync(() => land(flight))
      )
      Effect.runForkWith(services)(release)
    }
    flight.waiting.push(begin)
    return true
  }

  const land = (flight: Flight): void => {
    if (flights.get(flight.key) === flight) flights.delete(flight.key)
    for (const begin of flight.waiting.splice(0)) begin()
  }

  const before =
    (ordinary: RequestListener): RequestListener =>
    (request, response) => {
      const asked = isOpen ? HotRequest.read(request) : undefined
      const goOrdinary = () => {
        // What is asked for may be what was told: metrics, audit, the last use of a key.
        telling.flush()
        ordinary(request, response)
      }
      if (asked === undefined) return goOrdinary()
      if (serve(asked, request, response)) return
      const isJoined = join(asked, () => {
        if (!serve(asked, request, response)) goOrdinary()
      })
      if (isJoined) return
      const { key, url } = asked
      const flight: Flight = { key, url, madeAt: steadyNow(), data: data.number, keys: keys.number, waiting: [] }
      flights.set(key, flight)
      flightOf.set(request, flight)
      goOrdinary()
    }

  const keep = Effect.fnUntraced(function* (source: object, record: RequestRecord) {
    const flight = flightOf.get(source)
    if (flight === undefined) return
    flightOf.delete(source)
    if (isOpen && isPresent(flight)) {
      const proving = yield* provingOf(cache, record)
      const reply = proving === undefined ? undefined : replyOf(flight, record, proving)
      if (reply !== undefined) replies.set(flight.key, reply)
    }
    if (flight.waiting.length > 0) setImmediate(land, flight)
    else land(flight)
  })

  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      isOpen = false
      replies.clear()
    })
  )
  const sweep = Effect.sync(() => replies.dropBefore(steadyNow() - limits.maxAgeMs))
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep("1 second"), sweep)))
  return HotReads.of({ before, keep })
})

/**
 * Finds the clusters whose proof of labels the caller's rights depend on; `undefined` where one of them is not followed or
 * proves none, so that what was not shown for want of proof is not kept.
 */
const provingOf = Effect.fnUntraced(function* (cache: ClusterCache["Service"], { target, user }: RequestRecord) {
  if (user === undefined || !NamespaceFilter.needsLabels(Rule.namespaceFilter(user.rule))) return []
  const members = new Map((yield* cache.members).map(({ store }) => [store.cluster.name as string, store]))
  const stores = target.clusters.flatMap((name) => members.get(name) ?? [])
  return stores.length === target.clusters.length ? stores : undefined
})

const areProven = (stores: ReadonlyArray<ClusterStore.ClusterStore>, now: number): boolean =>
  stores.every((store) => store.provesLabels(now))

/** Makes what is kept of a reply; `undefined` of one that its like may not be answered by. */
const replyOf = (
  { data, keys, madeAt, url }: Flight,
  record: RequestRecord,
  proving: ReadonlyArray<ClusterStore.ClusterStore>
): HotReply | undefined => {
  const { actor, audited, isAttempt, isDenied, list, problem, user, via } = record
  if (list === undefined || user === undefined || actor.kind !== "key" || via !== "rest") return undefined
  if (audited?.verb !== "read" || problem !== undefined || isDenied !== undefined || isAttempt) return undefined
  if (parametersOf(url).get("consistency") === "live" || !areProven(proving, madeAt)) return undefined
  const { body } = list
  const { etag } = list.headers
  if (list.status !== 200 || body._tag !== "Uint8Array" || etag === undefined) return undefined
  const ofEvery = ReplyHeaders.add(list, ReplyHeaders.SAFE).headers
  return {
    data,
    keys,
    madeAt,
    proving,
    etag,
    ...writtenOf(body),
    headers: listOf(ofEvery),
    unchangedHeaders: listOf(Headers.removeMany(ofEvery, ["content-length", "content-type"])),
    record: { ...record, list: undefined, replyHeaders: {} },
    keyId: user.keyId,
    expiresAt: endOf(user)
  }
}

/** So long is a text that Node copies it behind the head, for one write of both. **Units** bytes. */
const MAX_TEXT_BYTES = 8_192

/** Chooses the form that Node writes fastest: short texts with their head, and as bytes of one character where they are. */
const writtenOf = ({ body, contentLength: bytes, text }: HttpBody.Uint8Array) => {
  if (text === undefined || bytes > MAX_TEXT_BYTES) return { bytes, body, encoding: "utf8" as const }
  return { bytes, body: text, encoding: text.length === bytes ? ("latin1" as const) : ("utf8" as const) }
}

const endOf = ({ expiresAt }: Principal["Service"]): number =>
  expiresAt === undefined ? Number.POSITIVE_INFINITY : DateTime.toEpochMillis(expiresAt)

const listOf = (headers: Readonly<Record<string, string>>): ReadonlyArray<string> => Object.entries(headers).flat()
