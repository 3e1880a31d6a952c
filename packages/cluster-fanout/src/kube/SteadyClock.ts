/** Measures time spans independently of corrections to the system clock. */
import { Clock, Effect } from "effect"

const NANOS = 1_000_000n

/** Returns milliseconds since an arbitrary moment. Only differences within one process are meaningful. */
export const now: Effect.Effect<number> = Effect.map(Clock.monotonicTimeNanos, (nanos) => Number(nanos / NANOS))

/** Does the same as `now`, without an effect. */
export const nowUnsafe = (clock: Clock.Clock): number => Number(clock.monotonicTimeNanosUnsafe() / NANOS)
