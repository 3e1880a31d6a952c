/**
 * Union, intersection and length of time intervals within one hour, in whole seconds.
 */
import type { Span } from "./HourFacts.ts"
import { HOUR_SECONDS, SECOND_MS } from "../hour/Units.ts"

/**
 * Sorted, disjoint, non-empty intervals that do not touch.
 *
 * **Shape** starts and ends alternate. **Units** seconds since the hour began.
 */
export type Intervals = ReadonlyArray<number>

/**
 * Returns the second of the hour that contains an instant, clamped to the hour. Kubernetes timestamps are whole seconds too.
 */
export const secondOf = (ms: number, startMs: number): number =>
  Math.min(HOUR_SECONDS, Math.max(0, Math.floor((ms - startMs) / SECOND_MS)))

/** Clips unsorted spans to the hour, and merges those that overlap or touch. */
export const fromSpans = (spans: ReadonlyArray<Span>, startMs: number): Intervals => {
  const bounds: Array<number> = []
  for (const { fromMs, toMs } of spans) {
    const from = secondOf(fromMs, startMs)
    const to = secondOf(toMs, startMs)
    if (from < to) bounds.push(from, to)
  }
  return union(bounds)
}

/** Merges intervals in any order. **Shape** starts and ends alternate. */
export const union = (bounds: ReadonlyArray<number>): Intervals => {
  if (isRising(bounds)) return bounds
  const pairs: Array<readonly [from: number, to: number]> = []
  for (let at = 0; at < bounds.length; at += 2) pairs.push([bounds[at] ?? 0, bounds[at + 1] ?? 0])
  const joined: Array<number> = []
  for (const [from, to] of pairs.toSorted(([a], [b]) => a - b)) {
    const last = joined.length - 1
    const end = joined[last]
    if (end === undefined || from > end) joined.push(from, to)
    else if (to > end) joined[last] = to
  }
  return joined
}

const isRising = (bounds: ReadonlyArray<number>): boolean => {
  for (let at = 1; at < bounds.length; at++) if ((bounds[at] ?? 0) <= (bounds[at - 1] ?? 0)) return false
  return true
}

export const overlap = (one: Intervals, other: Intervals): Intervals => {
  const common: Array<number> = []
  let at = 0
  let place = 0
  while (at < one.length && place < other.length) {
    const end = one[at + 1] ?? 0
    const otherEnd = other[place + 1] ?? 0
    const from = Math.max(one[at] ?? 0, other[place] ?? 0)
    const to = Math.min(end, otherEnd)
    if (from < to) common.push(from, to)
    if (end <= otherEnd) at += 2
    else place += 2
  }
  return common
}

/** Returns the total length of all intervals in seconds. */
export const secondsIn = (intervals: Intervals): number => {
  let seconds = 0
  for (let at = 0; at < intervals.length; at += 2) seconds += (intervals[at + 1] ?? 0) - (intervals[at] ?? 0)
  return seconds
}
