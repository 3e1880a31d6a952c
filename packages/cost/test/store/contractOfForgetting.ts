/** What every store of costs must do when it forgets. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { DAY_MS, HOUR_MS } from "../../src/hour/Units.ts"
import { checksOn, closeAll, fillAround, type Stores, sumsOf } from "./checks.ts"
import { addedUp, at, cost, days, hoursFrom, prod, stage } from "./samples.ts"

const monday = at("2026-03-02T00:00")

/** Forgetting hours and days. */
export const forgets = (stores: Stores): void => {
  const check = checksOn(stores)

  check("keeps days whole when it forgets their hours", (store) =>
    Effect.gen(function* () {
      const hours = hoursFrom(at("2026-02-27T03:00"), 100).map((startMs, index) =>
        cost(startMs, `w-${index % 5}`, index + 1)
      )
      const limit = at("2026-03-02T00:00")
      yield* fillAround(store, hours, limit)
      yield* store.prune({ hoursBeforeMs: limit + 5 * HOUR_MS, daysBeforeMs: 0 })
      const left = yield* store.hours(prod, { startMs: 0, endMs: limit + days(30) })
      assert.deepStrictEqual(
        left,
        hours.filter(({ startMs }) => startMs >= limit)
      )
      const start = at("2026-02-27T00:00")
      for (let from = start; from < start + days(6); from += DAY_MS) {
        for (let to = from + DAY_MS; to < start + days(7); to += DAY_MS) {
          assert.deepStrictEqual(yield* sumsOf(store, from, to), addedUp(hours, from, to))
        }
      }
      assert.deepStrictEqual(yield* store.extents, [
        {
          cluster: prod,
          fromMs: at("2026-02-27T03:00"),
          toMs: at("2026-02-27T03:00") + 100 * HOUR_MS,
          hoursFromMs: limit
        }
      ])
    })
  )

  check("says of each cluster up to where its hours were forgotten, whatever they were forgotten by", (store) =>
    Effect.gen(function* () {
      yield* store.rewrite([
        ...Array.from({ length: 10 }, (_, index) => cost(monday - days(index) + HOUR_MS, "api", 5)),
        cost(monday - days(4) + HOUR_MS, "api", 5, { cluster: stage }),
        cost(monday, "api", 5, { cluster: stage })
      ])
      const hoursOf = Effect.map(store.extents, (extents) => extents.map(({ hoursFromMs }) => hoursFromMs))
      assert.deepStrictEqual(yield* hoursOf, [undefined, undefined])
      yield* store.prune({ hoursBeforeMs: monday - days(1) + HOUR_MS, daysBeforeMs: 0 })
      assert.deepStrictEqual(yield* hoursOf, [monday - days(1), monday - days(3)])
      // Kept longer from now on: what is forgotten stays so.
      yield* store.prune({ hoursBeforeMs: monday - days(5), daysBeforeMs: monday - days(6) })
      assert.deepStrictEqual(yield* hoursOf, [monday - days(1), monday - days(3)])
      // Days that are gone with their hours are not kept as a whole.
      yield* store.prune({ hoursBeforeMs: monday - days(1), daysBeforeMs: monday - days(1) })
      assert.deepStrictEqual(yield* hoursOf, [undefined, undefined])
    })
  )

  check("changes no hour of a day that it keeps as a whole", (store) =>
    Effect.gen(function* () {
      const hours = hoursFrom(monday + HOUR_MS, 30).map((startMs) => cost(startMs, "api", 5))
      yield* closeAll(store, hours)
      yield* store.prune({ hoursBeforeMs: monday + DAY_MS, daysBeforeMs: 0 })
      const closed = yield* Effect.flip(store.close(cost(monday + HOUR_MS, "api", 6)))
      assert.strictEqual(closed.reason._tag, "HourClosed")
      const late = yield* Effect.flip(store.close(cost(monday, "api", 6)))
      assert.strictEqual(
        late.message,
        "the hour 2026-03-02T00:00:00.000Z of prod is older than the hours that are kept"
      )
      const both = [cost(monday + DAY_MS, "api", 100), cost(monday + HOUR_MS, "api", 6)]
      const rewritten = yield* Effect.flip(store.rewrite(both))
      assert.strictEqual(rewritten.reason._tag, "HourForgotten")
      assert.deepStrictEqual(
        yield* sumsOf(store, monday, monday + days(2)),
        addedUp(hours, monday, monday + days(2)),
        "all of a rewrite or none"
      )
    })
  )

  check("says of an hour that it never had, within a day that it keeps as a whole, that it is too old", (store) =>
    Effect.gen(function* () {
      const hours = [cost(monday + HOUR_MS, "api", 5), cost(monday + 3 * HOUR_MS, "api", 5)]
      yield* closeAll(store, [...hours, cost(monday + days(2), "api", 5)])
      yield* store.prune({ hoursBeforeMs: monday + DAY_MS, daysBeforeMs: 0 })
      const reasonsOf = (place: number) =>
        Effect.map(Effect.flip(store.close(cost(monday + place * HOUR_MS, "api", 6))), ({ reason }) => reason._tag)
      assert.deepStrictEqual(yield* Effect.forEach([0, 1, 2, 3, 4], reasonsOf), [
        ...["HourForgotten", "HourClosed", "HourForgotten", "HourClosed", "HourForgotten"]
      ])
      assert.deepStrictEqual(yield* sumsOf(store, monday, monday + days(1)), addedUp(hours, monday, monday + days(1)))
    })
  )

  check("forgets days, and with them their hours", (store) =>
    Effect.gen(function* () {
      const hours = hoursFrom(at("2026-01-20T00:00"), 45 * 6).map((_, index) =>
        cost(at("2026-01-20T00:00") + index * 4 * HOUR_MS, `w-${index % 5}`, index + 1)
      )
      const limit = at("2026-02-10T00:00")
      yield* fillAround(store, hours, limit)
      yield* store.prune({ hoursBeforeMs: limit - days(5), daysBeforeMs: limit + HOUR_MS })
      const left = hours.filter(({ startMs }) => startMs >= limit)
      assert.deepStrictEqual(yield* store.hours(prod, { startMs: 0, endMs: limit + days(90) }), left)
      for (const [startMs, endMs] of [
        [0, limit],
        [0, limit + days(90)],
        [limit - days(3), limit + days(3)],
        [limit + HOUR_MS * 4, limit + days(20)]
      ] as const) {
        assert.deepStrictEqual(yield* sumsOf(store, startMs, endMs), addedUp(left, startMs, endMs))
      }
      const [extent] = yield* store.extents
      assert.strictEqual(extent?.fromMs, limit)
      yield* store.prune({ hoursBeforeMs: limit + days(90), daysBeforeMs: limit + days(90) })
      assert.deepStrictEqual(yield* store.extents, [])
      assert.deepStrictEqual(yield* sumsOf(store, 0, limit + days(90)), { knownSeconds: 0, amounts: {} })
      yield* store.close(cost(limit, "api", 3))
      assert.deepStrictEqual(
        yield* sumsOf(store, 0, limit + days(90)),
        addedUp([cost(limit, "api", 3)], 0, limit + days(90))
      )
    })
  )

  check("goes on with a cluster that was silent while its days were forgotten", (store) =>
    Effect.gen(function* () {
      const old = hoursFrom(monday, 5).map((startMs) => cost(startMs, "api", 5))
      yield* closeAll(store, old)
      yield* store.prune({ hoursBeforeMs: monday + days(3), daysBeforeMs: 0 })
      const fresh = hoursFrom(monday + days(4), 5).map((startMs) => cost(startMs, "api", 7))
      yield* closeAll(store, fresh)
      for (const to of [1, 4, 5, 30]) {
        const endMs = monday + days(to)
        assert.deepStrictEqual(yield* sumsOf(store, monday, endMs), addedUp([...old, ...fresh], monday, endMs))
      }
    })
  )
}
