/**
 * Closes ended hours: builds them, writes them to the store, and passes their usage to the recommender.
 */
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Clock, Effect, Metric, Option, Result, type Semaphore } from "effect"
import { CostError } from "../hour/CostError.ts"
import type { CostStore } from "../store/CostStore.ts"
import type { Hour } from "../hour/Hour.ts"
import * as FoldedWorkloads from "../allocation/FoldedWorkloads.ts"
import * as HourBuilder from "../allocation/HourBuilder.ts"
import type { HourFacts } from "../allocation/HourFacts.ts"
import type { Prices } from "../price/Prices.ts"
import type { Recommender } from "../savings/Recommender.ts"
import { HOUR_MS, SECOND_MS } from "../hour/Units.ts"
import type { HourOfUsage, UsageSource } from "../usage/UsageSource.ts"
import type { ClusterHours, PendingHour } from "./ClusterHours.ts"
import type { HourJournal } from "./HourJournal.ts"
import * as HourPricing from "./HourPricing.ts"
import { withUsage } from "./OpenHour.ts"
import type { SamplerSettings } from "./SamplerSettings.ts"
import type { FailureLog } from "./FailureLog.ts"

/**
 * The dependencies of closing one cluster's hours.
 *
 * **Shape** `lane` serializes writes to one cluster's hours. `mayFold` returns true once older hours are back-filled.
 */
export interface Parts {
  readonly cluster: ClusterName
  readonly source: UsageSource
  readonly store: CostStore["Service"]
  readonly prices: Prices["Service"]
  readonly recommender: Recommender["Service"]
  readonly journal: HourJournal["Service"]
  readonly lane: Semaphore.Semaphore
  readonly failureLog: FailureLog
  readonly settings: SamplerSettings
  readonly mayFold: () => boolean
}

const closedHours = Metric.counter("quarterdeck_cost_hours_closed_total", {
  description: "Hours closed, per cluster and hour",
  incremental: true
})

/** Timeout of a query for one hour's usage. Less than the interval between samples. */
const QUERY_TIMEOUT_SECONDS = 45
/** A round starts no further query after this time, so that old hours do not delay the one that ends next. */
const QUERY_ROUND_SECONDS = 10

/** Builds an hour with costs at the prices of its time. */
export const priced = (prices: Prices["Service"], facts: HourFacts): Effect.Effect<Hour> =>
  Effect.map(prices.history, (history) => HourPricing.fromFacts(history, facts))

const hasReason = (error: CostError, ...tags: ReadonlyArray<CostError["reason"]["_tag"]>): boolean =>
  tags.includes(error.reason._tag)

/** Closes one cluster's hours. **Shape** `isSourceFailing` is true while the source returns no usage. */
interface Closing extends Parts {
  readonly hours: ClusterHours
  isSourceFailing: boolean
}

/**
 * Creates the function that closes one cluster's ended hours.
 *
 * Hours that the store lacks are closed first, newest first. If the source fails, they are closed without usage. Once their
 * usage is known, they are rewritten, oldest first. The recommender needs hours in order, so each hour stays pending until the
 * usage of all older hours is known. A failing source is queried for one hour per round. Failed hours stay pending and are
 * tried again.
 *
 * **Limits** at most `maxPendingHours` are pending. Beyond that, the oldest hour is finished without usage. If its usage is
 * known but older hours are still being back-filled, the hour is finished without the recommender. If the store fails, the
 * oldest hour is dropped from memory, and only the journal keeps it.
 */
