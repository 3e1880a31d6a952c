/**
 * Once a day, reduces hours beyond their retention to daily sums, and deletes days beyond theirs.
 */
import { Clock, Effect } from "effect"
import type { CostError } from "../hour/CostError.ts"
import { DAY_MS } from "../hour/Units.ts"
import type { CostStore } from "../store/CostStore.ts"
import type { SamplerSettings } from "./SamplerSettings.ts"

export interface Parts {
  readonly store: Pick<CostStore["Service"], "prune">
  readonly settings: Pick<SamplerSettings, "hourlyDays" | "retentionDays">
  /** Returns true while past hours are being back-filled. */
  readonly isFilling: () => boolean
}

/** Maximum time that pruning waits for a back-fill, which may never finish. */
const MAX_WAIT_MINUTES = 24 * 60
const LOOK_MINUTES = 10

/** Runs until interrupted. If the store fails, pruning is tried again the next day. */
export const run = (parts: Parts): Effect.Effect<never> =>
  Effect.forever(
    Effect.andThen(awaitFilled(parts, MAX_WAIT_MINUTES), Effect.andThen(prune(parts), Effect.sleep("1 day")))
  )

/** Waits for the back-fill, because a day must not be reduced to its daily sum before its hours are complete. */
const awaitFilled = (parts: Parts, minutesLeft: number): Effect.Effect<void> =>
  Effect.suspend(() =>
    !parts.isFilling() || minutesLeft <= 0
      ? Effect.void
      : Effect.andThen(Effect.sleep(`${LOOK_MINUTES} minutes`), awaitFilled(parts, minutesLeft - LOOK_MINUTES))
  )

const prune = Effect.fnUntraced(function* ({ settings, store }: Parts) {
  const nowMs = yield* Clock.currentTimeMillis
  const hoursBeforeMs = nowMs - settings.hourlyDays * DAY_MS
  const daysBeforeMs = nowMs - settings.retentionDays * DAY_MS
  yield* store
    .prune({ hoursBeforeMs, daysBeforeMs })
    .pipe(Effect.catch((error: CostError) => Effect.logWarning(`could not prune old costs: ${error.message}`)))
})
