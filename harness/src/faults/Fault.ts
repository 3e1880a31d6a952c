/**
 * What can go wrong between a client and a cluster, as values.
 *
 * A fault is plain data: it can be kept in a table of cases, printed, and sent as JSON. `ClusterFaults.inject` makes it
 * real until a scope closes. What is no fault is refused where it is made: the functions below throw `InvalidFault`.
 */
import { Duration, Effect, Result, Schema } from "effect"
import type { InvalidFault } from "../machine/HarnessError.ts"
import * as FaultCheck from "./FaultCheck.ts"
import { Matcher } from "./Matcher.ts"

const Positive = Schema.Int.check(Schema.isGreaterThanOrEqualTo(1))
const match = Schema.optionalKey(Matcher)

/** Open connections are reset, and new ones as soon as they are accepted. */
export const Cut = Schema.TaggedStruct("Cut", {})

/** Connections stay open and new ones are accepted, but nothing passes. Healed, all that waited passes. */
export const BlackHole = Schema.TaggedStruct("BlackHole", {})

/** The cluster's ends are gone and nobody tells the clients. Healed, clients are reset, as by a machine that is back. */
export const HalfOpen = Schema.TaggedStruct("HalfOpen", {})

/** Every byte comes `ms` later in each direction, and up to `jitterMs` more; order is kept. */
export const Latency = Schema.TaggedStruct("Latency", {
  ms: Schema.Natural,
  jitterMs: Schema.optionalKey(Schema.Natural)
})

/** All connections together pass this many bytes a second in each direction. */
export const Bandwidth = Schema.TaggedStruct("Bandwidth", { bytesPerSecond: Positive })

/** Each connection gets its replies in small pieces; `pieceBytes` defaults to a twentieth of a second's bytes. */
export const SlowDrip = Schema.TaggedStruct("SlowDrip", {
  bytesPerSecond: Positive,
  pieceBytes: Schema.optionalKey(Positive)
})

/** What happens to bytes, whatever they mean. */
export const WireFault = Schema.Union([Cut, BlackHole, HalfOpen, Latency, Bandwidth, SlowDrip])
export type WireFault = typeof WireFault.Type

/** Requests are answered 401 as for a token that nobody knows. */
export const Unauthorized = Schema.TaggedStruct("Unauthorized", { match })

/** Requests are answered 403; `user` is whom the message names when the token does not say. */
export const Forbidden = Schema.TaggedStruct("Forbidden", { match, user: Schema.optionalKey(Schema.String) })

/** Requests are answered 429 with Retry-After (default 1). */
export const TooManyRequests = Schema.TaggedStruct("TooManyRequests", {
  match,
  retryAfterSeconds: Schema.optionalKey(Schema.Natural)
})

/** Requests are answered 500 (default), or as a load balancer or a server in trouble answers. */
export const ServerError = Schema.TaggedStruct("ServerError", {
  match,
  status: Schema.optionalKey(Schema.Literals([500, 502, 503, 504]))
})

const HeaderName = Schema.String.check(
  Schema.isPattern(/^[a-z][0-9a-z_-]*$/),
  // How long a body is, the server that sends it says.
  Schema.makeFilter((name) => name !== "content-length" && name !== "transfer-encoding")
)
const HeaderValue = Schema.String.check(
  Schema.isPattern(/^[\t\x20-\x7e\x80-\xff]*$/, { expected: "a header's value, without line breaks" })
)

/**
 * Requests get exactly this reply, as from a load balancer, a login page or another release in the cluster's place.
 *
 * **Shape** 200 with an empty JSON object unless told otherwise. `headers` are named in lower case; `content-type` is
 * `application/json` unless they have one, and the length is always the body's.
 */
export const FixedReply = Schema.TaggedStruct("FixedReply", {
  match,
  status: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 200, maximum: 599 }))),
  headers: Schema.optionalKey(Schema.Record(HeaderName, HeaderValue)),
  body: Schema.optionalKey(Schema.String)
})

