/**
 * Finishes hours: builds them, closes them in the store, and gives them to the recommender.
 *
 * @since 0.1.0
 */
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Clock, Effect, Metric, Option, Result, type Semaphore } from "effect"
import { CostError } from "../hour/CostError.ts"
import type { CostStore } from "../store/CostStore.ts"
import type { Hour } from "../hour/Hour.ts"
import * as HourBuilder from "../allocation/HourBuilder.ts"
import type { HourFacts } from "../allocation/HourFacts.ts"
import type { HourUsage } from "../savings/HourUsage.ts"
import type { Prices } from "../price/Prices.ts"
import type { Recommender } from "../savings/Recommender.ts"
import { HOUR_MS, SECOND_MS } from "../hour/Units.ts"
import type { HourOfUsage, UsageSource } from "../usage/UsageSource.ts"
import type { HourJournal } from "./HourJournal.ts"
import * as HourPricing from "./HourPricing.ts"
import { type OpenHour, withUsage } from "./OpenHour.ts"
import type { SamplerSettings } from "./SamplerSettings.ts"
import type { Troubles } from "./Troubles.ts"

/**
 * An hour that is over.
 *
 * **Shape** `usage` is missing until all is known that will be; `isClosed` once the store has it.
 */
export interface PendingHour {
  readonly hour: OpenHour
  isClosed: boolean
  usage: HourUsage | undefined
}

