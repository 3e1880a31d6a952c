/**
 * How far the past of a cluster is filled in, for whoever looks after the service.
 */
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Effect, Metric } from "effect"
import { hoursIn, type Window } from "../hour/Window.ts"
import * as Backlog from "./Backlog.ts"

/**
 * What is open of a cluster's past.
 *
 * **Shape** `missingHours` are those since the first hour that the source knows anything of, and all while it knows none:
 * somebody has to look. `olderHours` lie before it. `window` reaches from the first missing hour to the end of the last.
 * `problem` says why the last attempt left any missing; absent before it has ended, and where none are.
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
  /** When it is asked again, while it waits. */
  readonly nextMs?: number
}

/** Tells what is open of a backlog. */
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

/** Says why hours are missing that the source did not tell of, and did not fail for. */
export const silence = (
  { knownFromMs }: Backlog.Backlog,
  { missingHours, window }: ReturnType<typeof openOf>
): string => {
  const span = window === undefined ? "" : ` from ${instant(window.startMs)} to ${instant(window.endMs)}`
  const hours = `${missingHours} of ${window === undefined ? missingHours : hoursIn(window)} hours${span}`
  return knownFromMs === undefined
    ? `the source knows no node in any hour${span}: is kube-state-metrics scraped, and is the label of clusters right?`
    : `the source knows no node in ${hours}: they stay open and are asked for again`
}

const instant = (ms: number): string => `${new Date(ms).toISOString().slice(0, 16)}Z`

const openHours = Metric.gauge("quarterdeck_cost_backfill_open_hours", {
  description: "Hours of the past that are not filled in: missing, or older than all that the source knows"
})

/** Keeps the metric. */
export const measure = ({ cluster, missingHours, olderHours }: BackfillState): Effect.Effect<void> =>
  Effect.andThen(
    Metric.update(Metric.withAttributes(openHours, { cluster, part: "missing" }), missingHours),
    Metric.update(Metric.withAttributes(openHours, { cluster, part: "older" }), olderHours)
  )
