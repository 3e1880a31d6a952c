/**
 * Fills in the hours that nobody sampled, from a source that remembers them.
 *
 * @since 0.1.0
 */
import { Clock, Effect, Option, Result, Stream } from "effect"
import type { CostError } from "../hour/CostError.ts"
import * as HourBuilder from "../allocation/HourBuilder.ts"
import type { HourFacts } from "../allocation/HourFacts.ts"
import { RECOMMENDATION_DAYS } from "../savings/Recommendation.ts"
import { DAY_MS, HOUR_MS, hourOf } from "../hour/Units.ts"
import type { UsageError } from "../usage/UsageError.ts"
import type { Hourly } from "../usage/UsageSource.ts"
import { hoursIn, type Window } from "../hour/Window.ts"
import * as HourClosing from "./HourClosing.ts"
import type { Backlog } from "./HourJournal.ts"
import * as Retrying from "./Retrying.ts"

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
 * **Shape** hours that are closed stay as they are. What is to be filled in is found and noted once, before anything is:
 * hours that are closed meanwhile change nothing about it, nor does another end of the program. Failures are tried again,
 * for ever, from where it was; hours that come after that are not given to the recommender, which is further by then.
 *
 * **Limits** one hour at a time, of the time that is retained.
 */
export const run = Effect.fn("Backfill.run")(function* (parts: Parts) {
  const { attempted, cluster, journal, settings, source, troubles } = parts
  yield* Effect.annotateCurrentSpan({ cluster })
  const beganMs = yield* Clock.currentTimeMillis
  const earliestOf = (nowMs: number): number => hourOf(nowMs - settings.retentionDays * DAY_MS) + HOUR_MS
  let settled: Backlog | undefined

  const fill = Effect.gen(function* () {
    settled ??= yield* found(parts, { startMs: earliestOf(beganMs), endMs: hourOf(beganMs) })
    let { left } = settled
    const { untilMs } = settled
    const note = Effect.suspend(() => journal.noteBackfill(cluster, { untilMs, left }))
    yield* note
    while (true) {
      const [first, ...others] = left
      if (first === undefined) return
      const goOn = (startMs: number): void => {
        left = [{ ...first, startMs }, ...others]
        settled = { untilMs, left }
      }
      const startMs = Math.max(first.startMs, earliestOf(yield* Clock.currentTimeMillis))
      yield* fillWindow(parts, { ...first, startMs }, goOn, note)
      left = others
      settled = { untilMs, left }
      yield* note
    }
  })

  const once = Effect.gen(function* () {
    const filled = yield* Effect.result(fill)
    yield* attempted
    if (Result.isSuccess(filled)) return yield* troubles.worked("backfill")
    yield* troubles.failed("backfill", filled.failure.message)
    return yield* filled.failure
  })

  yield* Effect.orDie(Effect.retry(once, Retrying.forEver))
  yield* Effect.logDebug(`cost of cluster ${cluster}: nothing to fill in from ${source._tag} usage`)
})

/**
 * Finds what is to be filled in of the time up to the start.
 *
 * **Shape** what was noted, and what lies between the last closed hour, or all that was noted, and the start.
 */
const found = Effect.fnUntraced(function* (
  { cluster, journal, store }: Parts,
  { endMs, startMs }: Window
): Effect.fn.Return<Backlog, CostError> {
  // First of all: hours that are closed from now on would hide the gap before them.
  const extent = (yield* store.extents).find((one) => one.cluster === cluster)
  const noted = Option.getOrElse(yield* journal.backfill(cluster), (): Backlog => {
    const untilMs = extent?.fromMs ?? endMs
    return { untilMs, left: [{ startMs, endMs: untilMs }] }
  })
  const gap = { startMs: Math.max(extent?.toMs ?? 0, noted.untilMs, startMs), endMs }
  return { untilMs: endMs, left: [...noted.left, gap].filter((window) => window.startMs < window.endMs) }
})

const fillWindow = Effect.fnUntraced(function* (
  parts: Parts,
  window: Window,
  goOn: (startMs: number) => void,
  note: Effect.Effect<void, CostError>
) {
  const { cluster, source } = parts
  if (window.startMs >= window.endMs) return
  let filled = 0
  yield* Stream.runForEach(
    source.past(cluster, window),
    Effect.fnUntraced(function* (facts: HourFacts): Effect.fn.Return<void, CostError | UsageError> {
      yield* fillHour(parts, facts)
      const startMs = facts.startMs + HOUR_MS
      goOn(startMs)
      filled++
      if (filled % NOTE_HOURS !== 0) return
      yield* note
      const left = hoursIn({ startMs, endMs: window.endMs })
      yield* Effect.logInfo(`cost of cluster ${cluster}: ${filled} hours filled in, at most ${left} are left`)
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
