/**
 * A seed that made other pods than it was asked for: what was measured of it says nothing.
 */
import { Effect, Schema } from "effect"

export class PodsMissing extends Schema.TaggedError<PodsMissing>()("PodsMissing", {
  asked: Schema.Int,
  found: Schema.Int
}) {
  override get message(): string {
    return `the seed was asked for ${this.asked} pods, and there are ${this.found}`
  }
}

/** Fails unless there are as many pods as were asked for. */
export const check = (count: { readonly asked: number; readonly found: number }): Effect.Effect<void, PodsMissing> =>
  count.asked === count.found ? Effect.void : Effect.fail(new PodsMissing(count))
