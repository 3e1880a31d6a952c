import { Clock, Effect } from "effect"

/**
 * Runs an effect on the machine's clock, even under a test clock. Processes and sockets live in real time, so their
 * deadlines would never pass on a clock that only a test advances.
 */
export const inRealTime = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.provideService(effect, Clock.Clock, Clock.Clock.defaultValue())
