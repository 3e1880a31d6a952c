/**
 * How long a server asks to be left alone.
 *
 * **Source** RFC 9110, section 10.2.3, `Retry-After`.
 */

/** The part of a reply that tells. */
export interface Reply {
  readonly status: number
  readonly retryAfter: string | undefined
}

/** No server is left alone for longer, whatever it says. **Units** milliseconds. */
export const MAX_MS = 86_400_000

/**
 * Reads the header. **Shape** a number of seconds or a date; `undefined` for anything else. **Units** milliseconds from now,
 * {@link MAX_MS} at most.
 */
export const parse = (text: string | undefined, nowMs: number): number | undefined => {
  const trimmed = text?.trim() ?? ""
  if (/^\d{1,12}$/.test(trimmed)) return Math.min(MAX_MS, Number(trimmed) * 1_000)
  // Date.parse takes a bare number for a year.
  const atMs = /[a-z]/i.test(trimmed) ? Date.parse(trimmed) : Number.NaN
  return Number.isFinite(atMs) ? Math.min(MAX_MS, Math.max(0, Math.round(atMs - nowMs))) : undefined
}

/** Makes the memory of what one server asked for. */
export const makePatience = () => {
  let untilMs = 0
  return {
    /** Takes a reply in. What succeeds asks for nothing. */
    hear: ({ retryAfter, status }: Reply, nowMs: number): void => {
      const waitMs = status === 200 ? undefined : parse(retryAfter, nowMs)
      if (waitMs !== undefined) untilMs = nowMs + waitMs
    },
    /** Tells how long it is still to be left alone. Not at all once the clock went back by more than a day. */
    leftMs: (nowMs: number): number => (untilMs - nowMs > MAX_MS ? 0 : Math.max(0, untilMs - nowMs))
  }
}
