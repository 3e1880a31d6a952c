/**
 * Closes hours that are over: builds them, writes them to the store, and gives them to the recommender.
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
 * **Shape** `lane` keeps two writers of one cluster's hours apart; `mayFold` holds once older hours are in.
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
  description: "Hours of clusters that were closed",
  incremental: true
})

/** How long a source is given to tell of a whole hour: less than the time from one sample to the next. */
const ASK_SECONDS = 45
/** Another hour is asked for in the first seconds of a round only: the hour that ends next must not wait for old ones. */
const ASKING_SECONDS = 10

/** Builds an hour with its costs, at the prices of its time. */
export const priced = (prices: Prices["Service"], facts: HourFacts): Effect.Effect<Hour> =>
  Effect.map(prices.history, (history) => HourPricing.fromFacts(history, facts))

/** Tells whether the store failed for one of some reasons. */
const hasReason = (error: CostError, ...tags: ReadonlyArray<CostError["reason"]["_tag"]>): boolean =>
  tags.includes(error.reason._tag)

/** The closing of one cluster's hours. **Shape** `isSourceFailing` while the source gives no answer for an hour. */
interface Closing extends Parts {
  readonly hours: ClusterHours
  isSourceFailing: boolean
}

/**
 * Makes what closes one cluster's hours.
 *
 * Takes out of those in hand what is finished. Hours that the store does not have are closed first, the newest
 * before older ones: without usage where it cannot be read. Those are written again, oldest first, once it can; the
 * recommender waits for them, since it takes hours in order. A failing source is asked for one hour a round. What fails
 * stays in hand and is tried again.
 *
 * **Limits** `maxPendingHours` in hand: the oldest beyond is finished without usage, or kept from the recommender if that
 * still waits for older hours; if even the store does not take it, it is left to the journal.
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
    // The journal has it still, for the next start.
    if (hours.pending.length > settings.maxPendingHours) hours.dropOldest()
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
      yield* Effect.logWarning(`cost of cluster ${closing.cluster}: the usage of an hour was given up`, {
        hour: new Date(pending.hour.startMs).toISOString()
      })
    } else if (pending.usage !== undefined) yield* closing.recommender.fold(pending.usage)
    yield* finish(closing, pending)
  }
})

/** Lists the hours that are over for so long that nothing more will be seen of them, oldest first. */
export const dueOf = (
  pending: ReadonlyArray<PendingHour>,
  nowMs: number,
  graceSeconds: number
): ReadonlyArray<PendingHour> => pending.filter(({ hour }) => nowMs >= hour.endMs + graceSeconds * SECOND_MS)

/** Closes hours that the store does not have, the newest first, then asks for the usage of those without. */
const writeAll = Effect.fnUntraced(function* (closing: Closing, seen: ReadonlyArray<PendingHour>) {
  const { source } = closing
  const beganMs = yield* Clock.currentTimeMillis
  let hasFailed = false
  const mayAsk = Effect.map(
    Clock.currentTimeMillis,
    (ms) => source._tag !== "Hourly" || (!hasFailed && Math.abs(ms - beganMs) < ASKING_SECONDS * SECOND_MS)
  )
  for (const pending of seen.filter(({ isClosed }) => !isClosed).toReversed()) {
    const isAsked = !closing.isSourceFailing && (yield* mayAsk)
    yield* advance(closing, pending, isAsked)
    hasFailed ||= isAsked && closing.isSourceFailing
  }
  for (const pending of seen.filter(({ usage }) => usage === undefined)) {
    if (!(yield* mayAsk)) break
    yield* advance(closing, pending, true)
    hasFailed = closing.isSourceFailing
  }
})

/** What ends an hour: the recommender takes it, or its usage is not waited for any longer. */
export interface Step {
  readonly pending: PendingHour
  readonly step: "fold" | "giveUp"
}

/** Tells how hours end now, oldest first: the recommender takes them in order, so one that waits holds up the later ones. */
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

/** Brings an hour as far as it can be brought now. */
const advance = Effect.fnUntraced(function* (closing: Closing, pending: PendingHour, mayAsk: boolean) {
  const asked = mayAsk ? yield* ask(closing, pending.hour.startMs) : Option.none()
  if (mayAsk) closing.isSourceFailing = Option.isNone(asked)
  if (Option.isNone(asked) && pending.isClosed) return
  const seen = pending.hour.facts()
  const usage = Option.getOrUndefined(asked)
  const facts = FoldedWorkloads.fold(
    usage === undefined ? seen : withUsage(seen, usage),
    closing.settings.foldedPrefixes
  )
  const isLate = closing.source._tag === "Hourly" && Option.isSome(asked)
  yield* write(closing, { facts, isClosed: pending.isClosed, isLate })
  closing.hours.noteClosed(pending, Option.isSome(asked) ? HourBuilder.usageOf(facts) : undefined)
})

/** Forgets an hour of which nothing is left to do, but not one that goes on since the clock went back. */
const finish = Effect.fnUntraced(function* ({ hours, journal }: Closing, pending: PendingHour) {
  if (hours.finish(pending)) yield* journal.remove(pending.hour)
})

const ask = Effect.fnUntraced(function* ({ cluster, source, failureLog }: Parts, startMs: number) {
  if (source._tag !== "Hourly") return Option.some<HourOfUsage | undefined>(undefined)
  const asked = yield* source.hour(cluster, startMs).pipe(
    Effect.map(Option.some),
    Effect.timeoutOrElse({
      duration: ASK_SECONDS * SECOND_MS,
      orElse: () =>
        Effect.as(failureLog.failed("usage", `no answer within ${ASK_SECONDS} s`), Option.none<HourOfUsage>())
    }),
    Effect.result
  )
  if (Result.isFailure(asked)) {
    yield* failureLog.failed("usage", asked.failure.explanation)
    return Option.none<HourOfUsage | undefined>()
  }
  if (Option.isSome(asked.success)) yield* failureLog.worked("usage")
  return asked.success
})

/**
 * Writes a closed hour again if more is known of it now.
 *
 * It was closed before a crash, by another clock, or without what a source tells only now.
 */
const replace = Effect.fnUntraced(function* ({ cluster, store }: Parts, hour: Hour, isLate: boolean) {
  const [closed] = yield* store.hours(cluster, { startMs: hour.startMs, endMs: hour.startMs + HOUR_MS })
  const more = hour.knownSeconds - (closed?.knownSeconds ?? 0)
  if (more > 0 || (isLate && more === 0)) yield* store.rewrite([hour])
})

/** What is written of an hour. **Shape** `isLate` where the source told of it after it was closed. */
interface Writing {
  readonly facts: HourFacts
  readonly isClosed: boolean
  readonly isLate: boolean
}

const write = (parts: Parts, { facts, isClosed, isLate }: Writing): Effect.Effect<void, CostError> => {
  const { cluster, lane, prices, store } = parts
  const closeOrReplace = (hour: Hour): Effect.Effect<void, CostError> =>
    isClosed
      ? replace(parts, hour, isLate)
      : Effect.catchIf(
          Effect.tap(store.close(hour), Metric.update(closedHours, 1)),
          (error: CostError) => hasReason(error, "HourClosed"),
          () => replace(parts, hour, isLate)
        )
  // Charged in the lane: a repricing in between would miss the hour.
  return lane.withPermit(Effect.flatMap(priced(prices, facts), closeOrReplace)).pipe(
    Effect.catchIf(
      (error) => hasReason(error, "HourForgotten"),
      (error) => Effect.logWarning(`cost of cluster ${cluster}: ${error.message}`)
    )
  )
}
