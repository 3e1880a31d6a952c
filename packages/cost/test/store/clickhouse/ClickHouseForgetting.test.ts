import { assert, describe, it } from "@effect/vitest"
import { Context, Duration, Effect, Layer } from "effect"
import { CostStore } from "../../../src/store/CostStore.ts"
import { GracePeriod } from "../../../src/store/ClickHouse.ts"
import { HOUR_MS } from "../../../src/hour/Units.ts"
import * as Server from "./Server.ts"
import { addedUp, amountsOf, at, cost, days, hoursFrom, prod, stage } from "../samples.ts"

const march = at("2026-03-01T00:00")
const never = { hoursBeforeMs: 0, daysBeforeMs: 0 }

const programOn = (url: URL) =>
  Effect.map(Layer.build(Layer.fresh(Server.storeOn(url))), (context) => Context.get(context, CostStore))

const atOnce = Effect.provideService(GracePeriod, Duration.zero)

const rowsOf = (url: URL, table: string) => Effect.map(Server.ask(url, `SELECT count() FROM ${table}`), Number)

const rows = (url: URL) =>
  Effect.all({
    hours: rowsOf(url, "hours"),
    days: rowsOf(url, "days"),
    charges: rowsOf(url, "charges"),
    series: rowsOf(url, "(SELECT DISTINCT month, cluster, id FROM series)"),
    closed: rowsOf(url, "ledger WHERE state = 'closed'")
  })

describe("what a cost history in ClickHouse forgets", () => {
  Server.tested(() => {
    it.live("goes from the disk with the next forgetting, and what counts stays", () =>
      Effect.gen(function* () {
        const url = yield* Server.freshDatabase
        const store = yield* programOn(url)
        const hours = hoursFrom(march, 12).map((startMs, index) => cost(startMs, "api", index + 1))
        yield* store.rewrite(hours)
        const later = hours.map((one) => cost(one.startMs, "db", 7))
        yield* store.rewrite(later)
        assert.strictEqual((yield* rows(url)).hours, 24)
        yield* atOnce(store.prune(never))
        assert.deepStrictEqual(yield* rows(url), { hours: 12, days: 0, charges: 12, series: 2, closed: 12 })
        assert.deepStrictEqual(yield* store.hours(prod, { startMs: march, endMs: march + days(1) }), later)
      })
    )

    it.live("stays on the disk at first, for programs that still read it", () =>
      Effect.gen(function* () {
        const url = yield* Server.freshDatabase
        const store = yield* programOn(url)
        yield* store.rewrite([cost(march, "api", 1)])
        yield* store.rewrite([cost(march, "api", 2)])
        yield* store.prune(never)
        assert.strictEqual((yield* rows(url)).hours, 2)
      })
    )

    it.live("leaves days of a cluster, then nothing of them, and nothing of another cluster's", () =>
      Effect.gen(function* () {
        const url = yield* Server.freshDatabase
        const store = yield* programOn(url)
        const hours = hoursFrom(march - days(3), 96).map((startMs, index) => cost(startMs, `w-${index % 3}`, index + 1))
        yield* store.rewrite([...hours, cost(march + days(40), "db", 5, { cluster: stage })])
        const limit = march + days(1)
        yield* atOnce(store.prune({ hoursBeforeMs: limit, daysBeforeMs: 0 }))
        // Four days of three series; the hour of the other cluster.
        assert.deepStrictEqual(yield* rows(url), { hours: 1, days: 12, charges: 1, series: 7, closed: 1 })
        const [sums] = yield* store.sums([prod], { startMs: march - days(3), endMs: limit })
        assert(sums !== undefined)
        assert.deepStrictEqual(amountsOf(sums), addedUp(hours, march - days(3), limit).amounts)
        yield* atOnce(store.prune({ hoursBeforeMs: limit, daysBeforeMs: march }))
        assert.deepStrictEqual(yield* rows(url), { hours: 1, days: 3, charges: 1, series: 4, closed: 1 })
        yield* atOnce(store.prune({ hoursBeforeMs: march + days(90), daysBeforeMs: march + days(90) }))
        yield* atOnce(store.prune(never))
        assert.deepStrictEqual(yield* rows(url), { hours: 0, days: 0, charges: 0, series: 0, closed: 0 })
        yield* store.close(cost(march, "api", 3))
        assert.deepStrictEqual(yield* store.extents, [{ cluster: prod, fromMs: march, toMs: march + HOUR_MS }])
      })
    )

    it.live("takes along what a killed program left behind", () =>
      Effect.gen(function* () {
        const url = yield* Server.freshDatabase
        const store = yield* programOn(url)
        yield* store.close(cost(march, "api", 1))
        yield* Server.ask(url, "INSERT INTO hours SELECT * REPLACE (generation + 1 AS generation) FROM hours")
        yield* atOnce(store.prune(never))
        assert.strictEqual((yield* rows(url)).hours, 1)
      })
    )

    it.live("is the same where two programs forget at once, and a third closes hours", () =>
      Effect.gen(function* () {
        const url = yield* Server.freshDatabase
        const [one, other, third] = [yield* programOn(url), yield* programOn(url), yield* programOn(url)]
        const hours = hoursFrom(march, 48).map((startMs, index) => cost(startMs, `w-${index % 3}`, index + 1))
        yield* one.rewrite(hours)
        const later = hoursFrom(march + days(2), 5).map((startMs) => cost(startMs, "w-0", 9))
        const limits = { hoursBeforeMs: march + days(2), daysBeforeMs: 0 }
        yield* Effect.all(
          [
            one.prune(limits),
            other.prune(limits),
            Effect.forEach(later, (hour) => third.close(hour), { discard: true })
          ],
          { concurrency: "unbounded", discard: true }
        )
        const [sums] = yield* other.sums([prod], { startMs: march, endMs: march + days(3) })
        assert(sums !== undefined)
        const expected = addedUp([...hours, ...later], march, march + days(3))
        assert.deepStrictEqual({ amounts: amountsOf(sums), knownSeconds: sums.knownSeconds }, expected)
      })
    )
  })
})
