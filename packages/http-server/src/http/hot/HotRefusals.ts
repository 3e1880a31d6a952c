/**
 * Refuses repeated requests without the normal path: those above a limit, and those with a key that was unknown a moment
 * before.
 *
 * A refusal of the normal path is remembered for a second. The next refusal of the same request has the same record, and
 * counts in limits, audit, metrics and log as on the normal path.
 */
import * as Problem from "@quarterdeck/contract/Problem"
import { Credential } from "@quarterdeck/keys"
import * as AllowFrom from "@quarterdeck/keys/AllowFrom"
import { DateTime, Effect } from "effect"
import type { IncomingMessage, ServerResponse } from "node:http"
import { AuditTrail } from "../audit/AuditTrail.ts"
import { FailedAttempts } from "../guard/FailedAttempts.ts"
import { KeyLimit } from "../guard/KeyLimit.ts"
import { parametersOf } from "../guard/RequestInput.ts"
import * as ReplyHeaders from "../request/ReplyHeaders.ts"
import type * as RequestConnection from "../request/RequestConnection.ts"
import * as RequestId from "../request/RequestId.ts"
import type { RequestRecord } from "../request/RequestRecord.ts"
import type { HitRecorder } from "./HitRecorder.ts"
import * as HotRequest from "./HotRequest.ts"
import type { HotWrites } from "./HotWrites.ts"
import type { Moments } from "./Moment.ts"
import * as RecentFacts from "./RecentFacts.ts"
import { headerList } from "./ReplyCache.ts"
import type { Flight } from "./RequestCoalescing.ts"

export interface HotRefusals {
  /** Remembers the outcome of a request on the normal path, if it is a refusal that may be repeated. */
  readonly remember: (flight: Flight, record: RequestRecord) => void
  /**
   * Refuses a request, if the normal path would refuse it. Returns false, without any effect, if the normal path must
   * decide, or must write the audit event singly.
   */
  readonly refuse: (
    asked: HotRequest.HotRequest,
    request: IncomingMessage,
    response: ServerResponse,
    startedAt: number
  ) => boolean
  /** Removes expired refusals. */
  readonly sweep: () => void
}

/** The parts of the fast path that answer a request. */
interface Parts {
  readonly moments: Moments
  readonly recorder: HitRecorder
  readonly writes: HotWrites
  readonly connections: Effect.Success<typeof RequestConnection.make>
}

const LIFE_MS = 1_000

/** A refusal that will be sent. `count` counts it against the limit of its key or address. */
interface Decided {
  readonly record: RequestRecord
  readonly code: "invalid_key" | "rate_limited"
  readonly count: () => {
    readonly detail: string | undefined
    readonly headers: Readonly<Record<string, string>> | undefined
  }
}

