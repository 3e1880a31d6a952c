/**
 * The error of a seed with a wrong number of pods, which makes the measurement invalid.
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

/** Fails unless the number of pods equals the requested number. */
export const check = (count: { readonly asked: number; readonly found: number }): Effect.Effect<void, PodsMissing> =>
  count.asked === count.found ? Effect.void : Effect.fail(new PodsMissing(count))
