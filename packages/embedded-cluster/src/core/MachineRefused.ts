/**
 * The machine refused something that a cluster needs.
 */
import { Schema } from "effect"

/** The machine refused something that a cluster needs: a file, a directory, a socket, a process. */
export class MachineRefused extends Schema.TaggedError<MachineRefused>()("MachineRefused", {
  /** What was being done, as a verb phrase: `create the data directory`. */
  action: Schema.String,
  cause: Schema.Defect()
}) {
  override get message(): string {
    const why = this.cause instanceof Error ? this.cause.message : String(this.cause)
    return `could not ${this.action}: ${why}`
  }
}
