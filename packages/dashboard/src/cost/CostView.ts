/**
 * Which costs are shown: of what time, by what, with what is idle or without, as the address says it.
 */
import type { CostQuestion, CostWindow } from "../api/CostQueries.ts"
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
  ["hide", "Without idle"],
  ["show", "Idle beside them"],
  ["share", "Idle shared among them"]
] as const

export type Idle = (typeof IDLES)[number][0]
type Field = (typeof FIELDS)[number][0]

/**
 * What the cost page shows.
 *
 * **Shape** `by` is one of {@link FIELDS}, or `label:` and a key. `from` and `to` are days of the reader's, both
 * included.
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

/** Reads what an address asks for. **Shape** who may not see idle costs is not shown them. */
export const parse = (search: URLSearchParams, mayIdle: boolean): CostView => {
  const range = search.get("range")
  const usual = mayIdle ? "show" : "hide"
  return {
    range: range === CUSTOM ? CUSTOM : (RANGES.find(([one]) => one === range)?.[0] ?? "7d"),
    from: dayOf(search.get("from")),
    to: dayOf(search.get("to")),
    by: byOf(search.get("by")),
    idle: mayIdle ? (IDLES.find(([one]) => one === search.get("idle"))?.[0] ?? usual) : "hide"
  }
}

/** Writes it, and leaves the rest of the address alone. */
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

/** The first moment of a day of the reader's. **Units** milliseconds since the epoch. */
const startOf = (day: string): number => {
  const [year = 0, month = 1, date = 1] = day.split("-").map(Number)
  return new Date(year, month - 1, date).getTime()
}

const nextDay = (day: string): number => {
  const [year = 0, month = 1, date = 1] = day.split("-").map(Number)
  return new Date(year, month - 1, date + 1).getTime()
}

/**
 * Makes the window that is asked for.
 *
 * **Shape** days that are not whole, or run backwards, ask for the last week. A day that goes on ends now.
 */
export const windowOf = ({ from, range, to }: CostView, nowMs: number): CostWindow => {
  if (range !== CUSTOM) return { range }
  const [fromMs, toMs] = [startOf(from), Math.min(nextDay(to), hourAfter(nowMs))]
  return from === "" || to === "" || fromMs >= toMs ? { range: "7d" } : { fromMs, toMs }
}

/** The window of a running hour is the same all through it: what is asked for is not new each minute. */
const hourAfter = (nowMs: number): number => Math.ceil(nowMs / HOUR_MS) * HOUR_MS

/** Gives the period of the same length before a window that was answered. **Shape** in whole hours. */
export const before = ({ end, start }: { readonly start: string; readonly end: string }): CostWindow => {
  const toMs = Math.floor(Date.parse(start) / HOUR_MS) * HOUR_MS
  const hours = Math.max(1, Math.round((Date.parse(end) - Date.parse(start)) / HOUR_MS))
  return { fromMs: toMs - hours * HOUR_MS, toMs }
}

const lengthOf = (window: CostWindow): number => {
  if (!("range" in window)) return window.toMs - window.fromMs
  return Number.parseInt(window.range, 10) * (window.range.endsWith("h") ? HOUR_MS : DAY_MS)
}

/** Cuts a window into as many steps as a picture can show. */
export const stepOf = (window: CostWindow): "hour" | "day" | "week" => {
  const days = lengthOf(window) / DAY_MS
  if (days <= 3) return "hour"
  return days <= 92 ? "day" : "week"
}

/** What the groups of a view are made by: a workload's name alone does not tell it from others. */
export const groupByOf = ({ by }: Pick<CostView, "by">): CostQuestion["groupBy"] =>
  by === "workload" ? ["cluster", "namespace", "kind", "workload"] : [by]
