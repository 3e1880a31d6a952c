/**
 * The minutes of an hour: in which of them something was seen.
 */
import type { Span } from "../../allocation/HourFacts.ts"
import type { Point } from "./Answer.ts"

export const MINUTE_MS = 60_000
const SLICE_MS = 300_000
export const SLICES = 12
const SLICE_MINUTES = 5

/** The hour has a slice more on either side, so that what is seen there tells whether it goes on at its ends. */
export const BEFORE = SLICE_MINUTES
const LENGTH = BEFORE + SLICES * SLICE_MINUTES + SLICE_MINUTES

/**
 * Minutes in a row, from five before the hour to five after it.
 *
 * **Shape** 70 places, 1 where the minute is in.
 */
export type Minutes = Uint8Array

export const none = (): Minutes => new Uint8Array(LENGTH)

/** The instants at which a question over an hour is asked: the ends of the slices, those beside the hour included. */
export const sliceEnds = (hourMs: number) => ({
  startMs: hourMs,
  endMs: hourMs + 3_600_000 + SLICE_MS,
  stepMs: SLICE_MS
})

/** Gives the place of the slice that ends at an instant; -1 is the slice before the hour. */
export const sliceOf = (hourMs: number, endMs: number): number => Math.round((endMs - hourMs) / SLICE_MS) - 1

/** Reads the points of a `minuteBits` question into minutes, beside what they hold already. */
export const addBits = (minutes: Minutes, hourMs: number, points: ReadonlyArray<Point>): void => {
  for (const { atMs, value } of points) {
    const first = BEFORE + sliceOf(hourMs, atMs) * SLICE_MINUTES
    if (!Number.isInteger(value) || value < 0 || value > 31 || first < 0 || first >= LENGTH) continue
    for (let place = 0; place < SLICE_MINUTES; place++) {
      if ((value & (1 << ((place + 1) % SLICE_MINUTES))) !== 0) minutes[first + place] = 1
    }
  }
}

/** Takes out the minutes that others do not have. */
export const keepOnly = (minutes: Minutes, others: Minutes): void => {
  for (let place = 0; place < LENGTH; place++) if (others[place] === 0) minutes[place] = 0
}

/**
 * Closes holes of up to four minutes between two minutes that are in.
 *
 * Prometheus itself lets a sample stand for five minutes, and scrapes come as seldom as every two. Only minutes
 * for which `mayClose` says so are put in.
 */
export const closed = (minutes: Minutes, mayClose: (place: number) => boolean = () => true): Minutes => {
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

/** Gives the intervals of minutes that are in, beyond the hour too. */
export const spans = (minutes: Minutes, hourMs: number): ReadonlyArray<Span> => runs(minutes, hourMs, 0, LENGTH)

/** Gives the intervals within one slice of the hour. */
export const spansOfSlice = (minutes: Minutes, hourMs: number, slice: number): ReadonlyArray<Span> =>
  runs(minutes, hourMs, BEFORE + slice * SLICE_MINUTES, BEFORE + (slice + 1) * SLICE_MINUTES)

/** Tells whether every minute of a slice is in, and the two before it: a window one minute longer than it is full then. */
export const isWhole = (minutes: Minutes, slice: number): boolean => {
  const first = BEFORE + slice * SLICE_MINUTES
  return minutes.subarray(first - 2, first + SLICE_MINUTES).every((minute) => minute === 1)
}

const runs = (minutes: Minutes, hourMs: number, from: number, to: number): ReadonlyArray<Span> => {
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

/** Cuts spans to the hour; what lies outside is gone. */
export const within = (hourMs: number, found: ReadonlyArray<Span>): ReadonlyArray<Span> =>
  found
    .map(({ fromMs, toMs }) => ({ fromMs: Math.max(fromMs, hourMs), toMs: Math.min(toMs, hourMs + 3_600_000) }))
    .filter(({ fromMs, toMs }) => fromMs < toMs)