export const make = (parts: Parts, hours: ClusterHours) => {
  const closing: Closing = { ...parts, hours, isSourceFailing: false }
  const { cluster, settings, failureLog } = parts

  return Effect.fn("HourClosing.run")(function* (nowMs: number) {
    yield* Effect.annotateCurrentSpan({ cluster })
    if (hours.pending.length === 0) return
    const ran = yield* Effect.result(run(closing, nowMs))
    if (Result.isSuccess(ran)) return yield* failureLog.worked("store")
    yield* failureLog.failed("store", ran.failure.message)
    if (hours.pending.length <= settings.maxPendingHours) return
    const [oldest] = hours.pending
    hours.dropOldest()
    yield* Effect.logError(
      `cost of cluster ${cluster}: the store has failed for ${settings.maxPendingHours} hours, so an hour was dropped from memory; the next start closes it as far as the journal has it`,
      { hour: oldest === undefined ? "" : new Date(oldest.hour.startMs).toISOString() }
    )
  })
}

const run = Effect.fnUntraced(function* (closing: Closing, nowMs: number) {
  const { hours, settings } = closing
  const due = dueOf(hours.pending, nowMs, settings.graceSeconds)
  const oldest = hours.pending.length > settings.maxPendingHours ? hours.pending[0] : undefined
  for (const pending of due) if (!pending.hour.isSeen) yield* finish(closing, pending)
  const seen = due.filter((pending) => hours.pending.includes(pending))
  yield* writeAll(closing, seen)

  for (const { pending, step } of stepsOf(seen, { oldest, mayFold: closing.mayFold() })) {
    if (step === "giveUp") {
      yield* Effect.logWarning(
        `cost of cluster ${closing.cluster}: closed an hour without usage, which never arrived`,
        {
          hour: new Date(pending.hour.startMs).toISOString()
        }
      )
    } else if (pending.usage !== undefined) yield* closing.recommender.fold(pending.usage)
    yield* finish(closing, pending)
  }
})

/**
 * Returns the pending hours that ended at least `graceSeconds` ago, oldest first. No more observations will arrive for them.
 */
export const dueOf = (
  pending: ReadonlyArray<PendingHour>,
  nowMs: number,
  graceSeconds: number
): ReadonlyArray<PendingHour> => pending.filter(({ hour }) => nowMs >= hour.endMs + graceSeconds * SECOND_MS)

/** Closes hours that the store lacks, newest first, then queries usage for closed hours without it. */
const writeAll = Effect.fnUntraced(function* (closing: Closing, seen: ReadonlyArray<PendingHour>) {
  const { source } = closing
  const beganMs = yield* Clock.currentTimeMillis
  let hasFailed = false
  const mayAskNow = Effect.map(
    Clock.currentTimeMillis,
    (ms) => source._tag !== "Hourly" || (!hasFailed && Math.abs(ms - beganMs) < QUERY_ROUND_SECONDS * SECOND_MS)
  )
  for (const pending of seen.filter(({ isClosed }) => !isClosed).toReversed()) {
    const mayQuery = !closing.isSourceFailing && (yield* mayAskNow)
    yield* advance(closing, pending, mayQuery)
    hasFailed ||= mayQuery && closing.isSourceFailing
  }
  for (const pending of seen.filter(({ usage }) => usage === undefined)) {
    if (!(yield* mayAskNow)) break
    yield* advance(closing, pending, true)
    hasFailed = closing.isSourceFailing
  }
})

/** The final step of an hour: pass its usage to the recommender (`fold`), or give up waiting for the usage. */
export interface Step {
  readonly pending: PendingHour
  readonly step: "fold" | "giveUp"
}

/**
 * Returns the final steps that can run now, oldest first. The recommender gets hours in order: an hour without usage
 * blocks later hours.
 */
export const stepsOf = (
  seen: ReadonlyArray<PendingHour>,
  { mayFold, oldest }: { readonly oldest: PendingHour | undefined; readonly mayFold: boolean }
): ReadonlyArray<Step> => {
  const steps: Array<Step> = []
  let isInOrder = mayFold
  for (const pending of seen) {
    if (pending === oldest && (pending.usage === undefined || !mayFold)) {
      steps.push({ pending, step: "giveUp" })
      continue
    }
    isInOrder = isInOrder && pending.usage !== undefined
    if (isInOrder) steps.push({ pending, step: "fold" })
  }
  return steps
}

