/**
 * Replies that are kept to be given again, within a bound of bytes.
 */
import type { ClusterStore } from "@quarterdeck/cluster-fanout"
import type { ClusterCache } from "@quarterdeck/cluster-fanout/ClusterCache"
import type { Principal } from "@quarterdeck/keys/Principal"
import * as Rule from "@quarterdeck/keys/Rule"
import * as NamespaceFilter from "@quarterdeck/targeting/NamespaceFilter"
import { DateTime, Effect } from "effect"
import { Headers, type HttpBody, type HttpServerResponse } from "effect/http"
import * as ReplyHeaders from "../request/ReplyHeaders.ts"
import { parametersOf } from "../guard/RequestInput.ts"
import type { RequestRecord } from "../request/RequestRecord.ts"
import type { RecentCaller } from "./RecentCallers.ts"
import type { Flight } from "./RequestCoalescing.ts"
import type { Moment } from "./Moment.ts"

/** What is kept of a reply. **Units** `bytes` is what it takes, `madeAt` milliseconds by `steadyClock`. */
interface Kept {
  readonly bytes: number
  readonly madeAt: number
}

/** What a reply takes beside its body. */
const OVERHEAD_BYTES = 2_048

/** Replies that are kept for a moment, within a bound of bytes. */
export class ReplyCache<Reply extends Kept> {
  readonly #maxBytes: number
  /** The oldest first. */
  readonly #replies = new Map<string, Reply>()
  #bytes = 0

