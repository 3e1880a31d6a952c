/**
 * Splits windows into hours, days and weeks in UTC.
 */
import type { StepSize } from "./Aggregate.ts"
import { DAY_MS, HOUR_MS } from "../hour/Units.ts"
import type { Window } from "../hour/Window.ts"

/** Maximum number of steps of one report: 31 days of hours. */
export const MAX_STEPS = 31 * 24

/** The first Monday of the epoch. */
const MONDAY_MS = 4 * DAY_MS

const STEPS: Readonly<Record<StepSize, { readonly ms: number; readonly offsetMs: number }>> = {
  hour: { ms: HOUR_MS, offsetMs: 0 },
  day: { ms: DAY_MS, offsetMs: 0 },
  week: { ms: 7 * DAY_MS, offsetMs: MONDAY_MS }
}

/**
 * Returns the steps of a window.
 *
 * Steps start on the hour, at midnight, or on Monday at midnight. The first and the last are clipped to the window.
 *
 * **Source** ISO 8601: a week starts on Monday.
 */
export const of = ({ endMs, startMs }: Window, stepSize: StepSize): ReadonlyArray<Window> => {
  const { ms, offsetMs } = STEPS[stepSize]
  const steps: Array<Window> = []
  for (let from = startMs; from < endMs;) {
    const next = Math.min(endMs, (Math.floor((from - offsetMs) / ms) + 1) * ms + offsetMs)
    steps.push({ startMs: from, endMs: next })
    from = next
  }
  return steps
}

/** Returns the number of steps of an aligned window. An unaligned window may have one step more than that. */
export const countOf = ({ endMs, startMs }: Window, stepSize: StepSize): number =>
  Math.ceil((endMs - startMs) / STEPS[stepSize].ms)
