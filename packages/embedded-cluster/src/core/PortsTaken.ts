/**
 * There was no port to listen on.
 */
import { Schema } from "effect"

/** No attempt found ports that stayed free until the cluster's programs listened on them. */
export class PortsTaken extends Schema.TaggedError<PortsTaken>()("PortsTaken", {
  attempts: Schema.Natural
}) {
  override get message(): string {
    return `its ports were taken by others in ${this.attempts} attempts`
  }
}
