/**
 * Forgets hours and days that are older than the settings keep them, once a day.
 */
import { Clock, Effect } from "effect"
import type { CostError } from "../hour/CostError.ts"
import { DAY_MS } from "../hour/Units.ts"
import type { CostStore } from "../store/CostStore.ts"
import type { SamplerSettings } from "./SamplerSettings.ts"

export interface Parts {
  readonly store: Pick<CostStore["Service"], "prune">
  readonly settings: Pick<SamplerSettings, "hourlyDays" | "retentionDays">
  /** Tells whether hours of the past are still coming in. */
  readonly isFilling: () => boolean
}

/** How long hours that are being filled in keep old ones from being forgotten; filling in may fail for ever. */
const MAX_WAIT_MINUTES = 24 * 60
const LOOK_MINUTES = 10

/** Runs until it is interrupted; a store that fails is asked again the next day. */
export const run = (parts: Parts): Effect.Effect<never> =>
  Effect.forever(
    Effect.andThen(awaitFilled(parts, MAX_WAIT_MINUTES), Effect.andThen(prune(parts), Effect.sleep("1 day")))
  )

/** Waits for hours that are still to come: a day must not be put together without them. */
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
    .pipe(Effect.catch((error: CostError) => Effect.logWarning(`old hours are not forgotten: ${error.message}`)))
})
