/**
 * Estimates the request during known usage, for stored hours that lack that measure.
 */
import type { Columns, Measure } from "./Measure.ts"

/** Measures of the request, and of its part during known usage. */
export const PAIRS = [
  { requested: "cpuRequestedMilliSeconds", known: "cpuRequestedKnownMilliSeconds" },
  { requested: "memoryRequestedKibSeconds", known: "memoryRequestedKnownKibSeconds" }
] as const satisfies ReadonlyArray<{ readonly requested: Measure; readonly known: Measure }>

/**
 * Estimates the request during known usage, by the share of time with known usage.
 *
 * **Shape** a whole number: the full request if all time is covered, 0 if none is.
 */
export const estimate = (requested: number, coveredSeconds: number, existedSeconds: number): number => {
  if (coveredSeconds >= existedSeconds) return existedSeconds === 0 ? 0 : requested
  return Math.round(requested * (coveredSeconds / existedSeconds))
}

/** Fills in both estimates at one place. */
export const fill = (columns: Columns, place: number): void => {
  const { coveredSeconds, existedSeconds } = columns
  for (const { known, requested } of PAIRS) {
    columns[known][place] = estimate(
      columns[requested][place] ?? 0,
      coveredSeconds[place] ?? 0,
      existedSeconds[place] ?? 0
    )
  }
}