/** **Shape** `lane` keeps two writers of one cluster's hours apart; `mayFold` holds once older hours are in. */
export interface Parts {
  readonly cluster: ClusterName
  readonly source: UsageSource
  readonly store: CostStore["Service"]
  readonly prices: Prices["Service"]
  readonly recommender: Recommender["Service"]
  readonly journal: HourJournal["Service"]
  readonly lane: Semaphore.Semaphore
  readonly troubles: Troubles
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

/** Does something about a reason of the store's failures that is no failure here. */
const isReason = (error: CostError, ...tags: ReadonlyArray<CostError["reason"]["_tag"]>): boolean =>
  tags.includes(error.reason._tag)

/**
 * Makes the finisher of one cluster's hours.
 *
 * **Shape** takes out of the list what is finished. Hours that the store does not have are closed first, the newest
 * before older ones: without usage where it cannot be read. Those are written again, oldest first, once it can; the
 * recommender waits for them, since it takes hours in order. A source in trouble is asked for one hour a round. What fails
 * stays in the list and is tried again.
 *
 * **Limits** `maxPendingHours` in the list: the oldest beyond is finished without usage, or kept from the recommender if that
 * still waits for older hours; if even the store does not take it, it is left to the journal.
 */
export const make = ({
  cluster,
  journal,
  lane,
  mayFold,
  prices,
  recommender,
  settings,
  source,
  store,
  troubles
}: Parts) => {
  let isTroubled = false

  const ask = Effect.fnUntraced(function* (startMs: number) {
    if (source._tag !== "Hourly") return Option.some<HourOfUsage | undefined>(undefined)
    const asked = yield* source.hour(cluster, startMs).pipe(
      Effect.map(Option.some),
      Effect.timeoutOrElse({
        duration: ASK_SECONDS * SECOND_MS,
        orElse: () =>
          Effect.as(troubles.failed("usage", `no answer within ${ASK_SECONDS} s`), Option.none<HourOfUsage>())
      }),
      Effect.result
    )
    if (Result.isFailure(asked)) {
      yield* troubles.failed("usage", asked.failure.message)
      return Option.none<HourOfUsage | undefined>()
    }
    if (Option.isSome(asked.success)) yield* troubles.worked("usage")
    return asked.success
  })

  /**
   * Writes a closed hour again if more is known of it now.
   *
   * **Shape** it was closed before a crash, by another clock, or without what a source tells only now.
   */
  const replace = Effect.fnUntraced(function* (hour: Hour, isLate: boolean) {
    const [kept] = yield* store.hours(cluster, { startMs: hour.startMs, endMs: hour.startMs + HOUR_MS })
    const more = hour.knownSeconds - (kept?.knownSeconds ?? 0)
    if (more > 0 || (isLate && more === 0)) yield* store.rewrite([hour])
  })

  const write = (facts: HourFacts, isClosed: boolean, isLate: boolean): Effect.Effect<void, CostError> => {
    const writtenAs = (hour: Hour): Effect.Effect<void, CostError> =>
      isClosed
        ? replace(hour, isLate)
        : Effect.catchIf(
            Effect.tap(store.close(hour), Metric.update(closedHours, 1)),
            (error: CostError) => isReason(error, "HourClosed"),
            () => replace(hour, isLate)
          )
    // Charged in the lane: a repricing in between would miss the hour.
    return lane.withPermit(Effect.flatMap(priced(prices, facts), writtenAs)).pipe(
      Effect.catchIf(
        (error) => isReason(error, "HourForgotten"),
        (error) => Effect.logWarning(`cost of cluster ${cluster}: ${error.message}`)
      )
    )
  }

  /** Brings an hour as far as it can be brought now. */
  const advance = Effect.fnUntraced(function* (one: PendingHour, mayAsk: boolean) {
    const asked = mayAsk ? yield* ask(one.hour.startMs) : Option.none()
    if (mayAsk) isTroubled = Option.isNone(asked)
    if (Option.isNone(asked) && one.isClosed) return
    const seen = one.hour.facts()
    const usage = Option.getOrUndefined(asked)
    const facts = usage === undefined ? seen : withUsage(seen, usage)
    yield* write(facts, one.isClosed, source._tag === "Hourly" && Option.isSome(asked))
    one.isClosed = true
    if (Option.isSome(asked)) one.usage = HourBuilder.usageOf(facts)
  })

  const finish = Effect.fnUntraced(function* (pending: Array<PendingHour>, one: PendingHour) {
    const place = pending.indexOf(one)
    // The clock went back: the hour goes on.
    if (place < 0) return
    pending.splice(place, 1)
    yield* journal.remove(one.hour)
  })

  const run = Effect.fnUntraced(function* (pending: Array<PendingHour>, nowMs: number) {
    const due = pending.filter(({ hour }) => nowMs >= hour.endMs + settings.graceSeconds * SECOND_MS)
    const oldest = pending.length > settings.maxPendingHours ? pending[0] : undefined
    const beganMs = yield* Clock.currentTimeMillis
    let hasFailed = false
    const mayAsk = Effect.map(
      Clock.currentTimeMillis,
      (ms) => source._tag !== "Hourly" || (!hasFailed && Math.abs(ms - beganMs) < ASKING_SECONDS * SECOND_MS)
    )
    for (const one of due) if (!one.hour.isSeen) yield* finish(pending, one)
    const seen = due.filter((one) => pending.includes(one))

    for (const one of seen.filter(({ isClosed }) => !isClosed).toReversed()) {
      const isAsked = !isTroubled && (yield* mayAsk)
      yield* advance(one, isAsked)
      hasFailed ||= isAsked && isTroubled
    }
    for (const one of seen.filter(({ usage }) => usage === undefined)) {
      if (!(yield* mayAsk)) break
      yield* advance(one, true)
      hasFailed = isTroubled
    }

    let isInOrder = true
    for (const one of seen) {
      if (one === oldest && (one.usage === undefined || !mayFold())) {
        yield* Effect.logWarning(`cost of cluster ${cluster}: the usage of an hour was given up`, {
          hour: new Date(one.hour.startMs).toISOString()
        })
        yield* finish(pending, one)
        continue
      }
      isInOrder = isInOrder && one.usage !== undefined && mayFold()
      if (!isInOrder || one.usage === undefined) continue
      yield* recommender.fold(one.usage)
      yield* finish(pending, one)
    }
  })

  /** Finishes what can be finished now. */
  return Effect.fn("HourClosing.run")(function* (pending: Array<PendingHour>, nowMs: number) {
    yield* Effect.annotateCurrentSpan({ cluster })
    if (pending.length === 0) return
    const ran = yield* Effect.result(run(pending, nowMs))
    if (Result.isSuccess(ran)) return yield* troubles.worked("store")
    yield* troubles.failed("store", ran.failure.message)
    // The journal has it still, for the next start.
    if (pending.length > settings.maxPendingHours) pending.shift()
  })
}
