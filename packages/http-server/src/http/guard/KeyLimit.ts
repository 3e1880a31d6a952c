/**
 * Limits the request rate of each key.
 */
import type * as Problem from "@quarterdeck/contract/Problem"
import type { Principal } from "@quarterdeck/keys/Principal"
import { Clock, Context, Effect, Layer, Metric, Result } from "effect"
import { CAPACITY, headersOf, RateLimits, rateOf } from "../../limits/RateLimits.ts"
import { TokenBuckets } from "../../limits/TokenBuckets.ts"
import { refuse } from "../refusal/Refusal.ts"
import type { ResolvedRequest } from "./ResolvedRequest.ts"

const limited = Metric.withAttributes(
  Metric.counter("quarterdeck_rate_limited_total", {
    description: "Requests refused with 429, by the limit that they exceeded",
    incremental: true
  }),
  { limit: "key" }
)

/** Rate-limit headers of a reply; empty if the limit is disabled. */
type ReplyHeaders = Readonly<Record<string, string>>

const NONE: ReplyHeaders = {}

export class KeyLimit extends Context.Service<
  KeyLimit,
  {
    /**
     * Counts a request against its key. Returns the rate-limit headers of the reply.
     *
     * **Shape** a request costs 1. A live read or a bulk change costs the number of clusters that it addresses, at most
     * half of the burst.
     *
     * **Errors** the problem `rate_limited`.
     */
    readonly spend: (
      principal: Principal["Service"],
      resolved?: ResolvedRequest
    ) => Effect.Effect<ReplyHeaders, Problem.Problem>
    /**
     * Counts the clusters that a request's body names, less the 1 that `spend` has already counted. Returns the headers like
     * `spend`.
     *
     * **Errors** the problem `rate_limited`.
     */
    readonly spendClusters: (
      principal: Principal["Service"],
      clusters: number
    ) => Effect.Effect<ReplyHeaders, Problem.Problem>
    /**
     * Counts a cached read of a key. Returns the headers like `spend`. If the key is above its limit, nothing is counted and
     * the result is `undefined`.
     */
    readonly spendCached: (keyId: string, nowMs: number) => ReplyHeaders | undefined
    /** Returns true if `spendCached` would count a cached read of a key now. */
    readonly allowsCached: (keyId: string, nowMs: number) => boolean
    /** Counts the refusal of a cached read that `allowsCached` does not allow. Returns the headers like `spend`. */
    readonly refuseCached: (keyId: string, nowMs: number) => ReplyHeaders
  }
>()("@quarterdeck/http-server/KeyLimit") {
  static readonly layer = Layer.effect(
    KeyLimit,
    Effect.gen(function* () {
      const { keyBurst, keyPerSecond } = yield* RateLimits
      const rate = rateOf(keyPerSecond, keyBurst)
      if (rate === undefined) {
        return KeyLimit.of({
          spend: () => Effect.succeed(NONE),
          spendClusters: () => Effect.succeed(NONE),
          spendCached: () => NONE,
          allowsCached: () => true,
          refuseCached: () => NONE
        })
      }
      const buckets = new TokenBuckets(rate, CAPACITY)
      const services = yield* Effect.context<never>()
      const most = Math.max(1, Math.floor(rate.burst / 2))

      const take = Effect.fnUntraced(function* ({ keyId }: Principal["Service"], cost: number) {
        const verdict = buckets.take(keyId, cost, yield* Clock.currentTimeMillis)
        const headers = headersOf("key", rate, verdict)
        if (verdict.isAllowed) return headers
        yield* Metric.update(limited, 1)
        const detail = `too many requests with this key: the limit is ${rate.perSecond} a second and ${rate.burst} in a burst; a live read or a bulk change counts once per cluster, at most ${most} times`
        return yield* refuse("rate_limited", { detail }, headers)
      })
      const spend = (principal: Principal["Service"], resolved?: ResolvedRequest) =>
        take(principal, Math.min(most, Math.max(1, resolved === undefined ? 1 : liveClusters(resolved))))
      const spendClusters = (principal: Principal["Service"], clusters: number) => {
        const more = Math.min(most, clusters) - 1
        return more > 0 ? take(principal, more) : Effect.succeed(NONE)
      }
      const spendCached = (keyId: string, nowMs: number) => {
        const verdict = buckets.take(keyId, 1, nowMs)
        return verdict.isAllowed ? headersOf("key", rate, verdict) : undefined
      }
      const allowsCached = (keyId: string, nowMs: number) => !buckets.refuses(keyId, 1, nowMs)
      const refuseCached = (keyId: string, nowMs: number) => {
        limited.updateUnsafe(1, services)
        return headersOf("key", rate, buckets.take(keyId, 1, nowMs))
      }
      return KeyLimit.of({ spend, spendClusters, spendCached, allowsCached, refuseCached })
    })
  )
}

/**
 * Counts the clusters that a live read addresses; 0 for any other request.
 *
 * **Shape** 0 for an invalid target, which a later check refuses with its own problem.
 */
const liveClusters = ({ query, target: { target } }: ResolvedRequest): number =>
  query.get("consistency") === "live" && Result.isSuccess(target) ? target.success.clusters.length : 0
