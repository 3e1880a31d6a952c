/**
 * Accrues whole amounts of what goes on at a rate: the one rounding of an hour's quantities.
 *
 * What has gone on since the hour began is rounded, and an amount is the difference of two such sums. So amounts of
 * intervals that follow each other add up to that of both, wherever they are cut, and none is further than 1 from its
 * product. A whole rate times seconds is not rounded at all.
 */
import type { Intervals } from "./Intervals.ts"

/** Gives what accrues at a rate between two seconds. **Units** from and to in seconds since the hour began, the rate per second. */
export const between = (rate: number, from: number, to: number): number =>
  Math.round(rate * to) - Math.round(rate * from)

/** Gives what accrues at a rate over intervals. */
export const over = (rate: number, intervals: Intervals): number => {
  let amount = 0
  for (let at = 0; at < intervals.length; at += 2) amount += between(rate, intervals[at] ?? 0, intervals[at + 1] ?? 0)
  return amount
}
