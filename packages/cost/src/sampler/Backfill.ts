/**
 * Fills in the hours that nobody sampled, from a source that remembers them.
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
import * as BackfillRetry from "./BackfillRetry.ts"
import * as BackfillState from "./BackfillState.ts"
import * as Backlog from "./Backlog.ts"
import * as HourClosing from "./HourClosing.ts"

export interface Parts extends Omit<HourClosing.Parts, "source" | "mayFold"> {
  readonly source: Hourly
  /** Runs once the first attempt has ended, however: the recommender may go on with present hours. */
  readonly attempted: Effect.Effect<void>
  /** Is told whether hours are coming in: days must not be put together meanwhile. */
  readonly noteFilling: (isFilling: boolean) => void
}

/** How many hours are filled in between two notes of how far it is. */
const NOTE_HOURS = 24
/** So many hours in a row that cannot be read end an attempt: it is the source then, not the hours. */
const MAX_UNREAD_HOURS = 3
/** How often the wish to start over is looked for. */
const LOOK_MS = 30 * SECOND_MS

/**
 * Makes the backfill of one cluster: its state, and what runs it.
 *
 * Fills in, in rising order, the hours before the first closed one, and those since the last one: the program did
 * not run. Hours that are closed stay as they are. What is to be filled in is found and noted once, before anything is:
 * hours that are closed meanwhile change nothing about it, nor does another end of the program. An hour is filled once the
 * source knew its nodes; any other stays open and is asked for again, for ever, as late as the source wishes. An attempt
 * that ended early is gone on with behind what could not be read, and comes back to it. Hours that come after later ones are
 * not given to the recommender, which is further by then.
 *
 * **Limits** one hour at a time, of the time that is retained.
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

/** How far the backfill of one cluster is. */
interface Filling extends Parts {
  /** What is open; absent until it was found. */
  backlog: Backlog.Backlog | undefined
  state: BackfillState.BackfillState
  /** How many hours were logged last that lie before all that the source knows. */
  loggedOlderHours: number
  /** Where the next attempt begins: what cannot be read must not keep what comes after it from being asked for. */
  resumeMs: number
}

/** How many hours an attempt filled in, and how many in a row could not be read. */
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

