/**
 * Converts instants to epochs and steps of the cost history. An epoch is a day with its hours as steps, or a month with
 * its days as steps.
 */
import { DAY_MS, HOUR_MS } from "../../hour/Units.ts"

/** Exclusive upper bound of the index of an hour in its day, and of a day in its month. A mask has one bit per step. */
export const STEPS = 32

/** Returns the day of an instant. **Units** days since 1970. */
export const dayAt = (ms: number): number => Math.floor(ms / DAY_MS)
export const hourAt = (ms: number): number => Math.floor((ms - dayAt(ms) * DAY_MS) / HOUR_MS)
export const startOf = (day: number, hour = 0): number => day * DAY_MS + hour * HOUR_MS

/** Prints the start of an hour, or of a day. **Example** `2026-03-02T05:00Z`, `2026-03-02` */
export const printHour = (ms: number): string => `${new Date(ms).toISOString().slice(0, 16)}Z`
export const printDay = (ms: number): string => new Date(ms).toISOString().slice(0, 10)

/** Returns the month of a day. **Units** months since the year 0. */
export const monthOf = (day: number): number => {
  const date = new Date(day * DAY_MS)
  return date.getUTCFullYear() * 12 + date.getUTCMonth()
}
/** Returns the index of a day in its month, from 0. */
export const placeInMonth = (day: number): number => new Date(day * DAY_MS).getUTCDate() - 1

export const firstDayOf = (month: number): number => dayAt(Date.UTC(Math.floor(month / 12), month % 12))

/** Returns the highest step of a mask below a bound, or -1. */
export const lastBelow = (mask: number, bound: number): number =>
  31 - Math.clz32(bound >= STEPS ? mask : mask & (2 ** bound - 1))

/** Returns the lowest step of a mask, or -1. */
export const first = (mask: number): number => (mask === 0 ? -1 : 31 - Math.clz32(mask & -mask))

/** Lists the steps of a mask, ascending. */
export const stepsOf = (mask: number): ReadonlyArray<number> =>
  Array.from({ length: STEPS }, (_, step) => step).filter((step) => ((mask >>> step) & 1) === 1)
