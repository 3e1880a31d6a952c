import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Metric, Option, Semaphore } from "effect"
import { TestClock } from "effect/testing"
import { CostError, StoreUnavailable } from "../../src/hour/CostError.ts"
import { CostStore } from "../../src/store/CostStore.ts"
import type { Hour } from "../../src/hour/Hour.ts"
import * as PriceChange from "../../src/price/PriceChange.ts"
import { Prices, layerMemory as pricesMemory } from "../../src/price/Prices.ts"
import { DAY_MS, HOUR_MS } from "../../src/hour/Units.ts"
import { HourJournal } from "../../src/sampler/HourJournal.ts"
import { layerFiles } from "../../src/sampler/JournalFiles.ts"
import * as RepricingRuns from "../../src/sampler/RepricingRuns.ts"
import { SamplerSettings } from "../../src/sampler/SamplerSettings.ts"
import { layerMemory } from "../../src/store/Memory.ts"
import { bookOf, cpu } from "../price/samples.ts"
import { hour, prod, someSeries } from "../store/samples.ts"
import { temporaryDirectory } from "../temporaryDirectory.ts"
import { at } from "./objects.ts"
import {
  a,
  dearerFrom,
  hoursOf,
  inMemory,
  measured,
  onDisk,
  oneWeb,
  requestsOnly,
  revisionLimits,
  settle,
  start,
  until
} from "./sampling.ts"

const nowMs = Date.parse("2026-03-08T10:30:00Z")
const lastMs = Date.parse("2026-03-08T10:00:00Z")
const parts = Layer.unwrap(
  Effect.map(temporaryDirectory, (directory) => Layer.mergeAll(layerMemory, pricesMemory, layerFiles({ directory })))
)
const broken = new CostError({ reason: new StoreUnavailable({ action: "rewrite", cause: new Error("no space left") }) })

/** The repricing of as many closed hours, with what runs before each step of it. */
const repricingOf = Effect.fnUntraced(function* (
  hours: number,
  before: (rewritten: ReadonlyArray<Hour>) => Effect.Effect<void, CostError> = () => Effect.void
) {
  yield* TestClock.setTime(nowMs)
  const store = yield* CostStore
  for (let back = hours; back > 0; back--) yield* store.close(hourAt(lastMs - back * HOUR_MS))
  const lane = yield* Semaphore.make(1)
  return yield* RepricingRuns.make({
    store: CostStore.of({
      ...store,
      rewrite: (rewritten) => Effect.andThen(before(rewritten), store.rewrite(rewritten))
    }),
    prices: yield* Prices,
    journal: yield* HourJournal,
    settings: { ...(yield* SamplerSettings), repriceHours: 1 },
    laneOf: () => lane,
    clusters: () => [prod],
    clusterOf: (key) => key
  })
})

const hourAt = (startMs: number): Hour =>
  hour(
    startMs,
    someSeries().map((one) => [one, { existedSeconds: 3_600 }])
  )
const noted = Effect.flatMap(HourJournal, ({ reprice }) => reprice)
const waitingHours = Effect.map(
  Metric.snapshot,
  (metrics) =>
    metrics.flatMap((one) =>
      one.id === "quarterdeck_cost_repricing_hours" && one.type === "Gauge" ? [one.state.value] : []
    )[0]
)
const back = (hours: number): number => lastMs - hours * HOUR_MS

