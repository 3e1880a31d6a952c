/**
 * Handles the `Retry-After` header.
 *
 * **Source** RFC 9110, section 10.2.3, `Retry-After`.
 */

/** The relevant part of a response. */
export interface Reply {
  readonly status: number
  readonly retryAfter: string | undefined
}

/** Upper bound of the delay: one day. **Units** milliseconds. */
export const MAX_MS = 86_400_000

/**
 * Parses the header. **Shape** seconds or a date; `undefined` for anything else. **Units** milliseconds from now, at most
 * {@link MAX_MS}.
 */
export const parse = (text: string | undefined, nowMs: number): number | undefined => {
  const trimmed = text?.trim() ?? ""
  if (/^\d{1,12}$/.test(trimmed)) return Math.min(MAX_MS, Number(trimmed) * 1_000)
  // Date.parse would accept a bare number as a year.
  const atMs = /[a-z]/i.test(trimmed) ? Date.parse(trimmed) : Number.NaN
  return Number.isFinite(atMs) ? Math.min(MAX_MS, Math.max(0, Math.round(atMs - nowMs))) : undefined
}

/** Creates the record of one server's `Retry-After`. */
export const makeCooldown = () => {
  let untilMs = 0
  return {
    /** Records a response. Successful ones are ignored. */
    record: ({ retryAfter, status }: Reply, nowMs: number): void => {
      const waitMs = status === 200 ? undefined : parse(retryAfter, nowMs)
      if (waitMs !== undefined) untilMs = nowMs + waitMs
    },
    /** Returns the remaining delay. 0 if the clock went back by more than a day. */
    leftMs: (nowMs: number): number => (untilMs - nowMs > MAX_MS ? 0 : Math.max(0, untilMs - nowMs))
  }
}
