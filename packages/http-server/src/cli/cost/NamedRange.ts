/**
 * Spans of the calendar that a window can be named by, in UTC.
 */

export const NAMES = ["today", "month", "lastmonth"] as const
export type Name = (typeof NAMES)[number]

export const is = (text: string): text is Name => NAMES.some((name) => name === text)

/**
 * Gives the span that a name means at an instant.
 *
 * **Shape** `from` is RFC 3339 in UTC, the first instant of the day or month; `to`, the first one after it, is absent for
 * a span that goes on.
 */
export const resolve = (name: Name, nowMs: number): { readonly from: string; readonly to?: string } => {
  const now = new Date(nowMs)
  const month = (offset: number) => start(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + offset))
  switch (name) {
    case "today":
      return { from: start(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate())) }
    case "month":
      return { from: month(0) }
    case "lastmonth":
      return { from: month(-1), to: month(0) }
  }
}

const start = (ms: number): string => new Date(ms).toISOString()
