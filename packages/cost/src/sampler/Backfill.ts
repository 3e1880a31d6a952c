/**
 * Fills in the hours that nobody sampled, from a source that remembers them.
 */
import { Clock, Effect, Result, Stream } from "effect"
import type { CostError } from "../hour/CostError.ts"
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
  /** Runs once the first attempt has ended, however: the recommender may go on with present hours. */
  readonly attempted: Effect.Effect<void>
  /** Is told whether hours are coming in: days must not be put together meanwhile. */
  readonly noteFilling: (isFilling: boolean) => void
}

/** How many hours are filled in between two notes of how far it is. */
const NOTE_HOURS = 24
/** So many hours in a row that cannot be read end an attempt: it is the source then, not the hours. */
const MAX_UNREAD_HOURS = 3
/** What failed is tried again after ten seconds at first, twice as long each time. **Units** milliseconds. */
const FAILED = { firstMs: 10_000, lastMs: 600_000 }
/** So is what the source does not know, which may be scraped late or never. */
const UNKNOWN = { firstMs: 60_000, lastMs: HOUR_MS }
/** How often the wish to start over is looked for. */
const LOOK_MS = 30 * SECOND_MS

/**
 * Makes the backfill of one cluster: its state, and what runs it.
 *
 * **Shape** fills in, in rising order, the hours before the first closed one, and those since the last one: the program did
 * not run. Hours that are closed stay as they are. What is to be filled in is found and noted once, before anything is:
 * hours that are closed meanwhile change nothing about it, nor does another end of the program. An hour is filled once the
 * source knew its nodes; any other stays open and is asked for again, for ever, as late as the source wishes. An attempt
 * that ended early is gone on with behind what could not be read, and comes back to it. Hours that come after later ones are
 * not given to the recommender, which is further by then.
 *
 * **Limits** one hour at a time, of the time that is retained.
 */
