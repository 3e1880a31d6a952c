/**
 * The period of a cost report, and its steps.
 */
import type { CostWindow } from "../api/CostQueries.ts"
import { CUSTOM } from "../form/TimeRange.ts"
import type { CostView, Step } from "./CostView.ts"

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** Returns the start of a day in the user's time zone. **Units** milliseconds since the epoch. */
const startOf = (day: string): number => {
  const [year = 0, month = 1, date = 1] = day.split("-").map(Number)
  return new Date(year, month - 1, date).getTime()
}

const nextDay = (day: string): number => {
  const [year = 0, month = 1, date = 1] = day.split("-").map(Number)
  return new Date(year, month - 1, date + 1).getTime()
}

/**
 * Makes the window of a report.
 *
 * **Shape** missing or reversed dates give the last seven days. A window that includes today ends with the current hour.
 */
export const windowOf = ({ from, range, to }: Pick<CostView, "from" | "range" | "to">, nowMs: number): CostWindow => {
  if (range !== CUSTOM) return { range }
  const [fromMs, toMs] = [startOf(from), Math.min(nextDay(to), hourAfter(nowMs))]
  return from === "" || to === "" || fromMs >= toMs ? { range: "7d" } : { fromMs, toMs }
}

/** Rounds up to a full hour, so that the query key stays the same within an hour. */
const hourAfter = (nowMs: number): number => Math.ceil(nowMs / HOUR_MS) * HOUR_MS

/** Makes the window that a report has resolved. */
export const resolved = ({ end, start }: { readonly start: string; readonly end: string }): CostWindow => ({
  fromMs: Date.parse(start),
  toMs: Date.parse(end)
})

const lengthOf = (window: CostWindow): number => {
  if (!("range" in window)) return window.toMs - window.fromMs
  return Number.parseInt(window.range, 10) * (window.range.endsWith("h") ? HOUR_MS : DAY_MS)
}

/** Longest period that is divided into hours. **Units** days. */
const MAX_HOURLY_DAYS = 14

/** Returns true if a period is short enough for steps of an hour. */
export const allowsHours = (window: CostWindow): boolean => lengthOf(window) <= MAX_HOURLY_DAYS * DAY_MS

/** Returns the step size of a period: the chosen one, or one that gives at most about 90 steps. */
export const stepOf = (window: CostWindow, chosen: Step): "hour" | "day" | "week" => {
  if (chosen !== "auto" && (chosen !== "hour" || allowsHours(window))) return chosen
  const days = lengthOf(window) / DAY_MS
  if (days <= 3) return "hour"
  return days <= 92 ? "day" : "week"
}
