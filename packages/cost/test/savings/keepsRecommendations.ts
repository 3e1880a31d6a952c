/** The contract of every recommendation store. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import type { CostError } from "../../src/hour/CostError.ts"
import { type KeptWorkload, RecommendationStore } from "../../src/savings/RecommendationStore.ts"
import { Recommender } from "../../src/savings/Recommender.ts"
import { HOUR_MS } from "../../src/hour/Units.ts"
import { hourOf, monday, prod, stage, used } from "./usage.ts"

const kept = (key: string, figure: number): KeptWorkload => ({
  key,
  checkpoint: Uint8Array.from({ length: figure % 40 }, (_, at) => (at * figure) % 256),
  recommendation: {
    cpuRecommendedMillis: figure,
    memoryRecommendedBytes: figure * 1_000_000_007,
    recommendationDays: (figure % 193) / 24
  }
})

const Keys = Schema.Literals(["a/Deployment/x", "a/Job/x", "b/Deployment/x", "ü/Pod/漢"])
const upTo = (maximum: number) => Schema.Int.check(Schema.isBetween({ minimum: 0, maximum }))
const AnyChange = Schema.Struct({
  cluster: Schema.Literals([prod, stage]),
  changed: Schema.Array(Schema.Struct({ key: Keys, figure: upTo(9_000) })).check(Schema.isMaxLength(4)),
  ended: Schema.Array(Keys).check(Schema.isMaxLength(2)),
  thenReads: Schema.Boolean
})

export const keepsRecommendations = (stores: Layer.Layer<RecommendationStore, CostError>, runs: number): void => {
  const check = <E>(name: string, body: (store: RecommendationStore["Service"]) => Effect.Effect<void, E>) =>
    it.live(name, () =>
      Effect.gen(function* () {
        yield* body(yield* RecommendationStore)
      }).pipe(Effect.provide(Layer.fresh(stores)))
    )

  const byKey = (workloads: ReadonlyArray<KeptWorkload>) =>
    workloads.toSorted((a, b) => (a.key < b.key ? -1 : 1)).map((one) => ({ ...one, checkpoint: [...one.checkpoint] }))

  check("knows nothing of a cluster that was never saved", (store) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* store.load(prod), { foldedToMs: 0, workloads: [] })
      assert.deepStrictEqual(yield* store.recommendations([prod]), [{ cluster: prod, foldedToMs: 0, byKey: new Map() }])
    })
  )

  check("gives back what was saved, whatever becomes of the bytes that were given", (store) =>
    Effect.gen(function* () {
      const bytes = Uint8Array.of(0, 1, 2, 3, 4, 5)
      const one = { ...kept("a/Deployment/x", 77), checkpoint: bytes.subarray(2, 5) }
      const other = { ...kept("a/Deployment/y", 78), checkpoint: bytes.subarray(5) }
      yield* store.save({ cluster: prod, foldedToMs: monday, changed: [one, other], ended: [] })
      bytes.fill(99)
      const { foldedToMs, workloads } = yield* store.load(prod)
      assert.strictEqual(foldedToMs, monday)
      assert.deepStrictEqual(
        byKey(workloads),
        byKey([
          { ...one, checkpoint: Uint8Array.of(2, 3, 4) },
          { ...other, checkpoint: Uint8Array.of(5) }
        ])
      )
    })
  )

  check("notes an hour in which nothing changed", (store) =>
    Effect.gen(function* () {
      yield* store.save({ cluster: prod, foldedToMs: monday, changed: [kept("a/Job/x", 5)], ended: [] })
      yield* store.save({ cluster: prod, foldedToMs: monday + HOUR_MS, changed: [], ended: [] })
      const { foldedToMs, workloads } = yield* store.load(prod)
      assert.strictEqual(foldedToMs, monday + HOUR_MS)
      assert.strictEqual(workloads.length, 1)
    })
  )

  check("reads recommendations in the order asked for, each as of its last save", (store) =>
    Effect.gen(function* () {
      yield* store.save({ cluster: prod, foldedToMs: monday, changed: [kept("a/Job/x", 5)], ended: [] })
      const before = yield* store.recommendations([stage, prod])
      yield* store.save({ cluster: prod, foldedToMs: monday + HOUR_MS, changed: [kept("a/Job/x", 6)], ended: [] })
      const after = yield* store.recommendations([prod, stage])
      assert.deepStrictEqual(
        before.map(({ cluster }) => cluster),
        [stage, prod]
      )
      assert.strictEqual(before[1]?.byKey.get("a/Job/x")?.cpuRecommendedMillis, 5)
      assert.strictEqual(after[0]?.byKey.get("a/Job/x")?.cpuRecommendedMillis, 6)
      assert.strictEqual(after[0]?.foldedToMs, monday + HOUR_MS)
      assert.strictEqual(after[1]?.byKey.size, 0)
    })
  )

  check("forgets a cluster whole, and takes it in anew", (store) =>
    Effect.gen(function* () {
      const changed = [kept("a/Job/x", 5), kept("b/Job/x", 6)]
      yield* store.save({ cluster: prod, foldedToMs: monday, changed, ended: [] })
      yield* store.save({ cluster: stage, foldedToMs: monday, changed, ended: [] })
      yield* store.recommendations([prod, stage])
      yield* store.forget(prod)
      yield* store.forget(prod)
      assert.deepStrictEqual(yield* store.load(prod), { foldedToMs: 0, workloads: [] })
      assert.strictEqual((yield* store.recommendations([prod]))[0]?.byKey.size, 0)
      assert.strictEqual((yield* store.load(stage)).workloads.length, 2)
      yield* store.save({ cluster: prod, foldedToMs: HOUR_MS, changed: changed.slice(1), ended: [] })
      assert.strictEqual((yield* store.recommendations([prod]))[0]?.foldedToMs, HOUR_MS)
    })
  )

  check("answers readers and the writer at once", (store) =>
    Effect.gen(function* () {
      yield* Effect.forEach(
        Array.from({ length: 60 }, (_, hour) => hour + 1),
        (hour) =>
          hour % 2 === 0
            ? store.save({ cluster: prod, foldedToMs: hour * HOUR_MS, changed: [kept("a/Job/x", hour)], ended: [] })
            : store.recommendations([prod]),
        { concurrency: "unbounded" }
      )
      const [found] = yield* store.recommendations([prod])
      assert.strictEqual(found?.foldedToMs, 60 * HOUR_MS)
      assert.strictEqual(found?.byKey.get("a/Job/x")?.cpuRecommendedMillis, 60)
    })
  )

  it.live.prop(
    "keeps what a map would",
    [Schema.Array(AnyChange).check(Schema.isMaxLength(12))],
    ([changes]) =>
      Effect.gen(function* () {
        const store = yield* RecommendationStore
        const model = new Map([prod, stage].map((cluster) => [cluster, new Map<string, KeptWorkload>()]))
        for (const [index, { changed, cluster, ended, thenReads }] of changes.entries()) {
          const workloads = [...new Map(changed.map(({ figure, key }) => [key, kept(key, figure)])).values()]
          yield* store.save({ cluster, foldedToMs: (index + 1) * HOUR_MS, changed: workloads, ended })
          for (const key of ended) model.get(cluster)?.delete(key)
          for (const one of workloads) model.get(cluster)?.set(one.key, one)
          if (thenReads) yield* store.recommendations([prod, stage])
        }
        for (const [cluster, workloads] of model) {
          assert.deepStrictEqual(byKey((yield* store.load(cluster)).workloads), byKey([...workloads.values()]))
          const [found] = yield* store.recommendations([cluster])
          const expected = new Map([...workloads].map(([key, { recommendation }]) => [key, recommendation]))
          assert.deepStrictEqual(new Map(found?.byKey), expected)
        }
      }).pipe(Effect.provide(Layer.fresh(stores))),
    { arbitrary: { runs } }
  )

  check("carries a recommender over from one hour to the next", (store) =>
    Effect.gen(function* () {
      const fold = (hour: number) =>
        Recommender.use((recommender) => recommender.fold(hourOf(hour, [used("api"), used("web")]))).pipe(
          Effect.provide(Layer.fresh(Recommender.layer)),
          Effect.provideService(RecommendationStore, store)
        )
      for (let hour = 0; hour < 5; hour++) yield* fold(hour)
      const [found] = yield* store.recommendations([prod])
      assert.deepStrictEqual(
        [...(found?.byKey.values() ?? [])].map(({ recommendationDays }) => recommendationDays),
        [5 / 24, 5 / 24]
      )
    })
  )
}
