/**
 * The part of a container's usage that is known and can be true.
 */
import type { UsageSlices } from "./HourFacts.ts"
import { type Intervals, secondOf } from "./Intervals.ts"

/** The most that a container can have used. */
export interface Limits {
  readonly cpuMillis: number
  readonly memoryBytes: number
}

/**
 * Counters run backwards and clocks jump, and then say that a machine used more than it has; rounding alone never says
 * twice as much.
 */
const TIMES_THE_NODE = 2

/**
 * Where the node is not known: beyond any machine. **Source** for CPU OpenCost `pkg/costmodel`, `CPU_SANITY_LIMIT`.
 */
const UNKNOWN_NODE: Limits = { cpuMillis: 512_000, memoryBytes: 64 * 2 ** 40 }

/** Gives the limits of what runs on a node; a size of 0 is not known. */
export const limitsOn = (node?: { readonly cpuMillis: number; readonly memoryBytes: number }): Limits => ({
  cpuMillis: TIMES_THE_NODE * (node?.cpuMillis ?? 0) || UNKNOWN_NODE.cpuMillis,
  memoryBytes: TIMES_THE_NODE * (node?.memoryBytes ?? 0) || UNKNOWN_NODE.memoryBytes
})

/** Tells whether a figure can be true: no other than a number of 0 or more. */
export const isPossible = (value: number | undefined, limit: number): value is number =>
  value !== undefined && value >= 0 && value <= limit

/**
 * Visits what is known of the time that a container ran.
 *
 * **Shape** `visit` has an interval and the place of its slice; intervals rise. A slice of which CPU or memory cannot be
 * true is left out whole, so that what is summed of both is of the same time. Where slices overlap the first counts.
 *
 * **Units** of intervals: seconds since the hour began.
 */
export const visitKnown = (
  usage: UsageSlices,
  runs: Intervals,
  startMs: number,
  limits: Limits,
  visit: (from: number, to: number, slice: number) => void
): void => {
  let run = 0
  let known = 0
  for (let slice = 0; slice < usage.fromMs.length && run < runs.length; slice++) {
    const start = Math.max(known, secondOf(usage.fromMs[slice] ?? 0, startMs))
    const end = secondOf(usage.toMs[slice] ?? 0, startMs)
    if (start >= end) continue
    if (!isPossible(usage.cpuMillis[slice], limits.cpuMillis)) continue
    if (!isPossible(usage.memoryBytes[slice], limits.memoryBytes)) continue
    known = end
    while (run < runs.length && (runs[run + 1] ?? 0) <= start) run += 2
    for (let at = run; at < runs.length && (runs[at] ?? 0) < end; at += 2) {
      visit(Math.max(start, runs[at] ?? 0), Math.min(end, runs[at + 1] ?? 0), slice)
    }
  }
}
