/**
 * Gives closed hours the costs that they have by changed prices.
 */
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Clock, Effect, Metric, Option, Ref, Semaphore } from "effect"
import type { CostError } from "../hour/CostError.ts"
import type { CostStore } from "../store/CostStore.ts"
import type { Hour } from "../hour/Hour.ts"
import { keptFromMs } from "../price/PriceChange.ts"
import type { Around, Prices } from "../price/Prices.ts"
import { HOUR_MS, hourOf } from "../hour/Units.ts"
import { hoursIn, type Window } from "../hour/Window.ts"
import type { HourJournal } from "./HourJournal.ts"
import * as HourPricing from "./HourPricing.ts"
import * as RetrySchedule from "./RetrySchedule.ts"
import type { SamplerSettings } from "./SamplerSettings.ts"

/** How far it is, in hours of all clusters; those that were never closed count too. */
export interface Progress {
  readonly fromMs: number
  readonly hoursDone: number
  readonly hoursTotal: number
}

/**
 * The dependencies of repricing the hours of all clusters.
 *
 * **Shape** `laneOf` keeps two writers of one cluster's hours apart; `clusters` are those that have writers.
 */
export interface Parts {
  readonly store: CostStore["Service"]
  readonly prices: Prices["Service"]
  readonly journal: HourJournal["Service"]
  readonly settings: SamplerSettings
  readonly laneOf: (cluster: ClusterName) => Semaphore.Semaphore
  readonly clusters: () => ReadonlyArray<ClusterName>
  /** Returns the cluster whose prices count for a history. */
  readonly clusterOf: (key: ClusterName) => ClusterName
}

const waitingHours = Metric.gauge("quarterdeck_cost_repricing_hours", {
  description: "Hours of clusters that wait to be charged anew, at most"
})

/** What is over since it was read. */
const isForgotten = ({ reason }: CostError): boolean => reason._tag === "HourForgotten"

/** How far the repricing of all clusters is. */
interface State extends Parts {
  readonly turn: Semaphore.Semaphore
  readonly noting: Semaphore.Semaphore
  readonly progress: Ref.Ref<Option.Option<Progress>>
  /** How often was noted that hours wait. */
  notes: number
  /** From where on hours wait, whatever the journal keeps. */
  waitingMs: number | undefined
  /** What an attempt that failed has done already, for as long as nothing was noted since. */
  done: Done
  lastProblem: string
}

/** What was rewritten since a number of notes. */
interface Done {
  readonly begunAt: number
  readonly windows: Set<string>
  rewritten: number
}

/** Keeps what is done for as long as nothing was noted since. */
const doneSince = (done: Done, notes: number): Done =>
  done.begunAt === notes ? done : { begunAt: notes, rewritten: 0, windows: new Set() }

/**
 * Makes the repricing of all clusters.
 *
 * From where on hours wait is noted before the prices change, and forgotten once a run that began after that has
 * ended well: so whatever ends the program or a run, a later one covers it. `run` tries once, `pursue` and `resume` until
 * it has worked.
 */
export const make = Effect.fnUntraced(function* (parts: Parts) {
  const state: State = {
    ...parts,
    turn: yield* Semaphore.make(1),
    noting: yield* Semaphore.make(1),
    progress: yield* Ref.make(Option.none<Progress>()),
    notes: 0,
    waitingMs: undefined,
    lastProblem: "",
    done: { begunAt: -1, rewritten: 0, windows: new Set() }
  }
  const noted: Around = (fromMs, change) => noteAround(state, fromMs, change)
  return {
    run: Effect.fn("RepricingRuns.run")((fromMs: number) =>
      Effect.andThen(noted(fromMs, Effect.void), inTurn(state, fromMs))
    ),
    pursue: Effect.fn("RepricingRuns.pursue")((fromMs: number) => pursue(state, fromMs)),
    noted,
    resume: resume(state),
    progress: Ref.get(state.progress)
  }
})

/** The earlier of an instant and what is noted. */
const waitingFrom = ({ journal, waitingMs }: State, fromMs: number) =>
  Effect.map(journal.reprice, (inJournal) =>
    Math.min(
      fromMs,
      waitingMs ?? fromMs,
      Option.getOrElse(inJournal, () => fromMs)
    )
  )

const note = Effect.fnUntraced(function* (state: State, fromMs: number) {
  state.waitingMs = Math.min(fromMs, state.waitingMs ?? fromMs)
  yield* state.journal.noteReprice(Option.some(yield* waitingFrom(state, fromMs)))
  state.notes++
})

/** No run begins or ends between the note and the change, so none takes the note for done. */
const noteAround = (state: State, ...[fromMs, change]: Parameters<Around>): ReturnType<Around> =>
  Effect.uninterruptible(state.noting.withPermit(Effect.andThen(note(state, fromMs), change)))

/** An hour that is being closed was charged by the old prices, and is in the store once its lane is free. */
const closesEnd = ({ clusters, laneOf }: State): Effect.Effect<void> =>
  Effect.forEach(clusters(), (cluster) => laneOf(cluster).withPermit(Effect.void), { discard: true })

