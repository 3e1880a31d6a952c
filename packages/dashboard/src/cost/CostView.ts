/**
 * The settings of the cost page: period, grouping and idle costs. The page's address holds them.
 */
import type { CostParameters, CostWindow } from "../api/CostQueries.ts"
import { CUSTOM } from "../form/TimeRange.ts"

export const RANGES = [
  ["24h", "Last 24 hours"],
  ["7d", "Last 7 days"],
  ["30d", "Last 30 days"],
  ["90d", "Last 90 days"]
] as const

export const FIELDS = [
  ["cluster", "Cluster"],
  ["namespace", "Namespace"],
  ["kind", "Kind"],
  ["workload", "Workload"]
] as const

export const LABEL = "label:"

export const IDLES = [
  ["hide", "Hide"],
  ["show", "Show as separate groups"],
  ["share", "Share among groups"]
] as const

export type Idle = (typeof IDLES)[number][0]
type Field = (typeof FIELDS)[number][0]

/**
 * Settings of the cost page.
 *
 * **Shape** `by` is one of {@link FIELDS}, or `label:` and a key. `from` and `to` are days in the user's time zone, both
 * inclusive.
 */
export interface CostView {
  readonly range: string
  readonly from: string
  readonly to: string
  readonly by: Field | `label:${string}`
  readonly idle: Idle
}

const byOf = (text: string | null): CostView["by"] => {
  if (text?.startsWith(LABEL) === true) return `label:${text.slice(LABEL.length)}`
  return FIELDS.find(([field]) => field === text)?.[0] ?? "namespace"
}

const DAY = /^\d{4}-\d\d-\d\d$/

const dayOf = (text: string | null): string => (text !== null && DAY.test(text) ? text : "")

/** Reads the settings of an address. **Shape** `idle` is `hide` if the caller may not see idle costs. */
export const parse = (search: URLSearchParams, mayIdle: boolean): CostView => {
  const range = search.get("range")
  const standard = mayIdle ? "show" : "hide"
  return {
    range: range === CUSTOM ? CUSTOM : (RANGES.find(([name]) => name === range)?.[0] ?? "7d"),
    from: dayOf(search.get("from")),
    to: dayOf(search.get("to")),
    by: byOf(search.get("by")),
    idle: mayIdle ? (IDLES.find(([name]) => name === search.get("idle"))?.[0] ?? standard) : "hide"
  }
}

/** Writes settings into an address. Other parameters stay. */
export const write = (search: URLSearchParams, view: CostView): URLSearchParams => {
  const next = new URLSearchParams(search)
  next.set("range", view.range)
  next.set("by", view.by)
  next.set("idle", view.idle)
  for (const name of ["from", "to"] as const) {
    if (view.range === CUSTOM && view[name] !== "") next.set(name, view[name])
    else next.delete(name)
  }
  return next
}

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
export const windowOf = ({ from, range, to }: CostView, nowMs: number): CostWindow => {
  if (range !== CUSTOM) return { range }
  const [fromMs, toMs] = [startOf(from), Math.min(nextDay(to), hourAfter(nowMs))]
  return from === "" || to === "" || fromMs >= toMs ? { range: "7d" } : { fromMs, toMs }
}

/** Rounds up to a full hour, so that the query key stays the same within an hour. */
const hourAfter = (nowMs: number): number => Math.ceil(nowMs / HOUR_MS) * HOUR_MS

/** Returns the preceding period of the same length, in whole hours. */
export const before = ({ end, start }: { readonly start: string; readonly end: string }): CostWindow => {
  const toMs = Math.floor(Date.parse(start) / HOUR_MS) * HOUR_MS
  const hours = Math.max(1, Math.round((Date.parse(end) - Date.parse(start)) / HOUR_MS))
  return { fromMs: toMs - hours * HOUR_MS, toMs }
}

const lengthOf = (window: CostWindow): number => {
  if (!("range" in window)) return window.toMs - window.fromMs
  return Number.parseInt(window.range, 10) * (window.range.endsWith("h") ? HOUR_MS : DAY_MS)
}

/** Chooses a step size that gives at most about 90 steps. */
export const stepOf = (window: CostWindow): "hour" | "day" | "week" => {
  const days = lengthOf(window) / DAY_MS
  if (days <= 3) return "hour"
  return days <= 92 ? "day" : "week"
}

/** Returns the `groupBy` of a view. A workload is identified by cluster, namespace, kind and name. */
export const groupByOf = ({ by }: Pick<CostView, "by">): CostParameters["groupBy"] =>
  by === "workload" ? ["cluster", "namespace", "kind", "workload"] : [by]
