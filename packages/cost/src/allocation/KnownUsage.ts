/**
 * Filters a container's usage to plausible values within its run time.
 */
import type { UsageSlices } from "./HourFacts.ts"
import { type Intervals, secondOf } from "./Intervals.ts"

/** The highest plausible usage of a container. */
export interface Limits {
  readonly cpuMillis: number
  readonly memoryBytes: number
}

/**
 * Highest plausible usage as a multiple of the node's capacity.
 *
 * Counter resets and clock jumps can report more usage than the node has. Rounding errors stay below twice the capacity.
 */
const TIMES_THE_NODE = 2

/** Limits if the node is unknown. **Source** for CPU: OpenCost `pkg/costmodel`, `CPU_SANITY_LIMIT`. */
const UNKNOWN_NODE: Limits = { cpuMillis: 512_000, memoryBytes: 64 * 2 ** 40 }

/** Returns the limits on a node. A capacity of 0 counts as unknown. */
export const limitsOn = (node?: { readonly cpuMillis: number; readonly memoryBytes: number }): Limits => ({
  cpuMillis: TIMES_THE_NODE * (node?.cpuMillis ?? 0) || UNKNOWN_NODE.cpuMillis,
  memoryBytes: TIMES_THE_NODE * (node?.memoryBytes ?? 0) || UNKNOWN_NODE.memoryBytes
})

/** Returns true for a number from 0 to the limit. */
export const isPossible = (value: number | undefined, limit: number): value is number =>
  value !== undefined && value >= 0 && value <= limit

/**
 * Calls `visit` for each interval of known usage within the runs, in ascending order.
 *
 * **Shape** a slice with an implausible CPU or memory value is skipped, so that both sums cover the same time. Where slices
 * overlap, the first counts.
 *
 * **Units** seconds since the hour began.
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
