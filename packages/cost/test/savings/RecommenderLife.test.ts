import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Ref } from "effect"
import { CostError, StoreUnavailable } from "../../src/hour/CostError.ts"
import { none, type Recommendation } from "../../src/savings/Recommendation.ts"
import { RecommendationStore } from "../../src/savings/RecommendationStore.ts"
import { Recommender } from "../../src/savings/Recommender.ts"
import { layerMemory } from "../../src/store/RecommendationMemory.ts"
import { HOUR_MS } from "../../src/hour/Units.ts"
import { foldAll, hours, layer, recommendedFrom, recommendedTo } from "./recommending.ts"
import { hourOf, keyOf, MIB, monday, prod, stage, steadyCpuMillis, used } from "./usage.ts"

describe("the recommender, hour after hour,", () => {
  it.effect("forgets a workload that eight days did not see, and keeps it until then", () =>
    Effect.gen(function* () {
      yield* foldAll([hourOf(0, [used("api"), used("web")]), hourOf(191, [used("web")])])
      assert.notDeepEqual(yield* recommendedTo("api"), none)
      yield* foldAll([hourOf(192, [used("web")])])
      assert.deepStrictEqual(yield* recommendedTo("api"), none)
      assert.notDeepEqual(yield* recommendedTo("web"), none)
    }).pipe(Effect.provide(Layer.fresh(layer)))
  )

  it.effect("leaves out an hour that it has, and one that comes late", () =>
    Effect.gen(function* () {
      const greedy = used("api", { cpuMillis: [30_000], cpuRequestMillis: 64_000 })
      yield* foldAll([hourOf(5, [used("api")])])
      const before = yield* recommendedTo("api")
      yield* foldAll([hourOf(5, [greedy]), hourOf(4, [greedy])])
      assert.deepStrictEqual(yield* recommendedTo("api"), before)
    }).pipe(Effect.provide(Layer.fresh(layer)))
  )

  it.effect("keeps clusters apart", () =>
    Effect.gen(function* () {
      const busy = used("api", { cpuMillis: [4_000] })
      yield* foldAll([hourOf(3, [used("api")]), hourOf(0, [busy], stage), hourOf(4, [used("api")])])
      assert.strictEqual((yield* recommendedTo("api")).cpuRecommendedMillis, steadyCpuMillis(500))
      assert.strictEqual((yield* recommendedTo("api", stage)).cpuRecommendedMillis, steadyCpuMillis(4_000))
      const kept = yield* (yield* RecommendationStore).recommendations([stage, prod])
      assert.deepStrictEqual(
        kept.map(({ cluster, foldedToMs }) => [cluster, foldedToMs]),
        [
          [stage, monday + HOUR_MS],
          [prod, monday + 5 * HOUR_MS]
        ]
      )
    }).pipe(Effect.provide(Layer.fresh(layer)))
  )

  it.effect("goes on from its checkpoints after a release", () =>
    Effect.gen(function* () {
      const wave = (hour: number) => [
        used("api", { cpuMillis: [100 + (hour % 24) * 40], memoryPeakBytes: (300 + (hour % 24) * 20) * MIB })
      ]
      const unbroken: Recommendation = yield* recommendedFrom(hours(200, wave))
      yield* foldAll(hours(100, wave))
      yield* (yield* Recommender).release(prod)
      yield* foldAll(hours(100, wave, 100))
      assert.deepStrictEqual(yield* recommendedTo("api"), unbroken)
    }).pipe(Effect.provide(Layer.fresh(layer)))
  )

  it.effect("takes nothing in when the store fails, and the same hour once it works", () =>
    Effect.gen(function* () {
      const broken = yield* Ref.make(false)
      const failing = Layer.effect(
        RecommendationStore,
        Effect.map(RecommendationStore, (inner) =>
          RecommendationStore.of({
            ...inner,
            save: (folded) =>
              Effect.flatMap(Ref.get(broken), (isBroken) =>
                isBroken
                  ? Effect.fail(
                      new CostError({ reason: new StoreUnavailable({ action: "save", cause: new Error("full") }) })
                    )
                  : inner.save(folded)
              )
          })
        )
      ).pipe(Layer.provide(layerMemory))
      const given = hours(30, (hour) => [used("api", { cpuMillis: [hour < 27 ? 200 : 800] })])
      const recommended = yield* Effect.gen(function* () {
        yield* foldAll(given.slice(0, 29))
        const before = yield* recommendedTo("api")
        yield* Ref.set(broken, true)
        for (let attempt = 0; attempt < 5; attempt++) {
          const error = yield* Effect.flip(foldAll(given.slice(29)))
          assert.instanceOf(error.reason, StoreUnavailable)
        }
        assert.deepStrictEqual(yield* recommendedTo("api"), before)
        yield* Ref.set(broken, false)
        yield* foldAll(given.slice(29))
        return yield* recommendedTo("api")
      }).pipe(Effect.provide(Recommender.layer.pipe(Layer.provideMerge(failing))))
      assert.deepStrictEqual(recommended, yield* recommendedFrom(given))
    })
  )

  it.effect("learns anew what it cannot read", () =>
    Effect.gen(function* () {
      yield* (yield* RecommendationStore).save({
        cluster: prod,
        foldedToMs: monday,
        ended: [],
        changed: ["api", "gone"].map((name) => {
          return { key: keyOf(name), checkpoint: Uint8Array.of(9, 9, 9), recommendation: none }
        })
      })
      yield* foldAll([hourOf(0, [used("api")])])
      const { workloads } = yield* (yield* RecommendationStore).load(prod)
      assert.deepStrictEqual(
        workloads.map(({ key }) => key),
        [keyOf("api")]
      )
      assert.strictEqual((yield* recommendedTo("api")).cpuRecommendedMillis, steadyCpuMillis(500))
    }).pipe(Effect.provide(Layer.fresh(layer)))
  )

  it.effect("takes in hours that are given at once one after the other", () =>
    Effect.gen(function* () {
      const given = hours(40, (hour) =>
        Array.from({ length: 300 }, (_, at) => used(`w-${at}`, { cpuMillis: [50 + hour] }))
      )
      yield* Effect.forEach(given, (hour) => foldAll([hour]), { concurrency: "unbounded" })
      assert.strictEqual((yield* recommendedTo("w-299")).recommendationDays, 40 / 24)
    }).pipe(Effect.provide(Layer.fresh(layer)))
  )

  it.effect("leaves the event loop to others while it folds", () =>
    Effect.gen(function* () {
      const turns = yield* Ref.make(0)
      const other = yield* Effect.forkChild(
        Effect.forever(
          Effect.andThen(
            Ref.update(turns, (count) => count + 1),
            Effect.yieldNow
          )
        ),
        { startImmediately: true }
      )
      yield* foldAll(hours(1, () => Array.from({ length: 4_000 }, (_, at) => used(`w-${at}`))))
      assert.isAtLeast(yield* Ref.get(turns), 8)
      yield* Fiber.interrupt(other)
    }).pipe(Effect.provide(Layer.fresh(layer)))
  )
})
