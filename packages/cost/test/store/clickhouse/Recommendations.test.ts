import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { RecommendationStore } from "../../../src/savings/RecommendationStore.ts"
import { HOUR_MS } from "../../../src/hour/Units.ts"
import { keepsRecommendations } from "../../savings/keepsRecommendations.ts"
import { monday, prod } from "../../savings/usage.ts"
import * as Server from "./Server.ts"

const kept = (key: string, figure: number) => ({
  key,
  checkpoint: Uint8Array.of(figure),
  recommendation: { cpuRecommendedMillis: figure, memoryRecommendedBytes: figure, recommendationDays: 1 }
})

const storeOn = (url: URL) =>
  Effect.map(Layer.build(Layer.fresh(Server.storeOn(url))), (context) =>
    RecommendationStore.pipe(Effect.provide(context))
  )

describe("recommendations in ClickHouse", () => {
  Server.tested(() => {
    keepsRecommendations(Server.stores, 4)

    it.live("show in another program as soon as they are saved", () =>
      Effect.gen(function* () {
        const url = yield* Server.freshDatabase
        const [one, other] = [yield* yield* storeOn(url), yield* yield* storeOn(url)]
        for (const figure of [5, 6]) {
          yield* one.save({ cluster: prod, foldedToMs: monday, changed: [kept("a/Job/x", figure)], ended: [] })
          const [found] = yield* other.recommendations([prod])
          assert.strictEqual(found?.byKey.get("a/Job/x")?.cpuRecommendedMillis, figure)
        }
        yield* other.forget(prod)
        assert.deepStrictEqual((yield* one.recommendations([prod]))[0]?.byKey, new Map())
      })
    )

    it.live("are one program's or the other's where two save at once, never some of each", () =>
      Effect.gen(function* () {
        const url = yield* Server.freshDatabase
        const programs = [yield* yield* storeOn(url), yield* yield* storeOn(url), yield* yield* storeOn(url)]
        const keys = ["a/Job/x", "b/Job/x", "c/Job/x"]
        for (let round = 0; round < 5; round++) {
          yield* Effect.forEach(
            programs,
            (store, place) => {
              const changed = keys.map((key) => kept(key, round * 10 + place + 1))
              return store.save({ cluster: prod, foldedToMs: monday + round * HOUR_MS, changed, ended: [] })
            },
            { concurrency: "unbounded" }
          )
          const { workloads } = yield* (programs[0] ?? assert.fail()).load(prod)
          const figures = new Set(workloads.map(({ recommendation }) => recommendation.cpuRecommendedMillis))
          assert.strictEqual(workloads.length, 3)
          assert.strictEqual(figures.size, 1, [...figures].join())
        }
      })
    )

    it.live("of workloads that ended take no room for long, and do not come back", () =>
      Effect.gen(function* () {
        const url = yield* Server.freshDatabase
        const store = yield* yield* storeOn(url)
        for (let hour = 0; hour < 26; hour++) {
          const ended = hour === 0 ? [] : [`a/Job/${hour - 1}`]
          const changed = [kept(`a/Job/${hour}`, hour + 1)]
          yield* store.save({ cluster: prod, foldedToMs: monday + hour * HOUR_MS, changed, ended })
        }
        const { workloads } = yield* store.load(prod)
        assert.deepStrictEqual(
          workloads.map(({ key }) => key),
          ["a/Job/25"]
        )
        const rows = yield* Server.ask(url, "SELECT count() FROM recommendations FINAL WHERE key != ''")
        assert.isAtMost(Number(rows), 4)
      })
    )
  })
})
