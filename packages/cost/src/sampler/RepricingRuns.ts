/**
 * Recomputes the costs of closed hours after price changes.
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

/** Progress of a repricing in hours, over all clusters. Hours of the window that were never closed count too. */
export interface Progress {
  readonly fromMs: number
  readonly hoursDone: number
  readonly hoursTotal: number
}

/**
 * The dependencies of repricing.
 *
 * **Shape** `laneOf` returns the lock for writes to one cluster's hours. `clusters` are those that have such a lock.
 */
export interface Parts {
  readonly store: CostStore["Service"]
  readonly prices: Prices["Service"]
  readonly journal: HourJournal["Service"]
  readonly settings: SamplerSettings
  readonly laneOf: (cluster: ClusterName) => Semaphore.Semaphore
  readonly clusters: () => ReadonlyArray<ClusterName>
  /**
   * Returns the name of the cluster whose prices apply to a cost history. **Shape** `key` is the store's key of the
   * history, which may differ from the cluster's name.
   */
  readonly clusterOf: (key: ClusterName) => ClusterName
}

const waitingHours = Metric.gauge("quarterdeck_cost_repricing_hours", {
  description: "Closed hours waiting to be repriced, upper bound"
})

/** Returns true if the hours were pruned after they were read. */
const isForgotten = ({ reason }: CostError): boolean => reason._tag === "HourForgotten"

/** The state of the repricing of all clusters. */
interface State extends Parts {
  readonly turn: Semaphore.Semaphore
  readonly noting: Semaphore.Semaphore
  readonly progress: Ref.Ref<Option.Option<Progress>>
  /** Number of requested repricings so far. */
  notes: number
  /** Start of the hours to reprice. It is kept in memory too, in case the journal fails to record it. */
  waitingMs: number | undefined
  /** Windows that a failed attempt rewrote. They need no second rewrite unless another repricing was requested since. */
  done: Done
  lastProblem: string
}

/** Windows rewritten since the request with number `begunAt`. */
interface Done {
  readonly begunAt: number
  readonly windows: Set<string>
  rewritten: number
}

/** Returns `done` if no repricing was requested since, otherwise an empty record. */
const doneSince = (done: Done, notes: number): Done =>
  done.begunAt === notes ? done : { begunAt: notes, rewritten: 0, windows: new Set() }

/**
 * Creates the repricing of all clusters.
 *
 * The start of the hours to reprice is recorded before prices change. The record is deleted once a run that began after the
 * change succeeds. If the process ends or a run fails, a later run therefore reprices these hours. `run` tries once; `pursue`
 * and `resume` retry until they succeed.
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

/** Returns the earlier of `fromMs` and the recorded start of the hours to reprice. */
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

/**
 * Records the start of the hours to reprice, and changes the prices. No run starts or ends in between, so no run
 * deletes the record too early.
 */
const noteAround = (state: State, ...[fromMs, change]: Parameters<Around>): ReturnType<Around> =>
  Effect.uninterruptible(state.noting.withPermit(Effect.andThen(note(state, fromMs), change)))

/** Waits for hours being closed at old prices. They are in the store once their lock is free. */
const awaitCloses = ({ clusters, laneOf }: State): Effect.Effect<void> =>
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

/** Reprices the hours of a window. If hours are pruned in between, the rest is read again. */
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
  yield* awaitCloses(state)
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

/** Deletes the record of the hours to reprice, unless another repricing was requested since the run began. */
const forgetNote = Effect.fnUntraced(function* (state: State, begunAt: number) {
  if (state.notes !== begunAt) return
  yield* state.journal.noteReprice(Option.none())
  state.waitingMs = undefined
})

/** Returns an upper bound of the number of hours to reprice, before the store is read. */
const atMost = ({ clusters }: State, fromMs: number) =>
  Effect.map(
    Clock.currentTimeMillis,
    (nowMs) => Math.max(1, clusters().length) * Math.max(1, Math.ceil((nowMs - fromMs) / HOUR_MS))
  )

const inTurn = (state: State, fromMs: number) =>
  state.turn.withPermit(Effect.ensuring(cover(state, fromMs), Ref.set(state.progress, Option.none())))

/** Retries without end. Logs each problem once. */
const patiently = <A>(state: State, effect: Effect.Effect<A, CostError>): Effect.Effect<A> =>
  effect.pipe(
    Effect.tapError(({ message }) => {
      if (state.lastProblem === message) return Effect.void
      state.lastProblem = message
      return Effect.logWarning(`could not reprice closed hours, will retry: ${message}`)
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
  // If nothing is left, another caller's attempt has covered this request.
  return yield* patiently(
    state,
    Effect.suspend(() => (state.waitingMs === undefined ? Effect.succeed(0) : inTurn(state, fromMs)))
  )
})

/** Resumes a repricing that did not finish before the process ended. */
const resume = Effect.fnUntraced(function* (state: State) {
  const inJournal = yield* patiently(state, state.journal.reprice)
  if (Option.isSome(inJournal)) yield* pursue(state, inJournal.value)
})