describe("the note of hours that wait to be repriced", () => {
  it.effect("is there before the prices change, and stays when they cannot", () =>
    Effect.gen(function* () {
      const repricing = yield* repricingOf(0)
      const journal = yield* HourJournal
      const error = yield* Effect.flip(
        repricing.noted(
          back(4),
          Effect.gen(function* () {
            assert.deepStrictEqual(yield* journal.reprice, Option.some(back(4)))
            return yield* broken
          })
        )
      )
      assert.strictEqual(error, broken)
      assert.deepStrictEqual(yield* noted, Option.some(back(4)))
    }).pipe(Effect.provide(parts), Effect.scoped)
  )

  it.effect("outlives a run that began before it", () =>
    Effect.gen(function* () {
      const [begun, gate] = yield* Effect.all([Deferred.make<void>(), Deferred.make<void>()])
      const repricing = yield* repricingOf(40, () =>
        Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(gate))
      )
      const first = yield* Effect.forkChild(repricing.run(back(10)))
      yield* Deferred.await(begun)
      yield* repricing.noted(back(40), Effect.void)
      yield* Deferred.succeed(gate, undefined)
      assert.strictEqual(yield* Fiber.join(first), 10)
      assert.deepStrictEqual(yield* noted, Option.some(back(40)))
      assert.strictEqual(yield* repricing.run(back(40)), 40)
      assert.isTrue(Option.isNone(yield* noted))
    }).pipe(Effect.provide(parts), Effect.scoped)
  )

  it.effect("of a run that failed is made good by the next, whatever it was asked for", () =>
    Effect.gen(function* () {
      let isBroken = true
      const repricing = yield* repricingOf(40, () => (isBroken ? Effect.fail(broken) : Effect.void))
      assert.strictEqual(yield* Effect.flip(repricing.run(back(40))), broken)
      assert.deepStrictEqual(yield* noted, Option.some(back(40)))
      isBroken = false
      assert.strictEqual(yield* repricing.run(back(2)), 40)
      assert.isTrue(Option.isNone(yield* noted))
    }).pipe(Effect.provide(parts), Effect.scoped)
  )

  it.effect("may be asked for by many at once", () =>
    Effect.gen(function* () {
      const repricing = yield* repricingOf(4)
      const asked = Array.from({ length: 40 }, (_, index) => repricing.run(back(index % 4)))
      assert.strictEqual((yield* Effect.all(asked, { concurrency: "unbounded" })).length, 40)
      assert.isTrue(Option.isNone(yield* noted))
      const journal = yield* HourJournal
      const notes = Array.from({ length: 40 }, (_, index) => journal.noteReprice(Option.some(index)))
      yield* Effect.all(notes, { concurrency: "unbounded" })
      assert.deepStrictEqual(yield* noted, Option.some(39))
    }).pipe(Effect.provide(parts), Effect.scoped)
  )
})

describe("a repricing that cannot write", () => {
  it.effect("is tried again until all hours have their costs, none of them twice, and says how many wait", () =>
    Effect.gen(function* () {
      const failed = yield* Deferred.make<void>()
      let failures = 3
      const taken: Array<number> = []
      const repricing = yield* repricingOf(40, ([one]) => {
        if (taken.length === 25 && failures-- > 0) {
          return Effect.andThen(Deferred.succeed(failed, undefined), Effect.fail(broken))
        }
        return Effect.sync(() => void taken.push(one?.startMs ?? 0))
      })
      const pursued = yield* Effect.forkChild(repricing.pursue(back(40)), { startImmediately: true })
      yield* Deferred.await(failed)
      assert.strictEqual(taken.length, 25)
      assert.strictEqual(yield* waitingHours, 15)
      assert.deepStrictEqual(yield* noted, Option.some(back(40)))
      while (pursued.pollUnsafe() === undefined) {
        yield* TestClock.adjust("10 seconds")
        yield* Effect.callback<void>((resume) => void setImmediate(() => resume(Effect.void)))
      }
      assert.strictEqual(yield* Fiber.join(pursued), 40)
      assert.deepStrictEqual(
        taken,
        Array.from({ length: 40 }, (_, index) => back(40 - index))
      )
      assert.strictEqual(yield* waitingHours, 0)
      assert.isTrue(Option.isNone(yield* noted))
    }).pipe(Effect.provide(parts), Effect.scoped)
  )

  it.effect("leaves out what is forgotten meanwhile, and charges the rest anew", () =>
    Effect.gen(function* () {
      const store = yield* CostStore
      const dayMs = Date.parse("2026-03-07T00:00:00Z")
      const repricing = yield* repricingOf(40, () => store.prune({ hoursBeforeMs: dayMs, daysBeforeMs: 0 }))
      assert.strictEqual(yield* repricing.run(back(40)), (lastMs - dayMs) / HOUR_MS)
      assert.isTrue(Option.isNone(yield* noted))
    }).pipe(Effect.provide(parts), Effect.scoped)
  )
})