/** A request's connection is reset in place of a reply; the cluster never sees the request. */
export const ResetReply = Schema.TaggedStruct("ResetReply", { match })

/** Watches from a version and `continue` tokens are answered 410; open watches that match are ended first. */
export const ExpiredWatch = Schema.TaggedStruct("ExpiredWatch", { match })

/** Open watches lose their bookmarks, those behind initial events too unless `keepInitialEventsEnd`. */
export const LostBookmarks = Schema.TaggedStruct("LostBookmarks", {
  match,
  keepInitialEventsEnd: Schema.optionalKey(Schema.Boolean)
})

/** Every so often all open watches end, by default properly, as at their timeout. */
export const WatchCutEvery = Schema.TaggedStruct("WatchCutEvery", {
  match,
  everyMs: Positive,
  manner: Schema.optionalKey(Schema.Literals(["end", "reset"]))
})

/** A reply's connection ends after this many bytes of its body (default 64), and always before the last. */
export const TruncatedReply = Schema.TaggedStruct("TruncatedReply", {
  match,
  afterBytes: Schema.optionalKey(Schema.Natural)
})

/** JSON lacks its last brace, of each event in a watch, while HTTP says that all is well. */
export const MalformedJson = Schema.TaggedStruct("MalformedJson", { match })

/** A reply's headers come at once and its body so much later. */
export const SlowReply = Schema.TaggedStruct("SlowReply", { match, bodyAfterMs: Schema.Natural })

/** What happens to requests and replies. */
export const ApiFault = Schema.Union([
  Unauthorized,
  Forbidden,
  TooManyRequests,
  ServerError,
  FixedReply,
  ResetReply,
  ExpiredWatch,
  LostBookmarks,
  WatchCutEvery,
  TruncatedReply,
  MalformedJson,
  SlowReply
])
export type ApiFault = typeof ApiFault.Type

/** The server shows another certificate than it should; open connections are reset at the start. */
export const StaleCertificate = Schema.TaggedStruct("StaleCertificate", {
  problem: Schema.optionalKey(Schema.Literals(["expired", "notYetValid", "wrongHost", "unknownAuthority"]))
})
export type StaleCertificate = typeof StaleCertificate.Type

/** The cluster is killed, and restarted with its data when healed. */
export const Down = Schema.TaggedStruct("Down", {})

/** The cluster is restarted as a new one; what it held stays lost. */
export const LostData = Schema.TaggedStruct("LostData", {})

/** What happens to the cluster itself. */
export const Outage = Schema.Union([Down, LostData])
export type Outage = typeof Outage.Type

/** Every fault; decodes from JSON. */
export const Fault = Schema.Union([WireFault, ApiFault, StaleCertificate, Outage])
export type Fault = typeof Fault.Type

const EXACT = { onExcessProperty: "error" } as const
const decodeFault = Schema.decodeUnknownEffect(Fault, EXACT)
const faultOf = Schema.decodeUnknownResult(Fault, EXACT)

/** By tag, so that a refusal speaks of one fault alone. */
const SCHEMAS: { readonly [tag in Fault["_tag"]]: Schema.Decoder<Fault> } = {
  Cut,
  BlackHole,
  HalfOpen,
  Latency,
  Bandwidth,
  SlowDrip,
  Unauthorized,
  Forbidden,
  TooManyRequests,
  ServerError,
  FixedReply,
  ResetReply,
  ExpiredWatch,
  LostBookmarks,
  WatchCutEvery,
  TruncatedReply,
  MalformedJson,
  SlowReply,
  StaleCertificate,
  Down,
  LostData
}

/** The tag of every fault. */
export const TAGS: ReadonlyArray<Fault["_tag"]> = Fault.members.flatMap((member) =>
  "members" in member
    ? member.members.map((fault) => fault.fields._tag.schema.literal)
    : [member.fields._tag.schema.literal]
)

