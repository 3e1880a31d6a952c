/**
 * Faults between a client and a cluster, as values.
 *
 * A fault is plain data: it can be stored in a table of test cases, printed, and sent as JSON. `ClusterFaults.inject`
 * injects it until a scope closes. The functions below throw `InvalidFault` for invalid options.
 */
import { Duration, Effect, Result, Schema } from "effect"
import type { InvalidFault } from "../machine/HarnessError.ts"
import * as FaultCheck from "./FaultCheck.ts"
import { Matcher } from "./Matcher.ts"

const Positive = Schema.Int.check(Schema.isGreaterThanOrEqualTo(1))
const match = Schema.optionalKey(Matcher)

/** Resets open connections, and new ones as soon as they are accepted. */
export const Cut = Schema.TaggedStruct("Cut", {})

/** Keeps connections open and accepts new ones, but passes no data. Healing delivers the stalled data. */
export const BlackHole = Schema.TaggedStruct("BlackHole", {})

/**
 * Drops the cluster's side of each connection without closing the client's side. Healing resets the clients'
 * connections, as after a restart of the machine.
 */
export const HalfOpen = Schema.TaggedStruct("HalfOpen", {})

/** Delays every byte by `ms` in each direction, plus up to `jitterMs` at random. Keeps the order. */
export const Latency = Schema.TaggedStruct("Latency", {
  ms: Schema.Natural,
  jitterMs: Schema.optionalKey(Schema.Natural)
})

/** Limits all connections together to this many bytes per second in each direction. */
export const Bandwidth = Schema.TaggedStruct("Bandwidth", { bytesPerSecond: Positive })

/** Sends each connection's replies in small pieces. `pieceBytes` defaults to the bytes of a twentieth of a second. */
export const SlowDrip = Schema.TaggedStruct("SlowDrip", {
  bytesPerSecond: Positive,
  pieceBytes: Schema.optionalKey(Positive)
})

/** Faults that act on bytes, regardless of their meaning. */
export const WireFault = Schema.Union([Cut, BlackHole, HalfOpen, Latency, Bandwidth, SlowDrip])
export type WireFault = typeof WireFault.Type

/** Answers requests with 401, as for an unknown token. */
export const Unauthorized = Schema.TaggedStruct("Unauthorized", { match })

/** Answers requests with 403. `user` is the name in the message if the token identifies no user. */
export const Forbidden = Schema.TaggedStruct("Forbidden", { match, user: Schema.optionalKey(Schema.String) })

/** Answers requests with 429 and Retry-After (default 1 second). */
export const TooManyRequests = Schema.TaggedStruct("TooManyRequests", {
  match,
  retryAfterSeconds: Schema.optionalKey(Schema.Natural)
})

/** Answers requests with 500 (default), or with the reply of a failing load balancer or server. */
export const ServerError = Schema.TaggedStruct("ServerError", {
  match,
  status: Schema.optionalKey(Schema.Literals([500, 502, 503, 504]))
})

const HeaderName = Schema.String.check(
  Schema.isPattern(/^[a-z][0-9a-z_-]*$/),
  // The server sets the body length itself.
  Schema.makeFilter((name) => name !== "content-length" && name !== "transfer-encoding")
)
const HeaderValue = Schema.String.check(
  Schema.isPattern(/^[\t\x20-\x7e\x80-\xff]*$/, { expected: "a header value without line breaks" })
)

/**
 * Answers requests with exactly this reply. It can imitate a load balancer, a login page or another Kubernetes release.
 *
 * **Shape** the default is 200 with an empty JSON object. Names in `headers` are lower case. `content-type` defaults to
 * `application/json`, and the content length is always that of the body.
 */
export const FixedReply = Schema.TaggedStruct("FixedReply", {
  match,
  status: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 200, maximum: 599 }))),
  headers: Schema.optionalKey(Schema.Record(HeaderName, HeaderValue)),
  body: Schema.optionalKey(Schema.String)
})

/** Resets the connection of a request instead of replying. The request does not reach the cluster. */
export const ResetReply = Schema.TaggedStruct("ResetReply", { match })

/**
 * Answers with 410 (Expired) if a watch starts from a resource version or a list has a `continue` token. Open watches
 * that match are ended first.
 */
export const ExpiredWatch = Schema.TaggedStruct("ExpiredWatch", { match })

/**
 * Drops the bookmarks of watches. Also drops the bookmark that ends the initial events, unless `keepInitialEventsEnd`.
 * Open watches that match are ended first.
 */
export const LostBookmarks = Schema.TaggedStruct("LostBookmarks", {
  match,
  keepInitialEventsEnd: Schema.optionalKey(Schema.Boolean)
})

/** Ends all open watches periodically: with a normal end of the response (default), or with a connection reset. */
export const WatchCutEvery = Schema.TaggedStruct("WatchCutEvery", {
  match,
  everyMs: Positive,
  manner: Schema.optionalKey(Schema.Literals(["end", "reset"]))
})

/** Closes the connection of a reply after this many bytes of its body (default 64), always before the last byte. */
export const TruncatedReply = Schema.TaggedStruct("TruncatedReply", {
  match,
  afterBytes: Schema.optionalKey(Schema.Natural)
})

/** Removes the last brace of a JSON reply, or of each event in a watch. The HTTP status and framing stay valid. */
export const MalformedJson = Schema.TaggedStruct("MalformedJson", { match })

/** Delays the body of a reply after its headers. */
export const SlowReply = Schema.TaggedStruct("SlowReply", { match, bodyAfterMs: Schema.Natural })

/** Faults that act on requests and replies. */
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

/** Presents an invalid server certificate. Open connections are reset at the start. */
export const StaleCertificate = Schema.TaggedStruct("StaleCertificate", {
  problem: Schema.optionalKey(Schema.Literals(["expired", "notYetValid", "wrongHost", "unknownAuthority"]))
})
export type StaleCertificate = typeof StaleCertificate.Type

/** Kills the cluster. Healing restarts it with its data. */
export const Down = Schema.TaggedStruct("Down", {})

/** Restarts the cluster empty. Healing does not restore its data. */
export const LostData = Schema.TaggedStruct("LostData", {})

/** Faults of the cluster itself. */
export const Outage = Schema.Union([Down, LostData])
export type Outage = typeof Outage.Type

/** Every fault. Decodes from JSON. */
export const Fault = Schema.Union([WireFault, ApiFault, StaleCertificate, Outage])
export type Fault = typeof Fault.Type

const EXACT = { onExcessProperty: "error" } as const
const decodeFault = Schema.decodeUnknownEffect(Fault, EXACT)
const faultOf = Schema.decodeUnknownResult(Fault, EXACT)

/** Schemas by tag, so that an error message concerns one fault only. */
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

/** The tags of all faults. */
export const TAGS: ReadonlyArray<Fault["_tag"]> = Fault.members.flatMap((member) =>
  "members" in member
    ? member.members.map((fault) => fault.fields._tag.schema.literal)
    : [member.fields._tag.schema.literal]
)

type Options<A> = Omit<A, "_tag">

/**
 * Returns the fault if it is valid. **Errors** throws `InvalidFault`, so that the stack trace shows where the fault was
 * written.
 */
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
 * Decodes a fault from JSON or from a value.
 *
 * **Errors** `InvalidFault` for an unknown tag, an unknown key, an unknown verb or a number out of range. It names the
 * field and the allowed values.
 */
export const decode = (input: unknown): Effect.Effect<Fault, InvalidFault> =>
  Effect.mapError(decodeFault(input), () => FaultCheck.refusal(SCHEMAS, input))
