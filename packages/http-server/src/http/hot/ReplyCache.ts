/**
 * Cache of replies, bounded by bytes.
 */
import type { ClusterStore } from "@quarterdeck/cluster-fanout"
import type { Member } from "@quarterdeck/cluster-fanout/ClusterCache"
import type { Principal } from "@quarterdeck/keys/Principal"
import * as Rule from "@quarterdeck/keys/Rule"
import * as NamespaceFilter from "@quarterdeck/targeting/NamespaceFilter"
import { DateTime } from "effect"
import { Headers, type HttpBody, type HttpServerResponse } from "effect/http"
import * as ReplyHeaders from "../request/ReplyHeaders.ts"
import { parametersOf } from "../guard/RequestInput.ts"
import type { RequestRecord } from "../request/RequestRecord.ts"
import type { Flight } from "./RequestCoalescing.ts"
import type { Moment } from "./Moment.ts"

/** A cached reply. **Units** `bytes` of the body; `madeAt` in milliseconds of the monotonic clock. */
interface Kept {
  readonly bytes: number
  readonly madeAt: number
}

/** Estimated memory of a reply in addition to its body. */
const OVERHEAD_BYTES = 2_048

export class ReplyCache<Reply extends Kept> {
  readonly #maxBytes: number
  /** In the order of insertion, oldest first. */
  readonly #replies = new Map<string, Reply>()
  #bytes = 0

  /** Caches at most `maxBytes`. A reply larger than a quarter of `maxBytes` is not cached. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  get bytes(): number {
    return this.#bytes
  }

  find(key: string): Reply | undefined {
    return this.#replies.get(key)
  }

  /** Caches a reply, replaces the key's earlier one, and evicts the oldest replies to make room. */
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

  /** Removes replies that were made before a time. */
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

/** The cache keys of recent requests, to cache only replies that are requested again. */
export class RecentRequests {
  readonly #most: number
  #young = new Set<string>()
  #old = new Set<string>()

  /** Holds at most twice `most` keys. The oldest keys are forgotten first. */
  constructor(most: number) {
    this.#most = most
  }

  /** Adds a key. Returns true if it was added before. */
  add(key: string): boolean {
    if (this.#young.has(key)) return true
    const isKnown = this.#old.has(key)
    if (this.#young.size >= this.#most) this.age()
    this.#young.add(key)
    return isKnown
  }

  /** Ages the keys. A key is forgotten when it has aged twice since it was last added. */
  age(): void {
    this.#old = this.#young
    this.#young = new Set()
  }
}

type Stores = ReadonlyArray<ClusterStore.ClusterStore>

/** Returns the clusters in the cache. */
export type Members = () => ReadonlyArray<Pick<Member, "store">>

/** A reply that may be sent again, and the facts to check before each reuse. */
export interface StoredReply {
  readonly moment: Moment
  readonly madeAt: number
  readonly bytes: number
  readonly body: string | Uint8Array
  readonly encoding: BufferEncoding
  readonly etag: string
  /** Alternating names and values, of the 200 reply and of the 304 reply. */
  readonly headers: ReadonlyArray<string>
  readonly unchangedHeaders: ReadonlyArray<string>
  /** The record for audit and log of each request that gets the reply. */
  readonly record: RequestRecord
  readonly keyId: string
  /** The client addresses that the key permits. Identical requests may come from different addresses. */
  readonly allowFrom: Principal["Service"]["allowFrom"]
  /** Expiry of the key. **Units** milliseconds since the epoch. */
  readonly expiresAt: number
  /** Clusters whose namespace labels decide the caller's access. */
  readonly proving: Stores
}

/**
 * Makes the cache entry of a reply of the normal path; `undefined` if the reply may not be reused.
 *
 * **Shape** only a list that was read from the cache for a key is reusable. The audit must classify its route as a read.
 * If the rule selects namespaces by label, the labels must have been current when the reply was made.
 */
export const fromFlight = (members: Members, flight: Flight, record: RequestRecord): StoredReply | undefined => {
  const { moment } = flight
  const { list, user } = record
  if (list === undefined || user === undefined || !isOfKey(record)) return undefined
  if (parametersOf(flight.asked.url).get("consistency") === "live") return undefined
  const proving = provingOf(members, user, record)
  if (proving === undefined || !areProven(proving, moment.madeAt)) return undefined
  return fromList(moment, record, user, list, proving)
}

/** Makes the cache entry of a list, if its status is 200 and it has an entity tag. */
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

/** A caller whose request was answered, and the record of that request. */
export interface RecentCaller {
  readonly user: Principal["Service"]
  readonly record: RequestRecord
}

/** Returns the caller of a request with a reusable reply; undefined for any other request. */
export const callerOf = (record: RequestRecord): RecentCaller | undefined => {
  const { list, user } = record
  if (list?.status !== 200 || user === undefined || !isOfKey(record)) return undefined
  return { user, record: { ...record, list: undefined, replyHeaders: {}, target: { asked: "", clusters: [] } } }
}

/** Returns true if the namespace labels of all clusters are current. **Units** `now` in milliseconds, monotonic. */
export const areProven = (stores: Stores, now: number): boolean => stores.every((store) => store.provesLabels(now))

/** Returns headers as alternating names and values, the fastest form for Node. */
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

/** Finds the clusters whose namespace labels decide the caller's access; `undefined` if one of them is not cached. */
export const provingOf = (
  members: Members,
  { rule }: Principal["Service"],
  { target }: RequestRecord
): Stores | undefined => {
  if (!NamespaceFilter.needsLabels(Rule.namespaceFilter(rule))) return []
  const byName = new Map<string, ClusterStore.ClusterStore>(members().map(({ store }) => [store.cluster.name, store]))
  const stores = target.clusters.flatMap((name) => byName.get(name) ?? [])
  return stores.length === target.clusters.length ? stores : undefined
}

/** Longest body that is sent as a string, which Node writes together with the head. **Units** bytes. */
const MAX_TEXT_BYTES = 8_192

/** Chooses the body form that Node writes fastest: a string if short, as Latin-1 if each character is one byte. */
const writtenOf = ({ body, contentLength: bytes, text }: HttpBody.Uint8Array) => {
  if (text === undefined || bytes > MAX_TEXT_BYTES) return { bytes, body, encoding: "utf8" as const }
  return { bytes, body: text, encoding: text.length === bytes ? ("latin1" as const) : ("utf8" as const) }
}
