import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Layer, Scope } from "effect"
import { CostStore } from "../../../src/store/CostStore.ts"
import { layerSqlite } from "../../../src/store/sqlite/Sqlite.ts"
import { temporaryDirectory } from "../../temporaryDirectory.ts"
import { addedUp, amountsOf, at, days, hour, hoursFrom, prod, series } from "../samples.ts"

const monday = at("2026-03-02T00:00")
const window = { startMs: monday, endMs: monday + days(2) }

const named = (name: string) => series(name, { labels: { app: name, "example.com/team": "shop", 7: "seven" } })

/** Series come in twos, and once many of them. */
const hours = hoursFrom(monday, 40).map((startMs, index) =>
  hour(
    startMs,
    Array.from({ length: index === 20 ? 600 : 2 }, (_, place) => [
      named(`w-${index}-${place}`),
      { cpuCostNanos: index + place + 1 }
    ])
  )
)

/** Runs against a store that is opened for it and closed after it. */
const withStore = <A, E>(directory: string, body: (store: CostStore["Service"]) => Effect.Effect<A, E, Scope.Scope>) =>
  Effect.provide(CostStore.use(body), Layer.fresh(layerSqlite({ directory })))

const sumsOf = (store: CostStore["Service"]) =>
  Effect.map(store.sums([prod], window), ([sums]) => sums ?? assert.fail("a cluster has no sums"))

describe("the names of series in SQLite", () => {
  it.live("are all there after a restart, whether series came a few at a time or many", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      yield* withStore(directory, (store) => store.rewrite(hours))
      const sums = yield* withStore(directory, sumsOf)
      assert.deepStrictEqual(amountsOf(sums), addedUp(hours, window.startMs, window.endMs).amounts)
      assert.deepStrictEqual(sums.series[0], named("w-0-0"))
    })
  )

  it.live("are all there after a restart though those between them were forgotten", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const late = hoursFrom(monday + days(3), 30).map((startMs, index) =>
        hour(startMs, [
          [named("w-0-0"), { cpuCostNanos: 1 }],
          [named(`late-${index}`), { cpuCostNanos: index + 1 }]
        ])
      )
      yield* withStore(directory, (store) =>
        Effect.gen(function* () {
          yield* store.rewrite([...hours, ...late])
          yield* store.prune({ hoursBeforeMs: monday + days(3), daysBeforeMs: monday + days(3) })
        })
      )
      // What no hour names any more is swept when the file is opened.
      yield* withStore(directory, () => Effect.void)
      const [sums] = yield* withStore(directory, (store) =>
        store.sums([prod], { startMs: monday + days(3), endMs: monday + days(5) })
      )
      assert(sums !== undefined)
      assert.deepStrictEqual(amountsOf(sums), addedUp(late, monday + days(3), monday + days(5)).amounts)
    })
  )

  it.live("are shared by sums of one window, whose columns are freed when the last reader ends", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      yield* withStore(directory, (store) => store.rewrite(hours))
      yield* withStore(directory, (store) =>
        Effect.gen(function* () {
          const expected = addedUp(hours, window.startMs, window.endMs).amounts
          const [first, second] = [yield* Scope.make(), yield* Scope.make()]
          const [one, other] = yield* Effect.all(
            [Scope.provide(sumsOf(store), first), Scope.provide(sumsOf(store), second)],
            { concurrency: "unbounded" }
          )
          yield* Scope.close(first, Exit.void)
          assert.deepStrictEqual(amountsOf(other), expected)
          yield* Scope.close(second, Exit.void)
          assert.strictEqual(other.columns.cpuCostNanos.length, 0)
          const again = yield* sumsOf(store)
          assert.strictEqual(again.series, one.series)
          assert.deepStrictEqual(amountsOf(again), expected)
        })
      )
    })
  )
})
