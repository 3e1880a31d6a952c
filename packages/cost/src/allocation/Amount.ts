/**
 * Whole amounts of what goes on at a rate: the one rounding of an hour's quantities.
 *
 * What has gone on since the hour began is rounded, and an amount is the difference of two such sums. So amounts of
 * stretches that follow each other add up to that of both, wherever they are cut, and none is further than 1 from its
 * product. A whole rate times seconds is not rounded at all.
 */
import type { Stretches } from "./Stretches.ts"

/** Gives what a rate comes to. **Units** from and to in seconds since the hour began, the rate per second. */
export const between = (rate: number, from: number, to: number): number =>
  Math.round(rate * to) - Math.round(rate * from)

/** Gives what a rate comes to over stretches. */
export const over = (rate: number, stretches: Stretches): number => {
  let amount = 0
  for (let at = 0; at < stretches.length; at += 2) amount += between(rate, stretches[at] ?? 0, stretches[at + 1] ?? 0)
  return amount
}
