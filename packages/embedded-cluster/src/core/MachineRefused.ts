import { Schema } from "effect"

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
