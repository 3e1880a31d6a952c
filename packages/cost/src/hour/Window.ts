/**
 * A time window of whole UTC hours.
 */
import { DAY_MS, HOUR_MS, dayOf, hourOf } from "./Units.ts"

/** A half-open interval. `startMs` is before `endMs`. **Units** milliseconds since the epoch. */
export interface Window {
  readonly startMs: number
  readonly endMs: number
}

/** Returns the window of `hours` whole hours that ends with the hour containing `endMs`. */
export const hoursUntil = (endMs: number, hours: number): Window => {
  const end = hourOf(endMs + HOUR_MS - 1)
  return { startMs: end - hours * HOUR_MS, endMs: end }
}

/** Returns the number of hours in a window. */
export const hoursIn = ({ startMs, endMs }: Window): number => (endMs - startMs) / HOUR_MS

/** Widens a window to whole UTC days. */
export const alignedToDays = ({ startMs, endMs }: Window): Window => ({
  startMs: dayOf(startMs),
  endMs: dayOf(endMs + DAY_MS - 1)
})
