/**
 * Limits how often an address may present keys that are none.
 */
import type * as Problem from "@quarterdeck/contract/Problem"
import * as KeyHash from "@quarterdeck/keys/KeyHash"
import { KnownKeys } from "@quarterdeck/keys"
import type { RawKey } from "@quarterdeck/keys/RawKey"
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
  }
>()("@quarterdeck/http-server/FailedAttempts") {
  static readonly layer = Layer.effect(
    FailedAttempts,
    Effect.gen(function* () {
      const known = yield* KnownKeys.KnownKeys
      const { failedBurst, failedPerSecond } = yield* RateLimits
      const rate = rateOf(failedPerSecond, failedBurst)
      if (rate === undefined) return FailedAttempts.of({ admit: () => Effect.void })
      const buckets = new TokenBuckets(rate, CAPACITY)

      const admit = Effect.fnUntraced(function* (key: RawKey) {
        if (yield* known.isValid(KeyHash.fromRawKey(key))) return
        const record = yield* CurrentRequest
        const address = ClientAddress.counted(record.clientAddress)
        const verdict = buckets.take(address, 1, yield* Clock.currentTimeMillis)
        yield* Metric.update(failures, 1)
        yield* Metric.update(addresses, buckets.size)
        Object.assign(record.replyHeaders, headersOf("failed", rate, verdict))
        if (verdict.isAllowed) return
        yield* Metric.update(limited, 1)
        return yield* refuse("rate_limited", {
          detail: `too many keys that are none from this address: ${rate.perSecond} a second, ${rate.burst} at once`
        })
      })
      return FailedAttempts.of({ admit })
    })
  )
}
