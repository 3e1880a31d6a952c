import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, type Scope } from "effect"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { CostStore } from "../../../src/store/CostStore.ts"
import { check, layerSqlite } from "../../../src/store/sqlite/Sqlite.ts"
import { HOUR_MS } from "../../../src/hour/Units.ts"
import { temporaryDirectory } from "../../temporaryDirectory.ts"
import { at, days, hour, hoursFrom, prod, series } from "../samples.ts"

const monday = at("2026-03-02T00:00")

const withStore = <A, E>(directory: string, body: (store: CostStore["Service"]) => Effect.Effect<A, E, Scope.Scope>) =>
  Effect.gen(function* () {
    return yield* body(yield* CostStore)
  }).pipe(Effect.provide(Layer.fresh(layerSqlite({ directory }))))

describe("a cost history that forgets", () => {
  it.live("starts soon after tens of thousands of series were forgotten, and knows those that stay", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const jobsOf = (from: number) =>
        Array.from({ length: 3_000 }, (_, index) => series(`job-${from + index}`, { labels: {} }))
      const hours = hoursFrom(monday, 20).map((startMs, index) =>
        hour(
          startMs,
          jobsOf(index * 3_000).map((one) => [one, { existedSeconds: 60 }])
        )
      )
      const late = hour(
        monday + days(2),
        jobsOf(28_500).map((one) => [one, { existedSeconds: 5 }])
      )
      yield* withStore(directory, (store) =>
        Effect.gen(function* () {
          yield* Effect.forEach([...hours, late], (one) => store.close(one), { discard: true })
          yield* store.prune({ hoursBeforeMs: monday + days(1), daysBeforeMs: monday + days(1) })
        })
      )
      const before = yield* withStore(directory, (store) =>
        Effect.gen(function* () {
          yield* store.close(
            hour(monday + days(2) + HOUR_MS, [[series("job-28500", { labels: {} }), { existedSeconds: 7 }]])
          )
          const [sums] = yield* store.sums([prod], { startMs: monday, endMs: monday + days(3) })
          assert(sums !== undefined)
          return sums
        })
      )
      assert.deepStrictEqual(before.series, late.series)
      assert.deepStrictEqual(
        before.columns.existedSeconds,
        Float64Array.from(late.series, (_, index) => (index === 0 ? 12 : 5))
      )
      assert.deepStrictEqual((yield* check({ directory })).findings, [])
      const open = new DatabaseSync(join(directory, "cost.sqlite"))
      const kept = open.prepare("SELECT count(*) AS size, min(id) AS least, max(id) AS most FROM series_ids").get()
      open.close()
      assert.deepStrictEqual({ ...kept }, { size: 3_000, least: 28_500, most: 31_499 })
    })
  )
})
