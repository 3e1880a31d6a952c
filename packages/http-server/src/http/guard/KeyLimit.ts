/**
 * Limits how often a key may ask.
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
    description: "Requests refused with 429, by the limit that they were over",
    incremental: true
  }),
  { limit: "key" }
)

/** Headers of a reply; none where the limit is off. */
type ReplyHeaders = Readonly<Record<string, string>>

const NONE: ReplyHeaders = {}

export class KeyLimit extends Context.Service<
  KeyLimit,
  {
    /**
     * Counts a request against its key, and gives the headers of a reply that tell what is left.
     *
     * **Shape** a request costs 1, a live read, or a change of many workloads, the number of clusters that it addresses, at most half of the burst.
     *
     * **Errors** the problem `rate_limited`.
     */
    readonly spend: (
      principal: Principal["Service"],
      resolved?: ResolvedRequest
    ) => Effect.Effect<ReplyHeaders, Problem.Problem>
    /**
     * Counts the clusters of a request whose body named them, beside the 1 that `spend` has counted, and gives the headers as it
     * does.
     *
     * **Errors** the problem `rate_limited`.
     */
    readonly spendClusters: (
      principal: Principal["Service"],
      clusters: number
    ) => Effect.Effect<ReplyHeaders, Problem.Problem>
    /**
     * Counts a cached read of a key, and gives the headers as `spend` does; `undefined`, and nothing is counted, for one that
     * `spend` would refuse.
     */
    readonly spendCached: (keyId: string, nowMs: number) => ReplyHeaders | undefined
    /** Tells whether `spendCached` would count a cached read of a key now. */
    readonly allowsCached: (keyId: string, nowMs: number) => boolean
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
          allowsCached: () => true
        })
      }
      const buckets = new TokenBuckets(rate, CAPACITY)
      const most = Math.max(1, Math.floor(rate.burst / 2))

      const take = Effect.fnUntraced(function* ({ keyId }: Principal["Service"], cost: number) {
        const verdict = buckets.take(keyId, cost, yield* Clock.currentTimeMillis)
        const headers = headersOf("key", rate, verdict)
        if (verdict.isAllowed) return headers
        yield* Metric.update(limited, 1)
        const detail = `too many requests of this key: ${rate.perSecond} a second, ${rate.burst} at once; a live read, and a change of many workloads, counts once for each cluster, ${most} at most`
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
      const allowsCached = (keyId: string, nowMs: number) => buckets.take(keyId, 0, nowMs).remaining >= 1
      return KeyLimit.of({ spend, spendClusters, spendCached, allowsCached })
    })
  )
}

/**
 * Counts the clusters that a live read asks; 0 for what asks none.
 *
 * **Shape** a target that is refused later counts as none: what it is refused with is told when it is its turn.
 */
const liveClusters = ({ query, target: { target } }: ResolvedRequest): number =>
  query.get("consistency") === "live" && Result.isSuccess(target) ? target.success.clusters.length : 0
