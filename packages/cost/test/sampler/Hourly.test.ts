import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Layer, Stream } from "effect"
import { CostStore } from "../../src/store/CostStore.ts"
import { RecommendationStore } from "../../src/savings/RecommendationStore.ts"
import { HOUR_MS } from "../../src/hour/Units.ts"
import type { Hourly } from "../../src/usage/UsageSource.ts"
import type { Window } from "../../src/hour/Window.ts"
import { HourJournal } from "../../src/sampler/HourJournal.ts"
import { SamplerSettings } from "../../src/sampler/SamplerSettings.ts"
import { temporaryDirectory } from "../temporaryDirectory.ts"
import { factsOf, failure, hourly } from "./hours.ts"
import { at } from "./objects.ts"
import { a, begin, hoursOf, inMemory, measured, onDisk, oneCluster, oneWeb, settle, start, until } from "./sampling.ts"

const foldedTo = Effect.map(
  Effect.flatMap(RecommendationStore, (store) => store.load(a)),
  ({ foldedToMs }) => foldedToMs
)

describe("a source that knows whole hours", () => {
  it.effect("is asked when the hour is over, and its usage and traffic are charged", () =>
    Effect.gen(function* () {
      const fleet = yield* oneWeb
      yield* start(
        fleet,
        hourly(() => false)
      )
      yield* until("11:02:00")
      const [hour] = yield* hoursOf(a, "10:00:00", "11:00:00")
      assert.deepStrictEqual(measured(hour, "cpuUsedMilliSeconds"), { "Deployment/web": 250 * 3_600 })
      assert.deepStrictEqual(measured(hour, "internetEgressKib"), { "Deployment/web": 2_048 })
      assert.strictEqual(yield* foldedTo, at("11:00:00"))
    }).pipe(Effect.provide(inMemory), Effect.scoped)
  )

  it.effect("that fails leaves hours without usage, which they get in their order once it is back", () =>
    Effect.gen(function* () {
      const fleet = yield* oneWeb
      let isDown = false
      yield* start(
        fleet,
        hourly(() => isDown)
      )
      yield* until("10:02:00")
      isDown = true
      yield* until("12:02:00")
      const before = yield* hoursOf(a, "10:00:00", "12:00:00")
      assert.deepStrictEqual(
        before.map((hour) => [measured(hour, "replicaSeconds"), measured(hour, "coveredSeconds")]),
        [
          [{ "Deployment/web": 3_600 }, { "Deployment/web": 0 }],
          [{ "Deployment/web": 3_600 }, { "Deployment/web": 0 }]
        ]
      )
      assert.strictEqual(yield* foldedTo, at("10:00:00"))
      isDown = false
      yield* until("12:04:00")
      const after = yield* hoursOf(a, "10:00:00", "12:00:00")
      assert.deepStrictEqual(
        after.map((hour) => measured(hour, "cpuUsedMilliSeconds")["Deployment/web"]),
        [900_000, 900_000]
      )
      assert.strictEqual(yield* foldedTo, at("12:00:00"))
    }).pipe(Effect.provide(inMemory), Effect.scoped)
  )

  it.effect("holds no more hours than it may while those before the first are filled in, and charges them all", () =>
    Effect.gen(function* () {
      const fleet = yield* oneWeb
      const filled = yield* Deferred.make<void>()
      const settings = { ...(yield* SamplerSettings), maxPendingHours: 2 }
      yield* start(
        fleet,
        hourly(
          () => false,
          () => Stream.fromEffectDrain(Deferred.await(filled))
        )
      ).pipe(Effect.provideService(SamplerSettings, settings))
      yield* until("15:04:00")
      const { kept } = yield* HourJournal
      assert.deepStrictEqual(
        (yield* kept).map(({ startMs }) => startMs),
        [at("13:00:00"), at("14:00:00"), at("15:00:00")]
      )
      const hours = yield* hoursOf(a, "10:00:00", "15:00:00")
      assert.deepStrictEqual(
        hours.map((hour) => measured(hour, "cpuUsedMilliSeconds")["Deployment/web"]),
        Array.from({ length: 5 }, () => 250 * 3_600)
      )
      yield* Deferred.succeed(filled, undefined)
      yield* until("15:06:00")
      assert.strictEqual(yield* foldedTo, at("15:00:00"))
      assert.deepStrictEqual(
        (yield* kept).map(({ startMs }) => startMs),
        [at("15:00:00")]
      )
    }).pipe(Effect.provide(Layer.unwrap(Effect.map(temporaryDirectory, onDisk))), Effect.scoped)
  )

  it.effect(
    "fills in the hours before the first one in rising order, once, and goes on where it was after a restart",
    () =>
      Effect.gen(function* () {
        const { fleet } = yield* oneCluster
        const asked: Array<Window> = []
        let isBroken = true
        const past: Hourly["past"] = (_, window) => {
          asked.push(window)
          const first = Math.max(window.startMs, at("10:00:00") - 60 * HOUR_MS)
          const hours = Array.from({ length: Math.max(0, (window.endMs - first) / HOUR_MS) }, (_, index) =>
            factsOf(first + index * HOUR_MS)
          )
          if (!isBroken) return Stream.fromIterable(hours)
          return Stream.concat(Stream.fromIterable(hours.slice(0, 30)), Stream.fail(failure))
        }
        yield* begin("10:00:00")
        const first = yield* start(
          fleet,
          hourly(() => false, past)
        )
        yield* settle
        yield* first.stop
        isBroken = false
        const second = yield* start(
          fleet,
          hourly(() => false, past)
        )
        yield* until("10:00:30")
        const store = yield* CostStore
        const hours = yield* store.hours(a, { startMs: 0, endMs: at("10:00:00") })
        assert.deepStrictEqual(
          hours.map(({ startMs }) => startMs),
          Array.from({ length: 60 }, (_, index) => at("10:00:00") - (60 - index) * HOUR_MS)
        )
        assert.strictEqual(yield* foldedTo, at("10:00:00"))
        // The first broke within its second day: its first was noted. What the source does not know is asked for again.
        assert.deepStrictEqual(asked.slice(1), [
          { startMs: asked[0]?.startMs, endMs: at("10:00:00") - 60 * HOUR_MS },
          { startMs: at("10:00:00") - 36 * HOUR_MS, endMs: at("10:00:00") }
        ])
        yield* second.stop

        const waiting = asked.length
        yield* until("10:30:00")
        yield* start(
          fleet,
          hourly(() => false, past)
        )
        yield* until("10:31:00")
        assert.deepStrictEqual(
          [...new Set(asked.slice(waiting).map(({ endMs }) => endMs))],
          [at("10:00:00") - 60 * HOUR_MS]
        )
      }).pipe(Effect.provide(Layer.unwrap(Effect.map(temporaryDirectory, onDisk))), Effect.scoped)
  )
})
