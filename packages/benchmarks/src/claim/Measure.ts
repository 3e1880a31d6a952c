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

/** The figure below which so large a part of all lies, such as 0.99; NaN of none. */
export const percentile = (figures: ReadonlyArray<number>, share: number): number =>
  figures.toSorted((a, b) => a - b)[Math.max(0, Math.ceil(figures.length * share) - 1)] ?? Number.NaN

const NANOS_PER_MS = 1_000_000

/** What something gave, and how long it took. **Units** milliseconds. */
export type Timed<A> = readonly [ms: number, value: A]

/** Runs an effect and gives the milliseconds it took, with what it gave. */
export const timed = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<Timed<A>, E, R> =>
  Effect.gen(function* () {
    const before = yield* Clock.currentTimeNanos
    const value = yield* effect
    return [Number((yield* Clock.currentTimeNanos) - before) / NANOS_PER_MS, value] as const
  })

/** Two ways to one answer: each turn asks both of them the same, and no two turns need ask alike. */
export interface Contest<A, B, E, R> {
  readonly ours: (turn: number) => Effect.Effect<Timed<A>, E, R>
  readonly peer: (turn: number) => Effect.Effect<Timed<B>, E, R>
  /** Tells by how much the answers of a turn differ (default: nothing is compared). */
  readonly difference?: (ours: A, peer: B) => number
}

/** How often a contest is held: `warm` turns of both sides, which do not count, then those that are measured. */
export interface Turns {
  readonly warm: number
  readonly times: number
}

/**
 * What two sides of a comparison came to.
 *
 * **Units** medians of milliseconds; `difference` is the largest of all turns, those that did not count too.
 */
export interface Pair {
  readonly ours: number
  readonly peer: number
  readonly difference: number
}

/**
 * Runs both sides in turn and gives the medians of what they measured.
 *
 * **Limits** the order alternates, so that what one side leaves warm does not always help the same one. Answers are
 * compared between the turns, when no time is taken.
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
