/**
 * Converts rates to whole amounts. All quantities of an hour are rounded here.
 *
 * The sum of what has accrued since the start of the hour is rounded, and an amount is the difference of two such sums.
 * Amounts of adjacent intervals therefore add up exactly, and each differs from the exact product by at most 1. An
 * integer rate is never rounded.
 */
import type { Intervals } from "./Intervals.ts"

/** Returns the amount that accrues between two seconds of the hour. **Units** `rate` is per second. */
export const between = (rate: number, from: number, to: number): number =>
  Math.round(rate * to) - Math.round(rate * from)

/** Returns the amount that accrues over intervals. */
export const over = (rate: number, intervals: Intervals): number => {
  let amount = 0
  for (let at = 0; at < intervals.length; at += 2) amount += between(rate, intervals[at] ?? 0, intervals[at + 1] ?? 0)
  return amount
}