/** Queries an hour's usage if `mayAskNow`, and writes the hour. */
const advance = Effect.fnUntraced(function* (closing: Closing, pending: PendingHour, mayAskNow: boolean) {
  const answer = mayAskNow ? yield* ask(closing, pending.hour.startMs) : Option.none()
  if (mayAskNow) closing.isSourceFailing = Option.isNone(answer)
  if (Option.isNone(answer) && pending.isClosed) return
  const seen = pending.hour.facts()
  const usage = Option.getOrUndefined(answer)
  const facts = FoldedWorkloads.fold(
    usage === undefined ? seen : withUsage(seen, usage),
    closing.settings.foldedPrefixes
  )
  const isLate = closing.source._tag === "Hourly" && Option.isSome(answer)
  yield* write(closing, { facts, isClosed: pending.isClosed, isLate })
  closing.hours.noteClosed(pending, Option.isSome(answer) ? HourBuilder.usageOf(facts) : undefined)
})

/** Removes a finished hour, unless the clock was set back and the hour is open again. */
const finish = Effect.fnUntraced(function* ({ hours, journal }: Closing, pending: PendingHour) {
  if (hours.finish(pending)) yield* journal.remove(pending.hour)
})

const ask = Effect.fnUntraced(function* ({ cluster, source, failureLog }: Parts, startMs: number) {
  if (source._tag !== "Hourly") return Option.some<HourOfUsage | undefined>(undefined)
  const answer = yield* source.hour(cluster, startMs).pipe(
    Effect.map(Option.some),
    Effect.timeoutOrElse({
      duration: QUERY_TIMEOUT_SECONDS * SECOND_MS,
      orElse: () =>
        Effect.as(failureLog.failed("usage", `no answer within ${QUERY_TIMEOUT_SECONDS} s`), Option.none<HourOfUsage>())
    }),
    Effect.result
  )
  if (Result.isFailure(answer)) {
    yield* failureLog.failed("usage", answer.failure.explanation)
    return Option.none<HourOfUsage | undefined>()
  }
  if (Option.isSome(answer.success)) yield* failureLog.worked("usage")
  return answer.success
})

/**
 * Rewrites a closed hour if more of its usage is known now.
 *
 * The hour was closed before a crash, while the clock was wrong, or before the source returned the usage.
 */
const replace = Effect.fnUntraced(function* ({ cluster, store }: Parts, hour: Hour, isLate: boolean) {
  const [closed] = yield* store.hours(cluster, { startMs: hour.startMs, endMs: hour.startMs + HOUR_MS })
  const more = hour.knownSeconds - (closed?.knownSeconds ?? 0)
  if (more > 0 || (isLate && more === 0)) yield* store.rewrite([hour])
})

/** An hour to write. **Shape** `isLate` is true if an hourly source returned the usage, maybe after the closing. */
interface HourWrite {
  readonly facts: HourFacts
  readonly isClosed: boolean
  readonly isLate: boolean
}

const write = (parts: Parts, { facts, isClosed, isLate }: HourWrite): Effect.Effect<void, CostError> => {
  const { cluster, lane, prices, store } = parts
  const closeOrReplace = (hour: Hour): Effect.Effect<void, CostError> =>
    isClosed
      ? replace(parts, hour, isLate)
      : Effect.catchIf(
          Effect.tap(store.close(hour), Metric.update(closedHours, 1)),
          (error: CostError) => hasReason(error, "HourClosed"),
          () => replace(parts, hour, isLate)
        )
  // The hour is priced while the lock is held. Otherwise a repricing between pricing and writing would miss the hour.
  return lane.withPermit(Effect.flatMap(priced(prices, facts), closeOrReplace)).pipe(
    Effect.catchIf(
      (error) => hasReason(error, "HourForgotten"),
      (error) => Effect.logWarning(`cost of cluster ${cluster}: ${error.message}`)
    )
  )
}
