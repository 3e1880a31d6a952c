/**
 * Limits the failed authentication attempts of each client address.
 */
import type * as Problem from "@quarterdeck/contract/Problem"
import * as KeyHash from "@quarterdeck/keys/KeyHash"
import { KnownKeys } from "@quarterdeck/keys"
import type { RawKey } from "@quarterdeck/keys/RawKey"
import type * as SessionId from "@quarterdeck/keys/SessionId"
import { Sessions } from "@quarterdeck/keys/Sessions"
import { Clock, Context, Effect, Layer, Metric } from "effect"
import * as ClientAddress from "../../limits/ClientAddress.ts"
import { CAPACITY, headersOf, RateLimits, rateOf } from "../../limits/RateLimits.ts"
import { TokenBuckets } from "../../limits/TokenBuckets.ts"
import { refuse } from "../refusal/Refusal.ts"
import * as RequestRecord from "../request/RequestRecord.ts"

const failures = Metric.counter("quarterdeck_failed_authentications_total", {
  description: "Failed authentication attempts, including those refused by the limit of their address",
  incremental: true
})
const limited = Metric.withAttributes(
  Metric.counter("quarterdeck_rate_limited_total", {
    description: "Requests refused with 429, by the limit that they exceeded",
    incremental: true
  }),
  { limit: "failed" }
)
const addresses = Metric.gauge("quarterdeck_rate_limit_addresses", {
  description: "Client addresses whose failed authentication attempts are currently counted"
})

/** A counted attempt. **Shape** `refusal` is the detail of the problem of an attempt above the limit. */
interface Attempt {
  readonly headers: Readonly<Record<string, string>>
  readonly refusal: string | undefined
}

/** Headers of the reply to a counted attempt; undefined for a request that is not counted. */
type ReplyHeaders = Readonly<Record<string, string>> | undefined
const UNCOUNTED: Effect.Effect<ReplyHeaders> = Effect.succeed(undefined)

export class FailedAttempts extends Context.Service<
  FailedAttempts,
  {
    /**
     * Counts an invalid key against the client address of the current request. Returns the rate-limit headers of the reply.
     *
     * **Shape** a valid key is neither counted nor refused, even if its address is above the limit.
     *
     * **Errors** the problem `rate_limited`.
     *
     * **Limits** no I/O. An attempt above the limit is refused before the key store is read.
     */
    readonly admit: (key: RawKey) => Effect.Effect<ReplyHeaders, Problem.Problem>
    /**
     * Counts an attempt whose outcome another system decides, such as a sign-in at an identity provider. **Errors**
     * `rate_limited`.
     */
    readonly spend: Effect.Effect<ReplyHeaders, Problem.Problem>
    /** Counts a session id against the client address, unless `Sessions.mayBeOpen` is true. **Errors** `rate_limited`. */
    readonly admitSession: (id: SessionId.SessionId) => Effect.Effect<ReplyHeaders, Problem.Problem>
    /** Counts an attempt of an address as `spend` does. Undefined if the limit is disabled. */
    readonly spendNow: (clientAddress: string | undefined, nowMs: number) => Attempt | undefined
    /** Returns true if a key is not known to be valid. `admit` counts such a key. */
    readonly isGuess: (key: RawKey) => Effect.Effect<boolean>
    /** Returns true if `spendNow` would refuse an attempt of an address now. */
    readonly refuses: (clientAddress: string | undefined, nowMs: number) => boolean
  }
>()("@quarterdeck/http-server/FailedAttempts") {
  static readonly layer = Layer.effect(
    FailedAttempts,
    Effect.gen(function* () {
      const known = yield* KnownKeys.KnownKeys
      const sessions = yield* Sessions
      const { failedBurst, failedPerSecond } = yield* RateLimits
      const rate = rateOf(failedPerSecond, failedBurst)
      const isGuess = (key: RawKey) => Effect.map(known.isValid(KeyHash.fromRawKey(key)), (isValid) => !isValid)
      if (rate === undefined) {
        return FailedAttempts.of({
          admit: () => UNCOUNTED,
          spend: UNCOUNTED,
          admitSession: () => UNCOUNTED,
          isGuess,
          spendNow: () => undefined,
          refuses: () => false
        })
      }
      const buckets = new TokenBuckets(rate, CAPACITY)
      // Starts the counters at 0, so that rate queries see the first increment.
      yield* Metric.update(failures, 0)
      yield* Metric.update(limited, 0)

      const services = yield* Effect.context<never>()
      const spendNow = (clientAddress: string | undefined, nowMs: number): Attempt => {
        const verdict = buckets.take(ClientAddress.counted(clientAddress), 1, nowMs)
        failures.updateUnsafe(1, services)
        addresses.updateUnsafe(buckets.size, services)
        const headers = headersOf("failed", rate, verdict)
        if (verdict.isAllowed) return { headers, refusal: undefined }
        limited.updateUnsafe(1, services)
        const seconds = headers["retry-after"] ?? "1"
        return {
          headers,
          refusal: `too many failed authentication attempts from this address; retry in ${seconds} s`
        }
      }
      const spend = Effect.gen(function* () {
        const { clientAddress } = yield* RequestRecord.CurrentRequest
        const { headers, refusal } = spendNow(clientAddress, yield* Clock.currentTimeMillis)
        return refusal === undefined ? headers : yield* refuse("rate_limited", { detail: refusal }, headers)
      })
      const refuses = (clientAddress: string | undefined, nowMs: number) =>
        buckets.refuses(ClientAddress.counted(clientAddress), 1, nowMs)

      const admit = Effect.fnUntraced(function* (key: RawKey) {
        return yield* (yield* isGuess(key)) ? spend : UNCOUNTED
      })

      const admitSession = (id: SessionId.SessionId) =>
        Effect.suspend(() => (sessions.mayBeOpen(id) ? UNCOUNTED : spend))
      return FailedAttempts.of({ admit, spend, admitSession, isGuess, spendNow, refuses })
    })
  )
}
