/**
 * The window before a report's window, and whether the costs of both are comparable.
 */
import { HOUR_MS, HOUR_SECONDS } from "../hour/Units.ts"
import type { Window } from "../hour/Window.ts"
import type { ComparedHours, ReportWindow, SeenHours } from "./CostRow.ts"
import * as Range from "./Range.ts"
import type { Begun } from "./ReportContext.ts"
import * as ReportCoverage from "./ReportCoverage.ts"
import * as ReportContext from "./ReportContext.ts"

/** Maximum difference of the observed times of two comparable windows, as a share of the longer one. Rounded to seconds. */
const MAX_DIFFERENCE = 0.05

/**
 * Returns the hours right before a range: as many as the range has, rounded to whole hours, and at least one.
 *
 * **Shape** widened to whole days where only days are stored.
 *
 * **Example** for 2026-03-01T10:00Z to 2026-03-08T10:20Z: 2026-02-22T10:00Z to 2026-03-01T10:00Z
 */
export const of = ({ endMs, hours: { startMs } }: Range.ResolvedRange, hourlyFromMs: number): Window => {
  const hours = Math.max(1, Math.round((endMs - startMs) / HOUR_MS))
  return Range.align({ fromMs: startMs - hours * HOUR_MS, toMs: startMs, nowMs: startMs, asked: {} }, hourlyFromMs)
    .hours
}

/**
 * Extends a range back to the start of its previous window, to find the clusters with costs in either window.
 *
 * **Example** 2026-03-08T10:00Z to 2026-03-09T10:00Z becomes 2026-03-07T10:00Z to 2026-03-09T10:00Z
 */
export const extend = (range: Range.Range, hourlyFromMs: number): Range.Range => ({
  ...range,
  fromMs: of(Range.align(range, hourlyFromMs), hourlyFromMs).startMs
})

/**
 * Returns true if a cluster was observed for about the same time in both windows.
 *
 * **Shape** the difference is at most {@link MAX_DIFFERENCE} of the longer time. A cluster that was never observed has no costs
 * in either window.
 */
export const isComparable = (
  now: Pick<SeenHours, "hoursCovered"> | undefined,
  before: Pick<SeenHours, "hoursCovered"> | undefined
): boolean => {
  const [a, b] = [secondsOf(now), secondsOf(before)]
  return Math.abs(a - b) <= Math.round(MAX_DIFFERENCE * Math.max(a, b))
}

const secondsOf = (seen: Pick<SeenHours, "hoursCovered"> | undefined): number =>
  Math.round((seen?.hoursCovered ?? 0) * HOUR_SECONDS)

/** The coverage of a previous window, with one entry per cluster of the report. */
export interface Compared {
  readonly window: ReportWindow
  readonly clusters: ReadonlyArray<ComparedHours>
  /**
   * True if the totals of both windows are comparable: those of every cluster are comparable, and at least one cluster
   * was observed in the previous window.
   */
  readonly areTotals: boolean
}

/** Compares the coverage of a report's window with that of the hours before. */
export const compare = (
  { range, views }: Pick<Begun, "range" | "views">,
  hours: Window,
  seconds: { readonly now: ReadonlyArray<number>; readonly before: ReadonlyArray<number> }
): Compared => {
  const now = ReportCoverage.observedHours(
    { views, knownSeconds: seconds.now },
    { startMs: range.hours.startMs, endMs: range.endMs }
  )
  const clusters = ReportCoverage.observedHours({ views, knownSeconds: seconds.before }, hours).map(
    (before, index): ComparedHours => ({ ...before, comparable: isComparable(now[index], before) })
  )
  return {
    window: ReportContext.printed(hours),
    clusters,
    areTotals: clusters.every(({ comparable }) => comparable) && clusters.some(({ hoursCovered }) => hoursCovered > 0)
  }
}
