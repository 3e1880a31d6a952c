/**
 * What was requested while usage was known, of hours that were kept without it.
 */
import type { Columns, Measure } from "./Measure.ts"

/** What was requested, and what of it while usage was known. */
export const PAIRS = [
  { requested: "cpuRequestedMilliSeconds", known: "cpuRequestedKnownMilliSeconds" },
  { requested: "memoryRequestedKibSeconds", known: "memoryRequestedKnownKibSeconds" }
] as const satisfies ReadonlyArray<{ readonly requested: Measure; readonly known: Measure }>

/**
 * Estimates it by the share of the time for which usage was known.
 *
 * **Shape** a whole number, as measures are: all that was requested where all of the time is covered, none where nothing is.
 */
export const estimate = (requested: number, coveredSeconds: number, existedSeconds: number): number => {
  if (coveredSeconds >= existedSeconds) return existedSeconds === 0 ? 0 : requested
  return Math.round(requested * (coveredSeconds / existedSeconds))
}

/** Estimates it at a place of columns that lack it. */
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
