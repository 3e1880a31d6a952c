/**
 * Estimates how much was requested while usage was known, for stored hours that lack this measure.
 */
import type { Columns, Measure } from "./Measure.ts"

/** Pairs of measures: the request over the whole time, and over the time with known usage. */
export const PAIRS = [
  { requested: "cpuRequestedMilliSeconds", known: "cpuRequestedKnownMilliSeconds" },
  { requested: "memoryRequestedKibSeconds", known: "memoryRequestedKnownKibSeconds" }
] as const satisfies ReadonlyArray<{ readonly requested: Measure; readonly known: Measure }>

/**
 * Estimates the request over the time with known usage, in proportion to the length of that time.
 *
 * **Shape** a whole number: the full request if all time is covered, 0 if none is.
 */
export const estimate = (requested: number, coveredSeconds: number, existedSeconds: number): number => {
  if (coveredSeconds >= existedSeconds) return existedSeconds === 0 ? 0 : requested
  return Math.round(requested * (coveredSeconds / existedSeconds))
}

/**
 * Fills in the estimates of CPU and memory for one series. **Shape** `place` is the index of the series in each column.
 */
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