export const make = (parts: Parts) => {
  const { attempted, cluster, journal, noteFilling, settings, source, troubles } = parts
  const earliestOf = (nowMs: number): number => hourOf(nowMs - settings.retentionDays * DAY_MS) + HOUR_MS
  let backlog: Backlog.Backlog | undefined
  let state: BackfillState.BackfillState = { cluster, status: "asking", missingHours: 0, olderHours: 0 }
  let toldOlder = 0
  /** Where the next attempt begins: what cannot be read must not keep what comes after it from being asked for. */
  let resumeMs = -Infinity

  const show = (now: Pick<BackfillState.BackfillState, "status" | "problem" | "nextMs">, held: Backlog.Backlog) => {
    state = { cluster, ...BackfillState.openOf(held), ...now }
    return BackfillState.measure(state)
  }
  const note = (held: Backlog.Backlog) => {
    backlog = held
    const { problem } = state
    const shown = show({ status: "asking", ...(problem === undefined ? {} : { problem }) }, held)
    return Effect.andThen(journal.noteBackfill(cluster, held), shown)
  }

  /** Gives what is open, of which too old hours are given up. */
  const open = Effect.fnUntraced(function* (beganMs: number) {
    const nowMs = yield* Clock.currentTimeMillis
    const [startMs, endMs] = [earliestOf(nowMs), hourOf(beganMs)]
    if (yield* journal.isRestartAsked(cluster)) {
      noteFilling(true)
      yield* Effect.logInfo(`cost of cluster ${cluster}: the past is filled in anew`)
      // Hours that ended since the start may still wait to be closed with what was seen of them.
      const settledMs = hourOf(nowMs) - (settings.maxPendingHours + 1) * HOUR_MS
      yield* note(yield* BackfillPlan.anew(parts, { startMs, endMs: Math.max(endMs, settledMs) }))
      yield* journal.askRestart(cluster, false)
    }
    backlog ??= yield* BackfillPlan.remaining(parts, { startMs, endMs })
    const held = Backlog.since(backlog, startMs)
    yield* note(held)
    return held
  })

  /** Asks for one window. **Errors** of the source as a whole; gives the last hour's that could not be read. */
  const fillWindow = Effect.fnUntraced(function* (window: Window, counts: { filled: number; unread: number }) {
    let failure: UsageError | undefined
    const take = Effect.fnUntraced(function* (
      found: HourFacts | UsageError
    ): Effect.fn.Return<void, CostError | UsageError> {
      if (found instanceof UsageError) {
        failure = found
        counts.unread++
        resumeMs = found.untilMs ?? resumeMs
        if (found.retryAfterMs !== undefined || counts.unread >= MAX_UNREAD_HOURS) return yield* found
        return
      }
      counts.unread = 0
      if (found.cluster !== cluster || found.nodes.length === 0 || backlog === undefined) return
      noteFilling(true)
      yield* fillHour(parts, found)
      backlog = Backlog.filled(backlog, found.startMs)
      counts.filled++
      if (counts.filled % NOTE_HOURS !== 0) return
      yield* note(backlog)
      const left = Backlog.hoursOf(backlog.left)
      yield* Effect.logInfo(`cost of cluster ${cluster}: ${counts.filled} hours filled in, at most ${left} are left`)
    })
    yield* Stream.runForEach(source.past(cluster, window), take)
    return failure
  })

  /** Asks once for all that is open. **Errors** the last hour's that could not be read, after all others were asked for. */
  const fill = Effect.fnUntraced(function* (
    beganMs: number,
    counts: { filled: number; unread: number }
  ): Effect.fn.Return<Backlog.Backlog, CostError | UsageError> {
    let failure: UsageError | undefined
    const windows = Backlog.startingAt((yield* open(beganMs)).left, resumeMs)
    for (const window of windows) failure = (yield* fillWindow(window, counts)) ?? failure
    resumeMs = -Infinity
    if (failure !== undefined) return yield* failure
    const held = backlog ?? { untilMs: hourOf(beganMs), left: [] }
    if (held.left.length === 0 || held.knownFromMs !== undefined) return held
    // Whether it knows the present tells a source without a past from one that is asked for the wrong thing.
    const since = { startMs: held.untilMs, endMs: hourOf(yield* Clock.currentTimeMillis) }
    if (since.startMs >= since.endMs) return held
    const [first] = yield* source.past(cluster, since).pipe(
      Stream.filter((one): one is HourFacts => !(one instanceof UsageError)),
      Stream.take(1),
      Stream.runCollect
    )
    return first === undefined ? held : Backlog.knowing(held, first.startMs)
  })

  /** Says what became of an attempt that did not fail. */
  const tell = Effect.fnUntraced(function* (held: Backlog.Backlog, filled: number) {
    if (filled > 0) yield* Effect.logInfo(`cost of cluster ${cluster}: ${filled} hours of the past are filled in`)
    const found = BackfillState.openOf(held)
    if (found.olderHours > 0 && toldOlder === 0) {
      const from = new Date(held.knownFromMs ?? 0).toISOString()
      yield* Effect.logInfo(
        `cost of cluster ${cluster}: the source knows nothing of ${found.olderHours} hours before ${from}`
      )
    }
    toldOlder = found.olderHours
    if (found.missingHours === 0) return yield* Effect.as(troubles.worked("backfill"), undefined)
    const problem = BackfillState.silence(held, found)
    return yield* Effect.as(troubles.failed("backfill", problem), problem)
  })

  /** Waits until it is time to ask again. **Shape** ends sooner when it is asked to start over. */
  const wait = Effect.fnUntraced(function* (untilMs: number) {
    while (true) {
      const leftMs = untilMs - (yield* Clock.currentTimeMillis)
      if (leftMs <= 0) return false
      yield* Effect.sleep(Math.min(leftMs, LOOK_MS))
      const asked = yield* Effect.result(journal.isRestartAsked(cluster))
      if (Result.isSuccess(asked) && asked.success) return true
      if (Result.isFailure(asked)) yield* troubles.failed("backfill", asked.failure.message)
    }
  })

  /** Asks once, whatever comes of it. **Shape** gives how long to wait; `Infinity` when nothing is open. */
  const attempt = Effect.fnUntraced(function* (beganMs: number, attempts: number) {
    const counts = { filled: 0, unread: 0 }
    const outcome = yield* Effect.result(Effect.tap(fill(beganMs, counts), note))
    yield* attempted
    const nowMs = yield* Clock.currentTimeMillis
    const doneBefore = counts.filled > 0 ? 0 : attempts
    if (Result.isSuccess(outcome)) {
      const held = outcome.success
      noteFilling(false)
      const problem = yield* tell(held, counts.filled)
      const waitMs = held.left.length === 0 ? Infinity : backoff(UNKNOWN, doneBefore)
      const status = held.left.length === 0 ? "done" : "waiting"
      yield* show(
        {
          status,
          ...(problem === undefined ? {} : { problem }),
          ...(waitMs < Infinity ? { nextMs: nowMs + waitMs } : {})
        },
        held
      )
      return { attempts: doneBefore + 1, untilMs: nowMs + waitMs }
    }
    const { failure } = outcome
    const asked = failure instanceof UsageError ? (failure.retryAfterMs ?? 0) : 0
    const untilMs = nowMs + Math.max(asked, backoff(FAILED, doneBefore))
    const problem = failure instanceof UsageError ? failure.explanation : failure.message
    yield* troubles.failed("backfill", problem)
    const held = backlog ?? { untilMs: hourOf(beganMs), left: [] }
    yield* show({ status: "waiting", problem, nextMs: untilMs }, held)
    return { attempts: doneBefore + 1, untilMs }
  })

  const run = Effect.gen(function* () {
    const beganMs = yield* Clock.currentTimeMillis
    let attempts = 0
    while (true) {
      const next = yield* attempt(beganMs, attempts)
      attempts = (yield* wait(next.untilMs)) ? 0 : next.attempts
    }
  })

  return { run, state: Effect.sync(() => state) }
}

const backoff = ({ firstMs, lastMs }: typeof FAILED, attempts: number): number =>
  Math.min(lastMs, firstMs * 2 ** Math.min(attempts, 16))

const fillHour = Effect.fnUntraced(function* ({ lane, prices, recommender, store }: Parts, facts: HourFacts) {
  yield* lane.withPermit(Effect.flatMap(HourClosing.priced(prices, facts), store.close)).pipe(
    Effect.catchIf(
      ({ reason }) => reason._tag === "HourClosed" || reason._tag === "HourForgotten",
      () => Effect.void
    )
  )
  const nowMs = yield* Clock.currentTimeMillis
  if (facts.startMs >= nowMs - RECOMMENDATION_DAYS * DAY_MS) yield* recommender.fold(HourBuilder.usageOf(facts))
})
