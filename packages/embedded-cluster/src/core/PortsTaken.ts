import { Schema } from "effect"

/** Other programs took the chosen ports before the cluster's programs could listen on them, in every attempt. */
export class PortsTaken extends Schema.TaggedError<PortsTaken>()("PortsTaken", {
  attempts: Schema.Natural
}) {
  override get message(): string {
    return `other programs took the cluster's ports in each of ${this.attempts} attempts`
  }
}
