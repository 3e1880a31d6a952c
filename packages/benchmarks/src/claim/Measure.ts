/**
 * Measures durations, and compares two sides that take turns.
 */
import { Clock, Effect } from "effect"

/** Returns the median, for an even number the mean of the middle two. NaN for an empty list. */
export const median = (figures: ReadonlyArray<number>): number => {
  const sorted = figures.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2
}

/** Returns the percentile for a share such as 0.99. NaN for an empty list. */
export const percentile = (figures: ReadonlyArray<number>, share: number): number =>
  figures.toSorted((a, b) => a - b)[Math.max(0, Math.ceil(figures.length * share) - 1)] ?? Number.NaN

const NANOS_PER_MS = 1_000_000

/** A duration in milliseconds and a result. */
export type Timed<A> = readonly [ms: number, value: A]

/** Runs an effect and returns its duration with its result. */
export const timed = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<Timed<A>, E, R> =>
  Effect.gen(function* () {
    const before = yield* Clock.currentTimeNanos
    const value = yield* effect
    return [Number((yield* Clock.currentTimeNanos) - before) / NANOS_PER_MS, value] as const
  })

/** Two ways to compute the same answer. In each turn, both get the same question; turns may differ. */
export interface Contest<A, B, E, R> {
  readonly ours: (turn: number) => Effect.Effect<Timed<A>, E, R>
  readonly peer: (turn: number) => Effect.Effect<Timed<B>, E, R>
  /** Returns the difference between the answers of a turn. Default: no comparison. */
  readonly difference?: (ours: A, peer: B) => number
}

/** The number of turns: `warm` turns that do not count, then `times` measured ones. */
export interface Turns {
  readonly warm: number
  readonly times: number
}

/**
 * The results of both sides.
 *
 * **Units** medians in milliseconds. `difference` is the largest of all turns, including warm-up turns.
 */
export interface Pair {
  readonly ours: number
  readonly peer: number
  readonly difference: number
}

/**
 * Runs both sides in turns and returns the medians of their durations.
 *
 * **Limits** the order alternates, so that caches warmed by one side do not always help the other. Answers are compared
 * outside of the measured time.
 */
export const pairs = <A, B, E, R>(
  { times, warm }: Turns,
  { difference = () => 0, ours, peer }: Contest<A, B, E, R>
): Effect.Effect<Pair, E, R> =>
  Effect.gen(function* () {
    const measured: Array<{ readonly ours: number; readonly peer: number }> = []
    let most = 0
    for (let turn = 0; turn < warm + times; turn++) {
      const early = turn % 2 === 0 ? yield* ours(turn) : undefined
      const theirs = yield* peer(turn)
      const own = early ?? (yield* ours(turn))
      most = Math.max(most, difference(own[1], theirs[1]))
      if (turn >= warm) measured.push({ ours: own[0], peer: theirs[0] })
    }
    return {
      ours: median(measured.map((turn) => turn.ours)),
      peer: median(measured.map((turn) => turn.peer)),
      difference: most
    }
  })
