/**
 * A mask of the minutes of an hour in which something was observed.
 */
import type { Span } from "../../allocation/HourFacts.ts"
import type { Point } from "./Answer.ts"

export const MINUTE_MS = 60_000
const SLICE_MS = 300_000
export const SLICES = 12
const SLICE_MINUTES = 5

/**
 * Number of minutes before the hour in the mask. The mask has one more slice on either side, to detect what continues
 * beyond the hour.
 */
export const BEFORE = SLICE_MINUTES
const LENGTH = BEFORE + SLICES * SLICE_MINUTES + SLICE_MINUTES

/**
 * A mask from five minutes before the hour to five minutes after it.
 *
 * **Shape** 70 places, 1 for each observed minute.
 */
export type MinuteMask = Uint8Array

export const none = (): MinuteMask => new Uint8Array(LENGTH)

/** Returns the evaluation times of a range query over an hour: the ends of its slices, and of one more slice on either side. */
export const sliceEnds = (hourMs: number) => ({
  startMs: hourMs,
  endMs: hourMs + 3_600_000 + SLICE_MS,
  stepMs: SLICE_MS
})

/** Returns the index of the slice that ends at an instant; -1 is the slice before the hour. */
export const sliceOf = (hourMs: number, endMs: number): number => Math.round((endMs - hourMs) / SLICE_MS) - 1

/** Adds the points of a `minuteBits` query to a mask. */
export const addBits = (minutes: MinuteMask, hourMs: number, points: ReadonlyArray<Point>): void => {
  for (const { atMs, value } of points) {
    const first = BEFORE + sliceOf(hourMs, atMs) * SLICE_MINUTES
    if (!Number.isInteger(value) || value < 0 || value > 31 || first < 0 || first >= LENGTH) continue
    for (let place = 0; place < SLICE_MINUTES; place++) {
      if ((value & (1 << ((place + 1) % SLICE_MINUTES))) !== 0) minutes[first + place] = 1
    }
  }
}

/** Clears the minutes that `others` does not have. */
export const keepOnly = (minutes: MinuteMask, others: MinuteMask): void => {
  for (let place = 0; place < LENGTH; place++) if (others[place] === 0) minutes[place] = 0
}

/**
 * Fills gaps of up to four minutes.
 *
 * Prometheus likewise treats a sample as valid for five minutes, and scrapes may be two minutes apart. A gap is filled only if
 * `mayClose` accepts the index of each of its minutes.
 */
export const closed = (minutes: MinuteMask, mayClose: (place: number) => boolean = () => true): MinuteMask => {
  const result = minutes.slice()
  let last = -1
  for (let place = 0; place < LENGTH; place++) {
    if (minutes[place] === 0) continue
    const isShort = last >= 0 && place - last <= SLICE_MINUTES
    if (isShort && between(last, place).every(mayClose)) result.fill(1, last, place)
    last = place
  }
  return result
}

const between = (after: number, before: number): ReadonlyArray<number> =>
  Array.from({ length: before - after - 1 }, (_, index) => after + 1 + index)

/** Returns the observed spans, those outside the hour included. */
export const spans = (minutes: MinuteMask, hourMs: number): ReadonlyArray<Span> => runs(minutes, hourMs, 0, LENGTH)

/** Returns the observed spans within one slice of the hour. */
export const spansOfSlice = (minutes: MinuteMask, hourMs: number, slice: number): ReadonlyArray<Span> =>
  runs(minutes, hourMs, BEFORE + slice * SLICE_MINUTES, BEFORE + (slice + 1) * SLICE_MINUTES)

/** Returns true if all minutes of a slice and the two minutes before are set. A six-minute rate window then has all samples. */
export const isWhole = (minutes: MinuteMask, slice: number): boolean => {
  const first = BEFORE + slice * SLICE_MINUTES
  return minutes.subarray(first - 2, first + SLICE_MINUTES).every((minute) => minute === 1)
}

const runs = (minutes: MinuteMask, hourMs: number, from: number, to: number): ReadonlyArray<Span> => {
  const found: Array<Span> = []
  const instant = (place: number) => hourMs + (place - BEFORE) * MINUTE_MS
  let start = -1
  for (let place = from; place <= to; place++) {
    const isIn = place < to && minutes[place] === 1
    if (isIn && start < 0) start = place
    if (isIn || start < 0) continue
    found.push({ fromMs: instant(start), toMs: instant(place) })
    start = -1
  }
  return found
}

/** Clips spans to the hour. */
export const within = (hourMs: number, found: ReadonlyArray<Span>): ReadonlyArray<Span> =>
  found
    .map(({ fromMs, toMs }) => ({ fromMs: Math.max(fromMs, hourMs), toMs: Math.min(toMs, hourMs + 3_600_000) }))
    .filter(({ fromMs, toMs }) => fromMs < toMs)
