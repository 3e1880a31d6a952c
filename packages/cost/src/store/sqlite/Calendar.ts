/**
 * Numbers hours, days and months, as the steps and epochs of the cost history have them.
 */
import { DAY_MS, HOUR_MS } from "../../hour/Units.ts"

/** Steps of a day, and of the longest month. */
export const STEPS = 32

/** Gives the day of an instant, in days since 1970. */
export const dayAt = (ms: number): number => Math.floor(ms / DAY_MS)
export const hourAt = (ms: number): number => Math.floor((ms - dayAt(ms) * DAY_MS) / HOUR_MS)
export const startOf = (day: number, hour = 0): number => day * DAY_MS + hour * HOUR_MS

/** Writes the hour, or the day, that starts at an instant. **Example** `2026-03-02T05:00Z`, `2026-03-02` */
export const printHour = (ms: number): string => `${new Date(ms).toISOString().slice(0, 16)}Z`
export const printDay = (ms: number): string => new Date(ms).toISOString().slice(0, 10)

/** The month of a day, as months since the year 0, and its place in it, from 0. */
export const monthOf = (day: number): number => {
  const date = new Date(day * DAY_MS)
  return date.getUTCFullYear() * 12 + date.getUTCMonth()
}
export const placeInMonth = (day: number): number => new Date(day * DAY_MS).getUTCDate() - 1

/** The first day of a month. */
export const firstDayOf = (month: number): number => dayAt(Date.UTC(Math.floor(month / 12), month % 12))

/** The highest step of a mask below a bound, -1 where there is none. */
export const lastBelow = (mask: number, bound: number): number =>
  31 - Math.clz32(bound >= STEPS ? mask : mask & (2 ** bound - 1))

/** The lowest step of a mask, -1 of none. */
export const first = (mask: number): number => (mask === 0 ? -1 : 31 - Math.clz32(mask & -mask))

/** The steps of a mask, rising. */
export const stepsOf = (mask: number): ReadonlyArray<number> =>
  Array.from({ length: STEPS }, (_, step) => step).filter((step) => ((mask >>> step) & 1) === 1)
