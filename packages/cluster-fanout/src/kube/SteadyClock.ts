/** Measures spans of time, which a correction of the system's clock must neither stretch nor shrink. */
import { Clock, Effect } from "effect"

const NANOS = 1_000_000n

/**
 * Reads the clock in milliseconds since some moment: good for differences within this process, and for nothing else.
 */
export const now: Effect.Effect<number> = Effect.map(Clock.monotonicTimeNanos, (nanos) => Number(nanos / NANOS))

/** Gives the same outside of an effect. */
export const nowUnsafe = (clock: Clock.Clock): number => Number(clock.monotonicTimeNanosUnsafe() / NANOS)
