/**
 * Back-fills hours that were not sampled, from a source that stores past usage.
 */
import { Clock, Effect, Result, Stream } from "effect"
import type { CostError } from "../hour/CostError.ts"
import * as FoldedWorkloads from "../allocation/FoldedWorkloads.ts"
import * as HourBuilder from "../allocation/HourBuilder.ts"
import type { HourFacts } from "../allocation/HourFacts.ts"
import { RECOMMENDATION_DAYS } from "../savings/Recommendation.ts"
import { DAY_MS, HOUR_MS, SECOND_MS, hourOf } from "../hour/Units.ts"
import { UsageError } from "../usage/UsageError.ts"
import type { Hourly } from "../usage/UsageSource.ts"
import type { Window } from "../hour/Window.ts"
import * as BackfillPlan from "./BackfillPlan.ts"
import * as BackfillState from "./BackfillState.ts"
import * as Backlog from "./Backlog.ts"
import * as HourClosing from "./HourClosing.ts"

export interface Parts extends Omit<HourClosing.Parts, "source" | "mayFold"> {
  readonly source: Hourly
  /** Runs when the first attempt has ended, whatever its result. The recommender may then process present hours. */
  readonly attempted: Effect.Effect<void>
  /**
   * Called with true when past hours start to arrive, and with false when no more arrive. In between, days must not be
   * pruned to daily sums.
   */
  readonly setFilling: (isFilling: boolean) => void
}

/** Number of filled hours after which the list of hours still to fill (the backlog) is saved. */
const NOTE_HOURS = 24
/** Number of consecutive unreadable hours after which an attempt ends. The source itself has probably failed then. */
const MAX_UNREAD_HOURS = 3
/** Interval at which the back-fill checks whether an operator requested its restart. */
const LOOK_MS = 30 * SECOND_MS

/**
 * Creates the back-fill of one cluster.
 *
 * It fills the hours before the first closed hour, and those during which the process did not run, in ascending order. Closed
 * hours do not change. The hours to fill (open hours) are determined and saved once, before the first is filled. Later closed
 * hours and restarts do not affect this list. An hour is filled if the source knows its nodes. Any other hour stays open, and
 * is queried again without limit. If an unreadable hour ends an attempt, the next one starts with later hours and returns to
 * it. The recommender skips hours that are older than its newest.
 *
 * **Limits** one hour at a time, within the retention.
 */
export const make = (parts: Parts) => {
  const { cluster } = parts
  const filling: Filling = {
    ...parts,
    backlog: undefined,
    state: { cluster, status: "asking", missingHours: 0, olderHours: 0 },
    loggedOlderHours: 0,
    resumeMs: -Infinity
  }
  return { run: run(filling), state: Effect.sync(() => filling.state) }
}

/** The mutable state of one cluster's back-fill. */
interface Filling extends Parts {
  /** The hours that are still to fill; undefined until determined. */
  backlog: Backlog.Backlog | undefined
  state: BackfillState.BackfillState
  /** Number of open hours before the first hour for which the source has data, as last logged. */
  loggedOlderHours: number
  /** Start of the next attempt, so that an unreadable hour does not block the ones after it. */
  resumeMs: number
}

/** Counters of an attempt: filled hours, and unreadable hours in a row. */
interface Counts {
  filled: number
  unread: number
}

const run = Effect.fnUntraced(function* (filling: Filling) {
  const beganMs = yield* Clock.currentTimeMillis
  let attempts = 0
  while (true) {
    const next = yield* attempt(filling, beganMs, attempts)
    attempts = (yield* wait(filling, next.untilMs)) ? 0 : next.attempts
  }
})

/** Runs one attempt. Returns the time of the next one, and the number of fruitless attempts in a row. */
const attempt = Effect.fnUntraced(function* (filling: Filling, beganMs: number, attempts: number) {
  const counts: Counts = { filled: 0, unread: 0 }
  const outcome = yield* Effect.result(Effect.tap(fill(filling, beganMs, counts), (backlog) => note(filling, backlog)))
  yield* filling.attempted
  const nowMs = yield* Clock.currentTimeMillis
  const fruitless = counts.filled > 0 ? 0 : attempts
  const ending = endingOf(outcome)
  const untilMs = nowMs + BackfillState.waitMs(ending, fruitless)
  const nextMs = untilMs === Infinity ? undefined : untilMs
  if (Result.isSuccess(outcome)) {
    filling.setFilling(false)
    const problem = yield* report(filling, outcome.success, counts.filled)
    yield* show(filling, outcome.success, { status: nextMs === undefined ? "done" : "waiting", problem, nextMs })
  } else {
    const problem = problemOf(outcome.failure)
    yield* filling.failureLog.failed("backfill", problem)
    const backlog = filling.backlog ?? { untilMs: hourOf(beganMs), left: [] }
    yield* show(filling, backlog, { status: "waiting", problem, nextMs })
  }
  return { attempts: fruitless + 1, untilMs }
})