export const make = Effect.fnUntraced(function* ({ connections, moments, recorder, writes }: Parts) {
  const attempts = yield* FailedAttempts
  const keyLimit = yield* KeyLimit
  const trail = yield* AuditTrail
  const services = yield* Effect.context<never>()
  /** Refusals of a key above its limit, and of an unknown key, by the whole request. */
  const ofRequests = RecentFacts.make<RequestRecord>(moments, LIFE_MS)
  /** Refusals of unknown keys above the limit of their address, by the request without its key. */
  const ofGuesses = RecentFacts.make<RequestRecord>(moments, LIFE_MS)

  const decide = (
    asked: HotRequest.HotRequest,
    request: IncomingMessage,
    address: string | undefined,
    now: number
  ): Decided | undefined => {
    const origin = originOf(request)
    const refused = ofRequests.find(asked.key + origin)
    if (refused?.user !== undefined) {
      const { allowFrom, expiresAt, keyId } = refused.user
      const isPermitted = allowFrom === undefined || AllowFrom.permits(allowFrom, address)
      const isValid = expiresAt === undefined || now < DateTime.toEpochMillis(expiresAt)
      if (!isPermitted || !isValid || keyLimit.allowsCached(keyId, now)) return undefined
      const count = () => ({ detail: refused.detail, headers: keyLimit.refuseCached(keyId, now) })
      return { record: refused, code: "rate_limited", count }
    }
    const isAbove = attempts.refuses(address, now)
    const record = isAbove ? ofGuesses.find(HotRequest.keyOfGuess(request) + origin) : refused
    if (record === undefined || !isUnknown(request)) return undefined
    const count = () => {
      const attempt = attempts.spendNow(address, now)
      return { detail: attempt?.refusal ?? record.detail, headers: attempt?.headers }
    }
    return { record, code: isAbove ? "rate_limited" : "invalid_key", count }
  }

  /** Returns true if the request presents a key that is not known to be valid. */
  const isUnknown = ({ headersDistinct }: IncomingMessage): boolean => {
    const credential = Credential.fromAuthorization(headersDistinct["authorization"] ?? [])
    return credential._tag === "Present" && Effect.runSyncWith(services)(attempts.isGuess(credential.key))
  }

  const refuse: HotRefusals["refuse"] = (asked, request, response, startedAt) => {
    if (response.destroyed || (ofRequests.isEmpty() && ofGuesses.isEmpty())) return false
    const now = moments.epochNow()
    const connection = connections.ofNode(request)
    const decided = decide(asked, request, connection.clientAddress, now)
    if (decided === undefined) return false
    const requestId = RequestId.from(asked.requestId)
    const refused: RequestRecord = { ...decided.record, ...connection, requestId }
    const { status } = Problem.catalogue[decided.code]
    if (!Effect.runSyncWith(services)(trail.foldRefusal(refused, "GET", status))) return false

    const { detail = "", headers } = decided.count()
    const record = { ...refused, replyHeaders: { ...headers, ...refused.replyHeaders } }
    const body = JSON.stringify(Problem.make(decided.code, { detail, requestId }))
    response.writeHead(status, [
      ...["content-type", "application/problem+json", "content-length", String(Buffer.byteLength(body))],
      ...SAFE,
      ...headerList(ReplyHeaders.ofRequest(record))
    ])
    writes.end(response, body)
    recorder.add({ by: "refused", record, status, durationMs: moments.epochNow() - startedAt })
    return true
  }

  const remember: HotRefusals["remember"] = ({ asked, moment, request }, record) => {
    const { isAttempt, isDenied, problem, user, via } = record
    if (via !== "rest" || isDenied !== undefined) return
    const isLimited = problem === "rate_limited"
    const refused = { ...record, replyHeaders: withoutLimits(record.replyHeaders) }
    if (isLimited && isAttempt && user === undefined)
      ofGuesses.remember(HotRequest.keyOfGuess(request) + originOf(request), moment, refused)
    // A live list counts as more than one request. Only the normal path counts such lists.
    const isOfKey =
      isLimited && !isAttempt && user !== undefined && parametersOf(asked.url).get("consistency") !== "live"
    if (isOfKey || (problem === "invalid_key" && user === undefined))
      ofRequests.remember(asked.key + originOf(request), moment, refused)
  }

  const refusals: HotRefusals = {
    refuse,
    remember,
    sweep: () => {
      ofRequests.sweep()
      ofGuesses.sweep()
    }
  }
  return refusals
})

const SAFE = headerList(ReplyHeaders.SAFE)

/**
 * Returns the peer, and whether it forwards an address. The normal path warns once of each untrusted peer that forwards
 * addresses, so a refusal holds only for requests like it.
 */
const originOf = ({ headersDistinct, socket }: IncomingMessage): string =>
  ` ${socket.remoteAddress ?? ""} ${headersDistinct["x-forwarded-for"] === undefined ? "" : "forwarded"}`

/** Headers of limits, which each refusal computes. */
const OF_LIMITS: ReadonlySet<string> = new Set(["ratelimit", "ratelimit-policy", "retry-after"])

const withoutLimits = (headers: RequestRecord["replyHeaders"]): RequestRecord["replyHeaders"] =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !OF_LIMITS.has(name)))
