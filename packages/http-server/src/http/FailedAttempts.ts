/**
 * Limits how often an address may present keys that are none.
 */
import type * as Problem from "@quarterdeck/contract/Problem"
import * as KeyHash from "@quarterdeck/keys/KeyHash"
import { KnownKeys } from "@quarterdeck/keys"
import type { RawKey } from "@quarterdeck/keys/RawKey"
import * as SessionId from "@quarterdeck/keys/SessionId"
import { Clock, Context, Effect, Layer, Metric } from "effect"
import * as ClientAddress from "../limits/ClientAddress.ts"
import { CAPACITY, headersOf, RateLimits, rateOf } from "../limits/RateLimits.ts"
import { TokenBuckets } from "../limits/TokenBuckets.ts"
import { refuse } from "./Refusal.ts"
import { CurrentRequest } from "./RequestRecord.ts"

const failures = Metric.counter("quarterdeck_failed_authentications_total", {
  description: "Presented keys that were none, those over the limit of their address included",
  incremental: true
})
const limited = Metric.withAttributes(
  Metric.counter("quarterdeck_rate_limited_total", {
    description: "Requests refused with 429, by the limit that they were over",
    incremental: true
  }),
  { limit: "failed" }
)
const addresses = Metric.gauge("quarterdeck_rate_limit_addresses", {
  description: "Addresses of failed authentications that are remembered"
})

export class FailedAttempts extends Context.Service<
  FailedAttempts,
  {
    /**
     * Counts a presented key against the address of the current request, unless it is a valid one.
     *
     * **Shape** a valid key is never counted and never refused, however many others fail from its address.
     *
     * **Errors** the problem `rate_limited`.
     *
     * **Limits** no I/O: over the limit the store is not asked.
     */
    readonly admit: (key: RawKey) => Effect.Effect<void, Problem.Problem>
    /**
     * Counts what can only be judged by asking somebody else, such as a sign-in at a provider. **Errors** `rate_limited`.
     */
    readonly spend: Effect.Effect<void, Problem.Problem>
    /**
     * Counts the id of a session against the address, unless it was found valid before, and remembers it when it is.
     *
     * **Errors** the problem `rate_limited`, and those of `judge`.
     */
    readonly admitSession: <A, R>(
      id: SessionId.SessionId,
      judge: Effect.Effect<A, Problem.Problem, R>
    ) => Effect.Effect<A, Problem.Problem, R>
  }
>()("@quarterdeck/http-server/FailedAttempts") {
  static readonly layer = Layer.effect(
    FailedAttempts,
    Effect.gen(function* () {
      const known = yield* KnownKeys.KnownKeys
      const { failedBurst, failedPerSecond } = yield* RateLimits
      const rate = rateOf(failedPerSecond, failedBurst)
      if (rate === undefined) {
        return FailedAttempts.of({ admit: () => Effect.void, spend: Effect.void, admitSession: (_, judge) => judge })
      }
      const buckets = new TokenBuckets(rate, CAPACITY)

      const spend = Effect.gen(function* () {
        const record = yield* CurrentRequest
        const address = ClientAddress.counted(record.clientAddress)
        const verdict = buckets.take(address, 1, yield* Clock.currentTimeMillis)
        yield* Metric.update(failures, 1)
        yield* Metric.update(addresses, buckets.size)
        Object.assign(record.replyHeaders, headersOf("failed", rate, verdict))
        if (verdict.isAllowed) return
        yield* Metric.update(limited, 1)
        return yield* refuse("rate_limited", {
          detail: `too many credentials that are none from this address: ${rate.perSecond} a second, ${rate.burst} at once`
        })
      })

      const admit = Effect.fnUntraced(function* (key: RawKey) {
        if (!(yield* known.isValid(KeyHash.fromRawKey(key)))) yield* spend
      })

      const live = new Set<SessionId.SessionHash>()
      const admitSession = <A, R>(id: SessionId.SessionId, judge: Effect.Effect<A, Problem.Problem, R>) => {
        const hash = SessionId.hashOf(id)
        return (live.has(hash) ? Effect.void : spend).pipe(
          Effect.andThen(judge),
          Effect.tap(() =>
            Effect.sync(() => {
              const [oldest] = live
              if (live.size >= CAPACITY && oldest !== undefined) live.delete(oldest)
              live.add(hash)
            })
          ),
          Effect.tapError(() => Effect.sync(() => live.delete(hash)))
        )
      }
      return FailedAttempts.of({ admit, spend, admitSession })
    })
  )
}
