/**
 * Fills in the hours that nobody sampled, from a source that remembers them.
 *
 * @since 0.1.0
 */
import { Clock, Effect, Option, Result, Schedule, Stream } from "effect"
import type { CostError } from "../CostError.ts"
import * as HourBuilder from "../HourBuilder.ts"
import type { HourFacts } from "../HourFacts.ts"
import { RECOMMENDATION_DAYS } from "../Recommendation.ts"
import { DAY_MS, HOUR_MS, hourOf } from "../Units.ts"
import type { UsageError } from "../UsageError.ts"
import type { Hourly } from "../UsageSource.ts"
import { hoursIn, type Window } from "../Window.ts"
import * as HourClosing from "./HourClosing.ts"

export interface Parts extends Omit<HourClosing.Parts, "source" | "mayFold"> {
  readonly source: Hourly
  /** Runs once the first attempt has ended, however: the recommender may go on with present hours. */
  readonly attempted: Effect.Effect<void>
}

/** How many hours are filled in between two notes of how far it is. */
const NOTE_HOURS = 24

/**
 * Fills in, in rising order, the hours before the first closed one, and those since the last one: the program did not run.
 *
 * **Shape** hours that are closed stay as they are. Goes on where it was when the program ended. Failures are tried again,
 * for ever; hours that come after that are not given to the recommender, which is further by then.
 *
 * **Limits** one hour at a time, of the time that is retained.
 */
export const run = Effect.fn("Backfill.run")(function* (parts: Parts) {
  const { attempted, cluster, journal, settings, source, store, troubles } = parts
  yield* Effect.annotateCurrentSpan({ cluster })

  const fill = Effect.gen(function* () {
    const nowMs = yield* Clock.currentTimeMillis
    const extent = (yield* store.extents).find((one) => one.cluster === cluster)
    const noted = yield* journal.backfill(cluster)
    const earliestMs = hourOf(nowMs - settings.retentionDays * DAY_MS) + HOUR_MS
    const before = Option.getOrElse(noted, (): Window => ({
      startMs: earliestMs,
      endMs: extent?.fromMs ?? hourOf(nowMs)
    }))
    yield* fillWindow(parts, { startMs: Math.max(before.startMs, earliestMs), endMs: before.endMs }, (left) =>
      journal.noteBackfill(cluster, left)
    )
    yield* journal.noteBackfill(cluster, { startMs: before.endMs, endMs: before.endMs })
    if (extent === undefined) return
    yield* fillWindow(
      parts,
      { startMs: Math.max(extent.toMs, before.endMs, earliestMs), endMs: hourOf(nowMs) },
      () => Effect.void
    )
  })

  const once = Effect.gen(function* () {
    const filled = yield* Effect.result(fill)
    yield* attempted
    if (Result.isSuccess(filled)) return yield* troubles.worked("backfill")
    yield* troubles.failed("backfill", filled.failure.message)
    return yield* filled.failure
  })

  yield* Effect.retry(once, Schedule.min([Schedule.exponential("10 seconds"), Schedule.spaced("10 minutes")])).pipe(
    Effect.orDie
  )
  yield* Effect.logDebug(`cost of cluster ${cluster}: nothing to fill in from ${source._tag} usage`)
})

const fillWindow = Effect.fnUntraced(function* (
  parts: Parts,
  window: Window,
  note: (left: Window) => Effect.Effect<void, CostError>
) {
  const { cluster, source } = parts
  if (window.startMs >= window.endMs) return
  let filled = 0
  yield* Stream.runForEach(
    source.past(cluster, window),
    Effect.fnUntraced(function* (facts: HourFacts): Effect.fn.Return<void, CostError | UsageError> {
      yield* fillHour(parts, facts)
      filled++
      if (filled % NOTE_HOURS !== 0) return
      const left = { startMs: facts.startMs + HOUR_MS, endMs: window.endMs }
      yield* note(left)
      yield* Effect.logInfo(`cost of cluster ${cluster}: ${filled} hours filled in, at most ${hoursIn(left)} are left`)
    })
  )
  if (filled > 0) yield* Effect.logInfo(`cost of cluster ${cluster}: all of ${filled} hours are filled in`)
})

const fillHour = Effect.fnUntraced(function* ({ cluster, lane, prices, recommender, store }: Parts, facts: HourFacts) {
  if (facts.cluster !== cluster || facts.seen.length === 0) return
  yield* lane.withPermit(Effect.flatMap(HourClosing.priced(prices, facts), store.close)).pipe(
    Effect.catchIf(
      ({ reason }) => reason._tag === "HourClosed" || reason._tag === "HourForgotten",
      () => Effect.void
    )
  )
  const nowMs = yield* Clock.currentTimeMillis
  if (facts.startMs >= nowMs - RECOMMENDATION_DAYS * DAY_MS) yield* recommender.fold(HourBuilder.usageOf(facts))
})
