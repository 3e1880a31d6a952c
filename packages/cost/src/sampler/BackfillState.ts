/**
 * The progress of a cluster's back-fill, for the API, the log and a metric, and the delay before the next attempt.
 */
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Effect, Metric } from "effect"
import { HOUR_MS } from "../hour/Units.ts"
import { hoursIn, type Window } from "../hour/Window.ts"
import * as Backlog from "./Backlog.ts"

/**
 * The state of one cluster's back-fill.
 *
 * **Shape** Open hours are those still to fill. `missingHours` is the number of open hours since the first hour for
 * which the source has data, or of all open hours if it has none. An operator should investigate them. `olderHours` is
 * the number of open hours before that first hour. `window` spans the missing hours. `problem` is why the last attempt
 * left hours missing; absent before an attempt ends, and if no hours are missing.
 *
 * **Units** milliseconds since the epoch.
 */
export interface BackfillState {
  readonly cluster: ClusterName
  readonly status: "asking" | "waiting" | "done"
  readonly missingHours: number
  readonly olderHours: number
  readonly window?: Window
  readonly problem?: string
  /** Time of the next attempt while `status` is `waiting`. */
  readonly nextMs?: number
}

/** Counts the hours of a backlog, which are still to fill. */
export const openOf = (backlog: Backlog.Backlog): Pick<BackfillState, "missingHours" | "olderHours" | "window"> => {
  const { missing, older } = Backlog.parts(backlog)
  const [first] = missing
  const last = missing.at(-1)
  return {
    missingHours: Backlog.hoursOf(missing),
    olderHours: Backlog.hoursOf(older),
    ...(first === undefined || last === undefined ? {} : { window: { startMs: first.startMs, endMs: last.endMs } })
  }
}

/** Explains why hours are missing although the source did not fail. */
export const explainMissing = (
  { knownFromMs }: Backlog.Backlog,
  { missingHours, window }: ReturnType<typeof openOf>
): string => {
  const span = window === undefined ? "" : ` from ${instant(window.startMs)} to ${instant(window.endMs)}`
  const hours = `${missingHours} of ${window === undefined ? missingHours : hoursIn(window)} hours${span}`
  return knownFromMs === undefined
    ? `the source knows no node in any hour${span}: check that kube-state-metrics is scraped and that the cluster label is right`
    : `the source knows no node in ${hours}: they stay open and will be queried again`
}

const instant = (ms: number): string => `${new Date(ms).toISOString().slice(0, 16)}Z`

const openHours = Metric.gauge("quarterdeck_cost_backfill_open_hours", {
  description: "Past hours not back-filled: missing, or older than all data of the source"
})

/** Sets the metric of missing and older hours. */
export const measure = ({ cluster, missingHours, olderHours }: BackfillState): Effect.Effect<void> =>
  Effect.andThen(
    Metric.update(Metric.withAttributes(openHours, { cluster, part: "missing" }), missingHours),
    Metric.update(Metric.withAttributes(openHours, { cluster, part: "older" }), olderHours)
  )

/** The result of an attempt. **Shape** `retryAfterMs` is the source's `Retry-After`, or 0. */
export type Ending =
  | { readonly _tag: "Complete" }
  | { readonly _tag: "Unknown" }
  | { readonly _tag: "Failed"; readonly retryAfterMs: number }

/** Backoff after a failure: ten seconds, doubled up to ten minutes. **Units** milliseconds. */
const FAILED = { firstMs: 10_000, lastMs: 600_000 }
/** Backoff if the source does not know the open hours. Their metrics may arrive late or never. */
const UNKNOWN = { firstMs: 60_000, lastMs: HOUR_MS }

/** Returns the delay after a number of fruitless attempts in a row. `Infinity` if no hour is open. */
export const waitMs = (ending: Ending, attempts: number): number => {
  if (ending._tag === "Complete") return Infinity
  if (ending._tag === "Unknown") return backoffMs(UNKNOWN, attempts)
  return Math.max(ending.retryAfterMs, backoffMs(FAILED, attempts))
}

const backoffMs = ({ firstMs, lastMs }: typeof FAILED, attempts: number): number =>
  Math.min(lastMs, firstMs * 2 ** Math.min(attempts, 16))