const endingOf = (outcome: Result.Result<Backlog.Backlog, CostError | UsageError>): BackfillState.Ending => {
  if (Result.isSuccess(outcome)) return { _tag: outcome.success.left.length === 0 ? "Complete" : "Unknown" }
  const { failure } = outcome
  return { _tag: "Failed", retryAfterMs: failure instanceof UsageError ? (failure.retryAfterMs ?? 0) : 0 }
}

const problemOf = (error: CostError | UsageError): string =>
  error instanceof UsageError ? error.explanation : error.message

/**
 * Queries all hours that are still to fill. **Errors** the error of the last unreadable hour, after all hours were
 * queried.
 */
const fill = Effect.fnUntraced(function* (
  filling: Filling,
  beganMs: number,
  counts: Counts
): Effect.fn.Return<Backlog.Backlog, CostError | UsageError> {
  let failure: UsageError | undefined
  const windows = Backlog.startingAt((yield* open(filling, beganMs)).left, filling.resumeMs)
  for (const window of windows) failure = (yield* fillWindow(filling, window, counts)) ?? failure
  filling.resumeMs = -Infinity
  if (failure !== undefined) return yield* failure
  const backlog = filling.backlog ?? { untilMs: hourOf(beganMs), left: [] }
  if (backlog.left.length === 0 || backlog.knownFromMs !== undefined) return backlog
  return yield* askPresent(filling, backlog)
})

/** Returns the hours within the retention that are still to fill. */
const open = Effect.fnUntraced(function* (filling: Filling, beganMs: number) {
  const { cluster, journal, setFilling, settings } = filling
  const nowMs = yield* Clock.currentTimeMillis
  const startMs = hourOf(nowMs - settings.retentionDays * DAY_MS) + HOUR_MS
  const endMs = hourOf(beganMs)
  if (yield* journal.isRestartAsked(cluster)) {
    setFilling(true)
    yield* Effect.logInfo(`cost of cluster ${cluster}: restarting the back-fill as requested`)
    // Hours that ended recently may still be waiting to be closed with their samples.
    const settledMs = hourOf(nowMs) - (settings.maxPendingHours + 1) * HOUR_MS
    yield* note(filling, yield* BackfillPlan.rebuilt(filling, { startMs, endMs: Math.max(endMs, settledMs) }))
    yield* journal.askRestart(cluster, false)
  }
  filling.backlog ??= yield* BackfillPlan.remaining(filling, { startMs, endMs })
  const backlog = Backlog.since(filling.backlog, startMs)
  yield* note(filling, backlog)
  return backlog
})

/** Queries one window. Returns the error of its last unreadable hour. **Errors** if the source as a whole fails. */
const fillWindow = Effect.fnUntraced(function* (filling: Filling, window: Window, counts: Counts) {
  let failure: UsageError | undefined
  const take = (answer: HourFacts | UsageError): Effect.Effect<void, CostError | UsageError> => {
    if (!(answer instanceof UsageError)) return takeHour(filling, answer, counts)
    failure = answer
    return takeUnread(filling, answer, counts)
  }
  yield* Stream.runForEach(filling.source.past(filling.cluster, window), take)
  return failure
})

/** Counts an unreadable hour. **Errors** the error of the hour, if the attempt must end. */
const takeUnread = (filling: Filling, error: UsageError, counts: Counts): Effect.Effect<void, UsageError> => {
  counts.unread++
  filling.resumeMs = error.untilMs ?? filling.resumeMs
  return error.retryAfterMs !== undefined || counts.unread >= MAX_UNREAD_HOURS ? Effect.fail(error) : Effect.void
}

/** Closes an hour if the source knows its nodes. Otherwise the hour stays open. */
const takeHour = Effect.fnUntraced(function* (filling: Filling, facts: HourFacts, counts: Counts) {
  const { cluster, setFilling } = filling
  counts.unread = 0
  if (facts.cluster !== cluster || facts.nodes.length === 0 || filling.backlog === undefined) return
  setFilling(true)
  yield* fillHour(filling, facts)
  const backlog = Backlog.filled(filling.backlog, facts.startMs)
  filling.backlog = backlog
  counts.filled++
  if (counts.filled % NOTE_HOURS !== 0) return
  yield* note(filling, backlog)
  const left = Backlog.hoursOf(backlog.left)
  yield* Effect.logInfo(`cost of cluster ${cluster}: back-filled ${counts.filled} hours, at most ${left} left`)
})