/** Asks once, whatever comes of it, and gives until when to wait. */
const attempt = Effect.fnUntraced(function* (filling: Filling, beganMs: number, attempts: number) {
  const counts: Counts = { filled: 0, unread: 0 }
  const outcome = yield* Effect.result(Effect.tap(fill(filling, beganMs, counts), (backlog) => note(filling, backlog)))
  yield* filling.attempted
  const nowMs = yield* Clock.currentTimeMillis
  const fruitless = counts.filled > 0 ? 0 : attempts
  const ending = endingOf(outcome)
  const untilMs = nowMs + BackfillRetry.waitMs(ending, fruitless)
  const nextMs = untilMs === Infinity ? undefined : untilMs
  if (Result.isSuccess(outcome)) {
    filling.noteFilling(false)
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

const endingOf = (outcome: Result.Result<Backlog.Backlog, CostError | UsageError>): BackfillRetry.Ending => {
  if (Result.isSuccess(outcome)) return { _tag: outcome.success.left.length === 0 ? "Complete" : "Unknown" }
  const { failure } = outcome
  return { _tag: "Failed", retryAfterMs: failure instanceof UsageError ? (failure.retryAfterMs ?? 0) : 0 }
}

const problemOf = (error: CostError | UsageError): string =>
  error instanceof UsageError ? error.explanation : error.message

/** Asks once for all that is open. **Errors** the last hour's that could not be read, after all others were asked for. */
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

/** Gives what is open, of which too old hours are given up. */
const open = Effect.fnUntraced(function* (filling: Filling, beganMs: number) {
  const { cluster, journal, noteFilling, settings } = filling
  const nowMs = yield* Clock.currentTimeMillis
  const startMs = hourOf(nowMs - settings.retentionDays * DAY_MS) + HOUR_MS
  const endMs = hourOf(beganMs)
  if (yield* journal.isRestartAsked(cluster)) {
    noteFilling(true)
    yield* Effect.logInfo(`cost of cluster ${cluster}: the past is filled in anew`)
    // Hours that ended since the start may still wait to be closed with what was seen of them.
    const settledMs = hourOf(nowMs) - (settings.maxPendingHours + 1) * HOUR_MS
    yield* note(filling, yield* BackfillPlan.anew(filling, { startMs, endMs: Math.max(endMs, settledMs) }))
    yield* journal.askRestart(cluster, false)
  }
  filling.backlog ??= yield* BackfillPlan.remaining(filling, { startMs, endMs })
  const backlog = Backlog.since(filling.backlog, startMs)
  yield* note(filling, backlog)
  return backlog
})

/** Asks for one window. **Errors** of the source as a whole; gives the last hour's that could not be read. */
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

/** Counts an hour that could not be read. **Errors** that one, when the attempt is to end with it. */
const takeUnread = (filling: Filling, error: UsageError, counts: Counts): Effect.Effect<void, UsageError> => {
  counts.unread++
  filling.resumeMs = error.untilMs ?? filling.resumeMs
  return error.retryAfterMs !== undefined || counts.unread >= MAX_UNREAD_HOURS ? Effect.fail(error) : Effect.void
}

/** Closes an hour whose nodes the source knew; any other stays open. */
const takeHour = Effect.fnUntraced(function* (filling: Filling, facts: HourFacts, counts: Counts) {
  const { cluster, noteFilling } = filling
  counts.unread = 0
  if (facts.cluster !== cluster || facts.nodes.length === 0 || filling.backlog === undefined) return
  noteFilling(true)
  yield* fillHour(filling, facts)
  const backlog = Backlog.filled(filling.backlog, facts.startMs)
  filling.backlog = backlog
  counts.filled++
  if (counts.filled % NOTE_HOURS !== 0) return
  yield* note(filling, backlog)
  const left = Backlog.hoursOf(backlog.left)
  yield* Effect.logInfo(`cost of cluster ${cluster}: ${counts.filled} hours filled in, at most ${left} are left`)
})

/** Asks for the present: knowing it tells a source without a past from one that is asked for the wrong thing. */
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

/** Logs what became of an attempt that did not fail, and gives why hours are missing, if any are. */
const report = Effect.fnUntraced(function* (filling: Filling, backlog: Backlog.Backlog, filledHours: number) {
  const { cluster, failureLog } = filling
  if (filledHours > 0)
    yield* Effect.logInfo(`cost of cluster ${cluster}: ${filledHours} hours of the past are filled in`)
  const openHours = BackfillState.openOf(backlog)
  const { missingHours, olderHours } = openHours
  if (olderHours > 0 && filling.loggedOlderHours === 0) {
    const from = new Date(backlog.knownFromMs ?? 0).toISOString()
    yield* Effect.logInfo(`cost of cluster ${cluster}: the source knows nothing of ${olderHours} hours before ${from}`)
  }
  filling.loggedOlderHours = olderHours
  if (missingHours === 0) {
    yield* failureLog.worked("backfill")
    return undefined
  }
  const problem = BackfillState.silence(backlog, openHours)
  yield* failureLog.failed("backfill", problem)
  return problem
})

/** Waits until it is time to ask again; true if it is asked to start over before. */
const wait = Effect.fnUntraced(function* ({ cluster, journal, failureLog }: Filling, untilMs: number) {
  while (true) {
    const leftMs = untilMs - (yield* Clock.currentTimeMillis)
    if (leftMs <= 0) return false
    yield* Effect.sleep(Math.min(leftMs, LOOK_MS))
    const asked = yield* Effect.result(journal.isRestartAsked(cluster))
    if (Result.isSuccess(asked) && asked.success) return true
    if (Result.isFailure(asked)) yield* failureLog.failed("backfill", asked.failure.message)
  }
})

/** Notes what is open, so that the next start goes on with it, and shows it. */
const note = (filling: Filling, backlog: Backlog.Backlog): Effect.Effect<void, CostError> => {
  const { cluster, journal, state } = filling
  filling.backlog = backlog
  const shown = show(filling, backlog, { status: "asking", problem: state.problem, nextMs: undefined })
  return Effect.andThen(journal.noteBackfill(cluster, backlog), shown)
}

/** Shows how far it is to whoever asks, and in the metric. */
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
