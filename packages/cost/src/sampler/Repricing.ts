/**
 * Gives closed hours the costs that they have by changed prices.
 *
 * @since 0.1.0
 */
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Clock, Effect, Metric, Option, Ref, Semaphore } from "effect"
import type { CostError } from "../hour/CostError.ts"
import type { CostStore } from "../store/CostStore.ts"
import type { Hour } from "../hour/Hour.ts"
import { keptFromMs } from "../price/PriceHistory.ts"
import type { Around, Prices } from "../price/Prices.ts"
import { HOUR_MS, hourOf } from "../hour/Units.ts"
import { hoursIn, type Window } from "../hour/Window.ts"
import type { HourJournal } from "./HourJournal.ts"
import * as HourPricing from "./HourPricing.ts"
import * as Retrying from "./Retrying.ts"
import type { SamplerSettings } from "./SamplerSettings.ts"

/** How far it is. **Shape** hours of all clusters; those that were never closed count too. */
export interface Progress {
  readonly fromMs: number
  readonly hoursDone: number
  readonly hoursTotal: number
}

/** **Shape** `laneOf` keeps two writers of one cluster's hours apart; `clusters` are those that have writers. */
export interface Parts {
  readonly store: CostStore["Service"]
  readonly prices: Prices["Service"]
  readonly journal: HourJournal["Service"]
  readonly settings: SamplerSettings
  readonly laneOf: (cluster: ClusterName) => Semaphore.Semaphore
  readonly clusters: () => ReadonlyArray<ClusterName>
}

const waitingHours = Metric.gauge("quarterdeck_cost_repricing_hours", {
  description: "Hours of clusters that wait to be charged anew, at most"
})

/** What is over since it was read. */
const isForgotten = ({ reason }: CostError): boolean => reason._tag === "HourForgotten"

/**
 * Makes the repricing of all clusters.
 *
 * **Shape** from where on hours wait is noted before the prices change, and forgotten once a run that began after that has
 * ended well: so whatever ends the program or a run, a later one covers it. `run` tries once, `pursue` and `resume` until
 * it has worked.
 */