describe("what a repricing covers", () => {
  it.effect("begins with the first hour that an override may count from", () =>
    Effect.gen(function* () {
      const repricing = yield* repricingOf(0)
      const store = yield* CostStore
      const { hourlyDays } = yield* SamplerSettings
      const keptMs = PriceChange.keptFromMs(nowMs, hourlyDays)
      assert.strictEqual(keptMs, Date.parse("2026-03-08T00:00:00Z") - 100 * DAY_MS)
      for (const startMs of [keptMs - HOUR_MS, keptMs, keptMs + HOUR_MS]) yield* store.close(hourAt(startMs))
      const first = bookOf(cpu(1, {}, { validFrom: new Date(keptMs).toISOString() }))
      const { repriceFromMs } = yield* (yield* Prices).replace(first, { hourlyDays, hasCosts: true })
      assert.strictEqual(repriceFromMs, keptMs)
      assert.strictEqual(yield* repricing.run(keptMs), 2)
      assert.strictEqual(yield* repricing.run(0), 2)
    }).pipe(Effect.provide(parts), Effect.scoped)
  )
})

const dearer = dearerFrom("10:00:00")

describe("prices that change", () => {
  it.effect("count in an hour that is being closed at that instant", () =>
    Effect.gen(function* () {
      const fleet = yield* oneWeb
      const [store, prices] = [yield* CostStore, yield* Prices]
      const scope = yield* Effect.scope
      let reprice: (fromMs: number) => Effect.Effect<number, CostError> = () => Effect.succeed(0)
      const changing = Effect.gen(function* () {
        const { repriceFromMs = 0 } = yield* prices.replace(dearer, revisionLimits).pipe(Effect.orDie)
        yield* Effect.forkIn(reprice(repriceFromMs), scope, { startImmediately: true })
        yield* Effect.forEach(Array.from({ length: 20 }), () => Effect.yieldNow)
      })
      const closing = CostStore.of({
        ...store,
        close: (one) => (one.startMs === at("10:00:00") ? Effect.andThen(changing, store.close(one)) : store.close(one))
      })
      const { sampler } = yield* start(fleet, requestsOnly).pipe(Effect.provideService(CostStore, closing))
      reprice = sampler.reprice
      yield* until("11:05:00")
      const [ten] = yield* hoursOf(a, "10:00:00", "11:00:00")
      assert.strictEqual(measured(ten, "cpuCostNanos")["Deployment/web"], 200_000_000)
    }).pipe(Effect.provide(inMemory), Effect.scoped)
  )

  it.effect("count in all closed hours, though the store was away for a moment", () =>
    Effect.gen(function* () {
      const fleet = yield* oneWeb
      const [store, prices] = [yield* CostStore, yield* Prices]
      const scope = yield* Effect.scope
      let isAway = false
      const flaky = CostStore.of({
        ...store,
        rewrite: (hours) => Effect.suspend(() => (isAway ? Effect.fail(broken) : store.rewrite(hours)))
      })
      const { sampler } = yield* start(fleet, requestsOnly).pipe(Effect.provideService(CostStore, flaky))
      yield* until("12:02:00")
      isAway = true
      const { repriceFromMs = 0 } = yield* prices.replace(dearer, revisionLimits, sampler.repriceNoted)
      yield* Effect.forkIn(sampler.reprice(repriceFromMs), scope)
      yield* until("12:02:05")
      isAway = false
      yield* until("12:03:00")
      const hours = yield* hoursOf(a, "10:00:00", "12:00:00")
      assert.deepStrictEqual(
        hours.map((one) => measured(one, "cpuCostNanos")["Deployment/web"]),
        [200_000_000, 200_000_000]
      )
    }).pipe(Effect.provide(inMemory), Effect.scoped)
  )

  it.effect("count in all hours after a restart, when the program ended before it began to reprice", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      yield* Effect.gen(function* () {
        const fleet = yield* oneWeb
        const first = yield* start(fleet, requestsOnly)
        yield* until("12:02:00")
        yield* (yield* Prices).replace(dearer, revisionLimits, first.sampler.repriceNoted)
        yield* first.stop
        const charged = Effect.map(hoursOf(a, "10:00:00", "12:00:00"), (hours) =>
          hours.map((one) => measured(one, "cpuCostNanos")["Deployment/web"])
        )
        assert.notInclude(yield* charged, 200_000_000)
        yield* start(fleet, requestsOnly)
        yield* until("12:03:00")
        yield* settle
        assert.deepStrictEqual(yield* charged, [200_000_000, 200_000_000])
        assert.isTrue(Option.isNone(yield* noted))
      }).pipe(Effect.provide(onDisk(directory)))
    }).pipe(Effect.scoped)
  )
})