  /** Keeps at most `maxBytes` of replies; one of more than a quarter of that is not kept. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  get bytes(): number {
    return this.#bytes
  }

  find(key: string): Reply | undefined {
    return this.#replies.get(key)
  }

  /** Keeps a reply in place of the key's earlier one; the oldest make room. */
  set(key: string, reply: Reply): void {
    this.#drop(key)
    const bytes = reply.bytes + OVERHEAD_BYTES
    if (bytes > this.#maxBytes / 4) return
    for (const oldest of this.#replies.keys()) {
      if (this.#bytes + bytes <= this.#maxBytes) break
      this.#drop(oldest)
    }
    this.#replies.set(key, reply)
    this.#bytes += bytes
  }

  /** Drops what was made before a moment. */
  dropBefore(madeAt: number): void {
    for (const [key, reply] of this.#replies) {
      if (reply.madeAt >= madeAt) return
      this.#drop(key)
    }
  }

  clear(): void {
    this.#replies.clear()
    this.#bytes = 0
  }

  #drop(key: string): void {
    const reply = this.#replies.get(key)
    if (reply === undefined) return
    this.#replies.delete(key)
    this.#bytes -= reply.bytes + OVERHEAD_BYTES
  }
}

type Stores = ReadonlyArray<ClusterStore.ClusterStore>

/** A reply that may be given again, and what must be judged before it is. */
export interface StoredReply {
  readonly moment: Moment
  readonly madeAt: number
  readonly bytes: number
  readonly body: string | Uint8Array
  readonly encoding: BufferEncoding
  readonly etag: string
  /** Names and values in turn, of the whole reply and of that which says that nothing changed. */
  readonly headers: ReadonlyArray<string>
  readonly unchangedHeaders: ReadonlyArray<string>
  /** What audit and log tell of each such request. */
  readonly record: RequestRecord
  readonly keyId: string
  /** The client addresses that the key may be used from; requests of one reply come from several. */
  readonly allowFrom: Principal["Service"]["allowFrom"]
  /** When the key expires, in milliseconds since the epoch. */
  readonly expiresAt: number
  /** Those whose proof of labels the caller's rights depend on. */
  readonly proving: Stores
}

/**
 * Makes what is kept of the reply that an ordinary way ended with; `undefined` of one that its like may not be answered by.
 *
 * **Shape** what is not known to be harmless is not kept: only a list that was given to a key, read from the cache, of a route
 * that the audit calls a read; and nothing whose labels were not proven while it was made.
 */
export const fromFlight = Effect.fnUntraced(function* (
  cache: ClusterCache["Service"],
  flight: Flight,
  record: RequestRecord
) {
  const { moment } = flight
  const { list, user } = record
  if (list === undefined || user === undefined || !isOfKey(record)) return undefined
  if (parametersOf(flight.asked.url).get("consistency") === "live") return undefined
  const proving = yield* provingOf(cache, user, record)
  if (proving === undefined || !areProven(proving, moment.madeAt)) return undefined
  return fromList(moment, record, user, list, proving)
})

/** Makes what is kept of a list, if it is whole. */
export const fromList = (
  moment: Moment,
  record: RequestRecord,
  user: Principal["Service"],
  list: HttpServerResponse.HttpServerResponse,
  proving: Stores
): StoredReply | undefined => {
  const { body } = list
  const { etag } = list.headers
  if (list.status !== 200 || body._tag !== "Uint8Array" || etag === undefined) return undefined
  const headers = ReplyHeaders.add(list, ReplyHeaders.SAFE).headers
  return {
    moment,
    madeAt: moment.madeAt,
    ...writtenOf(body),
    etag,
    headers: headerList(headers),
    unchangedHeaders: headerList(Headers.removeMany(headers, ["content-length", "content-type"])),
    record: { ...record, list: undefined, replyHeaders: {} },
    keyId: user.keyId,
    allowFrom: user.allowFrom,
    expiresAt: user.expiresAt === undefined ? Number.POSITIVE_INFINITY : DateTime.toEpochMillis(user.expiresAt),
    proving
  }
}

/** Gives who sent a request whose reply its like may be answered by; undefined of every other request. */
export const callerOf = (record: RequestRecord): RecentCaller | undefined => {
  const { list, user } = record
  if (list?.status !== 200 || user === undefined || !isOfKey(record)) return undefined
  return { user, record: { ...record, list: undefined, replyHeaders: {}, target: { asked: "", clusters: [] } } }
}

/** Tells whether the labels of all these clusters are proven. **Units** `now` milliseconds by `steadyClock`. */
export const areProven = (stores: Stores, now: number): boolean => stores.every((store) => store.provesLabels(now))

/** Writes headers as Node takes them soonest: names and values in turn. */
export const headerList = (headers: Readonly<Record<string, string>>): ReadonlyArray<string> => {
  const list: Array<string> = []
  for (const name in headers) list.push(name, headers[name] ?? "")
  return list
}

const isOfKey = ({ actor, audited, isAttempt, isDenied, problem, via }: RequestRecord): boolean =>
  actor.kind === "key"
  && via === "rest"
  && audited?.verb === "read"
  && problem === undefined
  && isDenied === undefined
  && !isAttempt

/** Finds the clusters whose proof the caller's rights depend on; `undefined` where one of them is not followed. */
const provingOf = Effect.fnUntraced(function* (
  cache: ClusterCache["Service"],
  { rule }: Principal["Service"],
  { target }: RequestRecord
) {
  if (!NamespaceFilter.needsLabels(Rule.namespaceFilter(rule))) return []
  const members = new Map<string, ClusterStore.ClusterStore>(
    (yield* cache.members).map(({ store }) => [store.cluster.name, store])
  )
  const stores = target.clusters.flatMap((name) => members.get(name) ?? [])
  return stores.length === target.clusters.length ? stores : undefined
})

/** So long is a text that Node copies it behind the head, for one write of both. **Units** bytes. */
const MAX_TEXT_BYTES = 8_192

/** Chooses the form that Node writes soonest: a short text with its head, of one byte a character where it is. */
const writtenOf = ({ body, contentLength: bytes, text }: HttpBody.Uint8Array) => {
  if (text === undefined || bytes > MAX_TEXT_BYTES) return { bytes, body, encoding: "utf8" as const }
  return { bytes, body: text, encoding: text.length === bytes ? ("latin1" as const) : ("utf8" as const) }
}
