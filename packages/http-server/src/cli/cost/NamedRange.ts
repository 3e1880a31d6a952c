/**
 * Named windows: days and months of the calendar in UTC.
 */

export const NAMES = ["today", "month", "lastmonth"] as const
export type Name = (typeof NAMES)[number]

export const is = (text: string): text is Name => NAMES.some((name) => name === text)

/**
 * Resolves a name at an instant.
 *
 * **Shape** instants in RFC 3339, UTC. `from` is the start of the day or month, `to` its exclusive end. The current day and
 * month have no `to`.
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
