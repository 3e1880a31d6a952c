import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { StoreUnreadable } from "../../src/hour/CostError.ts"
import { CostStore } from "../../src/store/CostStore.ts"
import { RecommendationStore } from "../../src/savings/RecommendationStore.ts"
import { Recommender } from "../../src/savings/Recommender.ts"
import { check, layerSqlite } from "../../src/store/sqlite/Sqlite.ts"
import { HOUR_MS } from "../../src/hour/Units.ts"
import { cost } from "../store/samples.ts"
import { temporaryDirectory } from "../temporaryDirectory.ts"
import { keepsRecommendations } from "./keepsRecommendations.ts"
import { hourOf, monday, prod, used } from "./usage.ts"

/** Runs against a store that is opened for it and closed after it. */
const withStore = <A, E>(directory: string, body: Effect.Effect<A, E, Recommender | RecommendationStore | CostStore>) =>
  body.pipe(Effect.provide(Layer.fresh(Recommender.layer.pipe(Layer.provideMerge(layerSqlite({ directory }))))))

const fold = (from: number, to: number) =>
  Effect.gen(function* () {
    const recommender = yield* Recommender
    for (let hour = from; hour < to; hour++) {
      yield* recommender.fold(hourOf(hour, [used("api", { cpuMillis: [100 + hour * 10] }), used("web")]))
    }
  })

const read = Effect.flatMap(RecommendationStore, (store) => store.recommendations([prod]))

describe("recommendations in SQLite", () => {
  keepsRecommendations(Layer.unwrap(Effect.map(temporaryDirectory, (directory) => layerSqlite({ directory }))), 10)

  it.live("are the same after a restart, and go on from there", () =>
    Effect.gen(function* () {
      const [directory, other] = [yield* temporaryDirectory, yield* temporaryDirectory]
      const before = yield* withStore(directory, Effect.andThen(fold(0, 30), read))
      assert.deepStrictEqual(yield* withStore(directory, read), before)
      const after = yield* withStore(directory, Effect.andThen(fold(30, 60), read))
      assert.deepStrictEqual(after, yield* withStore(other, Effect.andThen(fold(0, 60), read)))
    })
  )

  it.live("lie beside the history in one file, which is found in order", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      yield* withStore(
        directory,
        Effect.gen(function* () {
          yield* fold(0, 3)
          yield* (yield* CostStore).close(cost(monday, "api", 5))
          yield* (yield* CostStore).prune({ hoursBeforeMs: monday + 99 * 24 * HOUR_MS, daysBeforeMs: 0 })
        })
      )
      assert.deepStrictEqual((yield* check({ directory })).findings, [])
      assert.strictEqual((yield* withStore(directory, read))[0]?.byKey.size, 2)
    })
  )

  it.live("that were changed behind the program's back are reported, not made up", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      yield* withStore(directory, fold(0, 3))
      yield* Effect.sync(() => {
        const file = new DatabaseSync(join(directory, "cost.sqlite"))
        file.exec(
          "DROP TABLE recommendations; CREATE TABLE recommendations (cluster, key, cpu_millis, memory_bytes, hours, checkpoint, PRIMARY KEY (cluster, key)); INSERT INTO recommendations VALUES (1, 'k', 'many', 1, 1, x'01')"
        )
        file.close()
      })
      const error = yield* Effect.flip(withStore(directory, read))
      assert.instanceOf(error.reason, StoreUnreadable)
    })
  )
})