/**
 * Queries the hours since the process started. Called if the source has data for none of the hours to fill. If the
 * source has data for one of the later hours, it lacks past data only. Otherwise the source is probably misconfigured.
 */
const askPresent = Effect.fnUntraced(function* ({ cluster, source }: Filling, backlog: Backlog.Backlog) {
  const since = { startMs: backlog.untilMs, endMs: hourOf(yield* Clock.currentTimeMillis) }
  if (since.startMs >= since.endMs) return backlog
  const [first] = yield* source.past(cluster, since).pipe(
    Stream.filter((answer): answer is HourFacts => !(answer instanceof UsageError)),
    Stream.take(1),
    Stream.runCollect
  )
  return first === undefined ? backlog : Backlog.knowing(backlog, first.startMs)
})

/** Logs the result of an attempt that did not fail, and returns why hours are missing, if any are. */
const report = Effect.fnUntraced(function* (filling: Filling, backlog: Backlog.Backlog, filledHours: number) {
  const { cluster, failureLog } = filling
  if (filledHours > 0) yield* Effect.logInfo(`cost of cluster ${cluster}: back-filled ${filledHours} hours`)
  const openHours = BackfillState.openOf(backlog)
  const { missingHours, olderHours } = openHours
  if (olderHours > 0 && filling.loggedOlderHours === 0) {
    const from = new Date(backlog.knownFromMs ?? 0).toISOString()
    yield* Effect.logInfo(`cost of cluster ${cluster}: the source has no data for ${olderHours} hours before ${from}`)
  }
  filling.loggedOlderHours = olderHours
  if (missingHours === 0) {
    yield* failureLog.worked("backfill")
    return undefined
  }
  const problem = BackfillState.explainMissing(backlog, openHours)
  yield* failureLog.failed("backfill", problem)
  return problem
})

/** Waits until `untilMs`, or until a restart is requested. Returns true in the second case. */
const wait = Effect.fnUntraced(function* ({ cluster, journal, failureLog }: Filling, untilMs: number) {
  while (true) {
    const leftMs = untilMs - (yield* Clock.currentTimeMillis)
    if (leftMs <= 0) return false
    yield* Effect.sleep(Math.min(leftMs, LOOK_MS))
    const restart = yield* Effect.result(journal.isRestartAsked(cluster))
    if (Result.isSuccess(restart) && restart.success) return true
    if (Result.isFailure(restart)) yield* failureLog.failed("backfill", restart.failure.message)
  }
})

/** Saves the hours that are still to fill for the next start, and updates the state. */
const note = (filling: Filling, backlog: Backlog.Backlog): Effect.Effect<void, CostError> => {
  const { cluster, journal, state } = filling
  filling.backlog = backlog
  const shown = show(filling, backlog, { status: "asking", problem: state.problem, nextMs: undefined })
  return Effect.andThen(journal.noteBackfill(cluster, backlog), shown)
}

/** Updates the state of the back-fill and its metric. */
const show = (
  filling: Filling,
  backlog: Backlog.Backlog,
  {
    nextMs,
    problem,
    status
  }: Pick<BackfillState.BackfillState, "status"> & {
    readonly problem: string | undefined
    readonly nextMs: number | undefined
  }
): Effect.Effect<void> => {
  filling.state = {
    cluster: filling.cluster,
    status,
    ...BackfillState.openOf(backlog),
    ...(problem === undefined ? {} : { problem }),
    ...(nextMs === undefined ? {} : { nextMs })
  }
  return BackfillState.measure(filling.state)
}

const fillHour = Effect.fnUntraced(function* (parts: Parts, seen: HourFacts) {
  const { lane, prices, recommender, settings, store } = parts
  const facts = FoldedWorkloads.fold(seen, settings.foldedPrefixes)
  yield* lane.withPermit(Effect.flatMap(HourClosing.priced(prices, facts), store.close)).pipe(
    Effect.catchIf(
      ({ reason }) => reason._tag === "HourClosed" || reason._tag === "HourForgotten",
      () => Effect.void
    )
  )
  const nowMs = yield* Clock.currentTimeMillis
  if (facts.startMs >= nowMs - RECOMMENDATION_DAYS * DAY_MS) yield* recommender.fold(HourBuilder.usageOf(facts))
})
