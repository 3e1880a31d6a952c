/**
 * The rate limits of keys and of failed authentication attempts, and their response headers.
 *
 * **Source** draft-ietf-httpapi-ratelimit-headers-10 (`RateLimit`, `RateLimit-Policy`); RFC 9110 §10.2.3 (`Retry-After`).
 */
import { Context } from "effect"
import type { Rate, Verdict } from "./TokenBuckets.ts"

/**
 * The rates allowed for each key, and for failed attempts of each address. A rate or burst of 0 disables its limit.
 *
 * **Units** rates in requests per second, bursts in requests.
 */
export interface RateLimitSettings {
  readonly keyPerSecond: number
  readonly keyBurst: number
  readonly failedPerSecond: number
  readonly failedBurst: number
}

export const RateLimits = Context.Reference<RateLimitSettings>("@quarterdeck/http-server/RateLimits", {
  defaultValue: () => ({ keyPerSecond: 50, keyBurst: 100, failedPerSecond: 10, failedBurst: 50 })
})

/** Maximum number of buckets for keys, and separately for addresses. */
export const CAPACITY = 10_000

/** Makes the rate from two settings. Returns `undefined` if the limit is disabled. */
export const rateOf = (perSecond: number, burst: number): Rate | undefined =>
  perSecond === 0 || burst === 0 ? undefined : { perSecond, burst }

/** The name of a limit in headers and metrics. */
export type LimitName = "key" | "failed"

/**
 * Returns the response headers for a request that counted against a limit.
 *
 * **Units** `q` and `r` in requests; `w`, `t` and `Retry-After` in whole seconds.
 */
export const headersOf = (limit: LimitName, { burst, perSecond }: Rate, verdict: Verdict): Record<string, string> => ({
  "ratelimit-policy": `"${limit}";q=${burst};w=${Math.max(1, Math.ceil(burst / perSecond))}`,
  ratelimit: `"${limit}";r=${verdict.remaining};t=${seconds(verdict.fullInMs)}`,
  ...(verdict.isAllowed ? {} : { "retry-after": String(Math.max(1, seconds(verdict.retryInMs))) })
})

const seconds = (ms: number): number => Math.ceil(ms / 1_000)
