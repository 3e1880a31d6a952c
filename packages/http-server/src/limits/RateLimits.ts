/**
 * How often a key may ask, and an address may present keys that are none; and how replies say so.
 *
 * **Source** draft-ietf-httpapi-ratelimit-headers-10 (`RateLimit`, `RateLimit-Policy`); RFC 9110 §10.2.3 (`Retry-After`).
 */
import { Context } from "effect"
import type { Rate, Verdict } from "./TokenBuckets.ts"

/**
 * The rates allowed to each key and to failed attempts of each address; a number of 0 turns its limit off.
 *
 * **Units** requests a second, and requests for bursts.
 */
export interface RateLimitSettings {
  readonly keyPerSecond: number
  readonly keyBurst: number
  readonly failedPerSecond: number
  readonly failedBurst: number
}

/** The limits of the settings. */
export const RateLimits = Context.Reference<RateLimitSettings>("@quarterdeck/http-server/RateLimits", {
  defaultValue: () => ({ keyPerSecond: 50, keyBurst: 100, failedPerSecond: 10, failedBurst: 50 })
})

/** How many keys, and how many addresses, are remembered at a time. */
export const CAPACITY = 10_000

/** Gives the rate of two settings; `undefined` where it is off. */
export const rateOf = (perSecond: number, burst: number): Rate | undefined =>
  perSecond === 0 || burst === 0 ? undefined : { perSecond, burst }

/** What a limit is called in headers and metrics. */
export type LimitName = "key" | "failed"

/**
 * Writes the headers of a reply that counted against a limit.
 *
 * **Units** `q` and `r` in requests, `w` and `t` in whole seconds, as `Retry-After`.
 */
export const headersOf = (limit: LimitName, { burst, perSecond }: Rate, verdict: Verdict): Record<string, string> => ({
  "ratelimit-policy": `"${limit}";q=${burst};w=${Math.max(1, Math.ceil(burst / perSecond))}`,
  ratelimit: `"${limit}";r=${verdict.remaining};t=${seconds(verdict.fullInMs)}`,
  ...(verdict.isAllowed ? {} : { "retry-after": String(Math.max(1, seconds(verdict.retryInMs))) })
})

const seconds = (ms: number): number => Math.ceil(ms / 1_000)
