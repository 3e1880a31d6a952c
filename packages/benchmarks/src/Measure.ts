/**
 * Takes figures: how long something took, and medians of pairs that take turns.
 */
import { Clock, Effect } from "effect"

/** The middle of some figures, the mean of the middle two where their number is even; NaN of none. */
export const median = (figures: ReadonlyArray<number>): number => {
  const sorted = figures.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2
}

const NANOS_PER_MS = 1_000_000

/** Runs an effect and gives the milliseconds it took, with what it gave. */
export const timed = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<readonly [ms: number, A], E, R> =>
  Effect.gen(function* () {
    const before = yield* Clock.currentTimeNanos
    const value = yield* effect
    return [Number((yield* Clock.currentTimeNanos) - before) / NANOS_PER_MS, value] as const
  })

/** What two sides of a comparison came to. */
export interface Pair {
  readonly ours: number
  readonly peer: number
}

/**
 * Runs both sides in turn, `times` times, and gives the medians of what they measured.
 *
 * **Limits** the order alternates, so that what one side leaves warm does not always help the same one.
 */
export const pairs = <E, R>(
  times: number,
  ours: Effect.Effect<number, E, R>,
  peer: Effect.Effect<number, E, R>
): Effect.Effect<Pair, E, R> =>
  Effect.gen(function* () {
    const seen: Array<Pair> = []
    for (let turn = 0; turn < times; turn++) {
      if (turn % 2 === 0) {
        const first = yield* ours
        seen.push({ ours: first, peer: yield* peer })
      } else {
        const first = yield* peer
        seen.push({ peer: first, ours: yield* ours })
      }
    }
    return { ours: median(seen.map((pair) => pair.ours)), peer: median(seen.map((pair) => pair.peer)) }
  })