type Options<A> = Omit<A, "_tag">

/** Refuses what `decode` refuses, where it is written. **Errors** throws `InvalidFault`. */
const checked = <A extends Fault>(fault: A): A => {
  if (Result.isSuccess(faultOf(fault))) return fault
  throw FaultCheck.refusal(SCHEMAS, fault)
}

export const cut: typeof Cut.Type = { _tag: "Cut" }
export const blackHole: typeof BlackHole.Type = { _tag: "BlackHole" }
export const halfOpen: typeof HalfOpen.Type = { _tag: "HalfOpen" }
export const latency = (options: Options<typeof Latency.Type>): typeof Latency.Type =>
  checked({ _tag: "Latency", ...options })
export const bandwidth = (options: Options<typeof Bandwidth.Type>): typeof Bandwidth.Type =>
  checked({ _tag: "Bandwidth", ...options })
export const slowDrip = (options: Options<typeof SlowDrip.Type>): typeof SlowDrip.Type =>
  checked({ _tag: "SlowDrip", ...options })
export const unauthorized = (options: Options<typeof Unauthorized.Type> = {}): typeof Unauthorized.Type =>
  checked({ _tag: "Unauthorized", ...options })
export const forbidden = (options: Options<typeof Forbidden.Type> = {}): typeof Forbidden.Type =>
  checked({ _tag: "Forbidden", ...options })
export const tooManyRequests = (options: Options<typeof TooManyRequests.Type> = {}): typeof TooManyRequests.Type =>
  checked({ _tag: "TooManyRequests", ...options })
export const serverError = (options: Options<typeof ServerError.Type> = {}): typeof ServerError.Type =>
  checked({ _tag: "ServerError", ...options })
export const fixedReply = (options: Options<typeof FixedReply.Type> = {}): typeof FixedReply.Type =>
  checked({ _tag: "FixedReply", ...options })
export const resetReply = (options: Options<typeof ResetReply.Type> = {}): typeof ResetReply.Type =>
  checked({ _tag: "ResetReply", ...options })
export const expiredWatch = (options: Options<typeof ExpiredWatch.Type> = {}): typeof ExpiredWatch.Type =>
  checked({ _tag: "ExpiredWatch", ...options })
export const lostBookmarks = (options: Options<typeof LostBookmarks.Type> = {}): typeof LostBookmarks.Type =>
  checked({ _tag: "LostBookmarks", ...options })
export const watchCutEvery = (
  every: Duration.Input,
  options: Omit<typeof WatchCutEvery.Type, "_tag" | "everyMs"> = {}
): typeof WatchCutEvery.Type => checked({ _tag: "WatchCutEvery", everyMs: Duration.toMillis(every), ...options })
export const truncatedReply = (options: Options<typeof TruncatedReply.Type> = {}): typeof TruncatedReply.Type =>
  checked({ _tag: "TruncatedReply", ...options })
export const malformedJson = (options: Options<typeof MalformedJson.Type> = {}): typeof MalformedJson.Type =>
  checked({ _tag: "MalformedJson", ...options })
export const slowReply = (options: Options<typeof SlowReply.Type>): typeof SlowReply.Type =>
  checked({ _tag: "SlowReply", ...options })
export const staleCertificate = (options: Options<StaleCertificate> = {}): StaleCertificate =>
  checked({ _tag: "StaleCertificate", ...options })
export const down: typeof Down.Type = { _tag: "Down" }
export const lostData: typeof LostData.Type = { _tag: "LostData" }

/**
 * Reads a fault that came from outside, as JSON or as a value.
 *
 * **Errors** `InvalidFault` for an unknown tag, an unknown key, an unknown verb or a number out of its bounds; it names
 * the field and what may stand there.
 */
export const decode = (given: unknown): Effect.Effect<Fault, InvalidFault> =>
  Effect.mapError(decodeFault(given), () => FaultCheck.refusal(SCHEMAS, given))