export const make = Effect.fnUntraced(function* ({ clusters, journal, laneOf, prices, settings, store }: Parts) {
  const turn = yield* Semaphore.make(1)
  const noting = yield* Semaphore.make(1)
  const notes = yield* Ref.make(0)
  const progress = yield* Ref.make(Option.none<Progress>())
  /** From where on hours wait, whatever the journal keeps. */
  let waitingMs: number | undefined
  /** What an attempt that failed has done already, for as long as nothing was noted since. */
  let done = { begunAt: -1, rewritten: 0, windows: new Set<string>() }
  let told = ""

  /** The earlier of an instant and what is noted. */
  const waitingFrom = (fromMs: number) =>
    Effect.map(journal.reprice, (noted) =>
      Math.min(
        fromMs,
        waitingMs ?? fromMs,
        Option.getOrElse(noted, () => fromMs)
      )
    )

  const note = Effect.fnUntraced(function* (fromMs: number) {
    waitingMs = Math.min(fromMs, waitingMs ?? fromMs)
    yield* journal.noteReprice(Option.some(yield* waitingFrom(fromMs)))
    yield* Ref.update(notes, (count) => count + 1)
  })

  /** No run begins or ends between the note and the change, so none takes the note for done. */
  const noted: Around = (fromMs, change) =>
    Effect.uninterruptible(noting.withPermit(Effect.andThen(note(fromMs), change)))

  /** An hour that is being closed was charged by the old prices, and is in the store once its lane is free. */
  const closesEnd = Effect.suspend(() =>
    Effect.forEach(clusters(), (cluster) => laneOf(cluster).withPermit(Effect.void), { discard: true })
  )

  const batches = Effect.fnUntraced(function* (fromMs: number) {
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

  const rewriteOnce = Effect.fnUntraced(function* (cluster: ClusterName, window: Window) {
    const history = yield* prices.history
    const hours: Array<Hour> = []
    for (const hour of yield* store.hours(cluster, window)) {
      hours.push(HourPricing.again(history, hour))
      yield* Effect.yieldNow
    }
    yield* store.rewrite(hours)
    return hours.length
  })

  /** Hours may be forgotten between the two: those that are left are read again. */
  const rewrite = (cluster: ClusterName, window: Window) =>
    rewriteOnce(cluster, window).pipe(
      Effect.retry({ times: 2, while: isForgotten }),
      Effect.catchIf(isForgotten, (error) => Effect.as(Effect.logWarning(`not repriced: ${error.message}`), 0))
    )

  const cover = Effect.fnUntraced(function* (askedMs: number) {
    yield* Metric.update(waitingHours, yield* atMost(askedMs))
    const [fromMs, begunAt] = yield* noting.withPermit(Effect.all([waitingFrom(askedMs), Ref.get(notes)]))
    if (done.begunAt !== begunAt) done = { begunAt, rewritten: 0, windows: new Set() }
    yield* closesEnd
    const all = yield* batches(fromMs)
    const hoursTotal = all.reduce((sum, { window }) => sum + hoursIn(window), 0)
    let hoursDone = 0
    for (const { cluster, window } of all) {
      yield* Ref.set(progress, Option.some({ fromMs, hoursDone, hoursTotal }))
      yield* Metric.update(waitingHours, hoursTotal - hoursDone)
      const key = `${cluster}/${window.startMs}/${window.endMs}`
      if (!done.windows.has(key)) done.rewritten += yield* laneOf(cluster).withPermit(rewrite(cluster, window))
      done.windows.add(key)
      hoursDone += hoursIn(window)
      yield* Effect.logDebug(`repriced ${hoursDone} of ${hoursTotal} hours`)
    }
    yield* Effect.uninterruptible(
      noting.withPermit(
        Effect.gen(function* () {
          if ((yield* Ref.get(notes)) !== begunAt) return
          yield* journal.noteReprice(Option.none())
          waitingMs = undefined
        })
      )
    )
    yield* Metric.update(waitingHours, 0)
    yield* Effect.logInfo(`repriced ${done.rewritten} hours since ${new Date(fromMs).toISOString()}`)
    return done.rewritten
  })

  /** As many hours as may wait, before the store says how many there are. */
  const atMost = (fromMs: number) =>
    Effect.map(
      Clock.currentTimeMillis,
      (nowMs) => Math.max(1, clusters().length) * Math.max(1, Math.ceil((nowMs - fromMs) / HOUR_MS))
    )

  const inTurn = (fromMs: number) => turn.withPermit(Effect.ensuring(cover(fromMs), Ref.set(progress, Option.none())))

  const run = Effect.fn("Repricing.run")(function* (fromMs: number) {
    yield* noted(fromMs, Effect.void)
    return yield* inTurn(fromMs)
  })

  /** Tries again for ever. **Shape** a problem is told once. */
  const patiently = <A>(effect: Effect.Effect<A, CostError>): Effect.Effect<A> =>
    effect.pipe(
      Effect.tapError(({ message }) => {
        if (told === message) return Effect.void
        told = message
        return Effect.logWarning(`closed hours wait to be repriced: ${message}`)
      }),
      Effect.retry(Retrying.forEver),
      Effect.tap(() =>
        Effect.sync(() => {
          told = ""
        })
      ),
      Effect.orDie
    )

  const pursue = Effect.fn("Repricing.pursue")(function* (fromMs: number) {
    yield* patiently(noted(fromMs, Effect.void))
    // Another's attempt has covered this one if nothing waits any more.
    return yield* patiently(Effect.suspend(() => (waitingMs === undefined ? Effect.succeed(0) : inTurn(fromMs))))
  })

  /** Goes on with what was not finished when the program ended. */
  const resume = Effect.gen(function* () {
    const noted = yield* patiently(journal.reprice)
    if (Option.isSome(noted)) yield* pursue(noted.value)
  })

  return { run, pursue, noted, resume, progress: Ref.get(progress) }
})
