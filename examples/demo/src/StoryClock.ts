/** The clock of the demo's clusters. It runs in the past while the clusters are filled, so that objects have an age. */
import { Clock, Effect } from "effect"

export interface StoryClock {
  readonly nowMs: () => number
  /** Moves the clock to a number of milliseconds before now. */
  readonly goBack: (agoMs: number) => Effect.Effect<void>
}

export const make: Effect.Effect<StoryClock> = Effect.map(Clock.Clock, (clock) => {
  let agoMs = 0
  return {
    nowMs: () => clock.currentTimeMillisUnsafe() - agoMs,
    goBack: (ms) =>
      Effect.sync(() => {
        agoMs = ms
      })
  }
})
