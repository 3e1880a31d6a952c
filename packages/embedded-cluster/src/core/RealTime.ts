/**
 * The machine's own clock, whatever clock the caller has.
 */
import { Clock, Effect } from "effect"

/**
 * Runs on the machine's clock even under a test clock: processes and sockets live in real time, so a deadline that only
 * a test could advance would never come.
 */
export const inRealTime = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.provideService(effect, Clock.Clock, Clock.Clock.defaultValue())
