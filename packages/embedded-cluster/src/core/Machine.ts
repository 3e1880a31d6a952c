/**
 * The machine that a cluster runs on: its clock, and its errors.
 */
import { Clock, Effect, Schema } from "effect"

/**
 * Runs an effect on the machine's clock, even under a test clock. Processes and sockets live in real time, so their
 * deadlines would never pass on a clock that only a test advances.
 */
export const inRealTime = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.provideService(effect, Clock.Clock, Clock.Clock.defaultValue())

/** The operating system refused a file, directory, socket or process that a cluster needs. */
export class MachineRefused extends Schema.TaggedError<MachineRefused>()("MachineRefused", {
  /** The failed action, as a verb phrase: `create the data directory`. */
  action: Schema.String,
  cause: Schema.Defect()
}) {
  override get message(): string {
    const why = this.cause instanceof Error ? this.cause.message : String(this.cause)
    return `could not ${this.action}: ${why}`
  }
}

/** Other programs took the chosen ports before the cluster's programs could listen on them, in every attempt. */
export class PortsTaken extends Schema.TaggedError<PortsTaken>()("PortsTaken", {
  attempts: Schema.Natural
}) {
  override get message(): string {
    return `other programs took the cluster's ports in each of ${this.attempts} attempts`
  }
}