const batches = Effect.fnUntraced(function* ({ settings, store }: State, fromMs: number) {
  const nowMs = yield* Clock.currentTimeMillis
  const earliestMs = Math.max(hourOf(fromMs), keptFromMs(nowMs, settings.hourlyDays))
  const stepMs = settings.repriceHours * HOUR_MS
  return (yield* store.extents).flatMap((extent) => {
    const startMs = Math.max(extent.fromMs, earliestMs)
    const count = Math.max(0, Math.ceil((extent.toMs - startMs) / stepMs))
    return Array.from({ length: count }, (_, index): { cluster: ClusterName; window: Window } => {
      const from = startMs + index * stepMs
      return { cluster: extent.cluster, window: { startMs: from, endMs: Math.min(from + stepMs, extent.toMs) } }
    })
  })
})

const rewriteOnce = Effect.fnUntraced(function* (state: State, cluster: ClusterName, window: Window) {
  const { clusterOf, prices, store } = state
  const history = yield* prices.history
  const named = clusterOf(cluster)
  const hours: Array<Hour> = []
  for (const hour of yield* store.hours(cluster, window)) {
    hours.push({ ...HourPricing.again(history, { ...hour, cluster: named }), cluster })
    yield* Effect.yieldNow
  }
  yield* store.rewrite(hours)
  return hours.length
})

/** Hours may be forgotten between the two: those that are left are read again. */
const rewrite = (state: State, cluster: ClusterName, window: Window) =>
  rewriteOnce(state, cluster, window).pipe(
    Effect.retry({ times: 2, while: isForgotten }),
    Effect.catchIf(isForgotten, (error) => Effect.as(Effect.logWarning(`not repriced: ${error.message}`), 0))
  )

const cover = Effect.fnUntraced(function* (state: State, askedMs: number) {
  yield* Metric.update(waitingHours, yield* atMost(state, askedMs))
  const [fromMs, begunAt] = yield* state.noting.withPermit(
    Effect.map(waitingFrom(state, askedMs), (fromMs) => [fromMs, state.notes] as const)
  )
  const done = doneSince(state.done, begunAt)
  state.done = done
  yield* closesEnd(state)
  const all = yield* batches(state, fromMs)
  const hoursTotal = all.reduce((sum, { window }) => sum + hoursIn(window), 0)
  let hoursDone = 0
  for (const { cluster, window } of all) {
    yield* Ref.set(state.progress, Option.some({ fromMs, hoursDone, hoursTotal }))
    yield* Metric.update(waitingHours, hoursTotal - hoursDone)
    const key = `${cluster}/${window.startMs}/${window.endMs}`
    if (!done.windows.has(key)) {
      done.rewritten += yield* state.laneOf(cluster).withPermit(rewrite(state, cluster, window))
    }
    done.windows.add(key)
    hoursDone += hoursIn(window)
    yield* Effect.logDebug(`repriced ${hoursDone} of ${hoursTotal} hours`)
  }
  yield* Effect.uninterruptible(state.noting.withPermit(forgetNote(state, begunAt)))
  yield* Metric.update(waitingHours, 0)
  yield* Effect.logInfo(`repriced ${done.rewritten} hours since ${new Date(fromMs).toISOString()}`)
  return done.rewritten
})

/** Forgets that hours wait, unless something was noted since the run began. */
const forgetNote = Effect.fnUntraced(function* (state: State, begunAt: number) {
  if (state.notes !== begunAt) return
  yield* state.journal.noteReprice(Option.none())
  state.waitingMs = undefined
})

/** As many hours as may wait, before the store says how many there are. */
const atMost = ({ clusters }: State, fromMs: number) =>
  Effect.map(
    Clock.currentTimeMillis,
    (nowMs) => Math.max(1, clusters().length) * Math.max(1, Math.ceil((nowMs - fromMs) / HOUR_MS))
  )

const inTurn = (state: State, fromMs: number) =>
  state.turn.withPermit(Effect.ensuring(cover(state, fromMs), Ref.set(state.progress, Option.none())))

/** Tries again for ever. A problem is logged once. */
const patiently = <A>(state: State, effect: Effect.Effect<A, CostError>): Effect.Effect<A> =>
  effect.pipe(
    Effect.tapError(({ message }) => {
      if (state.lastProblem === message) return Effect.void
      state.lastProblem = message
      return Effect.logWarning(`closed hours wait to be repriced: ${message}`)
    }),
    Effect.retry(RetrySchedule.forEver),
    Effect.tap(() =>
      Effect.sync(() => {
        state.lastProblem = ""
      })
    ),
    Effect.orDie
  )

const pursue = Effect.fnUntraced(function* (state: State, fromMs: number) {
  yield* patiently(state, noteAround(state, fromMs, Effect.void))
  // Another's attempt has covered this one if nothing waits any more.
  return yield* patiently(
    state,
    Effect.suspend(() => (state.waitingMs === undefined ? Effect.succeed(0) : inTurn(state, fromMs)))
  )
})

/** Goes on with what was not finished when the program ended. */
const resume = Effect.fnUntraced(function* (state: State) {
  const inJournal = yield* patiently(state, state.journal.reprice)
  if (Option.isSome(inJournal)) yield* pursue(state, inJournal.value)
})
