import { assert, describe, it } from "@effect/vitest"
import { anyOf, everyNamespace } from "@quarterdeck/targeting/NamespaceFilter"
import { Effect, Fiber, Latch, Layer, Option, Queue } from "effect"
import { TestClock } from "effect/testing"
import * as PriceHistory from "../../src/price/PriceHistory.ts"
import type { PriceOverride } from "../../src/price/PriceOverride.ts"
import { Prices } from "../../src/price/Prices.ts"
import { cpu } from "../price/samples.ts"
import type { ExplainQuery } from "../../src/report/CostReport.ts"
import { OpenHours } from "../../src/report/OpenHours.ts"
import type { Measure } from "../../src/hour/Measure.ts"
import { IDLE, type Series } from "../../src/hour/Series.ts"
import { HOUR_MS, HOUR_SECONDS } from "../../src/hour/Units.ts"
import { at, cost, days, hour, hoursFrom, prod, series, stage } from "../store/samples.ts"
import {
  type Asking,
  asking,
  closing,
  explain,
  getWorkloads,
  monday,
  reporting,
  reportingWith,
  viewOf
} from "./reporting.ts"

const explaining = (rest: Partial<Asking<ExplainQuery>> = {}): Asking<ExplainQuery> => ({
  cluster: prod,
  id: "prod/shop/Deployment/api",
  namespaces: everyNamespace,
  range: { range: "1d" },
  view: (cluster) => viewOf(cluster),
  ...rest
})
const nanos = (value: number) => Math.round(value * 1e9)

describe("an explanation of a row", () => {
  it.effect("tells of each hour what was there, what it cost a unit, and where that is known from", () => {
    const full = {
      cpuCostNanos: 63_222_000,
      cpuAllocatedMilliSeconds: 2_000 * HOUR_SECONDS,
      memoryCostNanos: 4_237_000,
      memoryAllocatedKibSeconds: 1_048_576 * HOUR_SECONDS,
      replicaSeconds: HOUR_SECONDS,
      existedSeconds: HOUR_SECONDS,
      coveredSeconds: HOUR_SECONDS,
      networkCostNanos: 240_000_000,
      internetEgressKib: 2_097_152
    }
    const open = hour(monday + 4 * HOUR_MS, [[series("api"), { ...full, coveredSeconds: 0 }]])
    return Effect.gen(function* () {
      yield* closing(
        [
          hour(monday, [
            [series("api"), full],
            [series("web"), { cpuCostNanos: 999 }]
          ]),
          hour(monday + HOUR_MS, [[series("web"), full]]),
          hour(monday + 2 * HOUR_MS, [
            [series("api", { uid: "again" }), full],
            [series("api"), { ...full, coveredSeconds: 60 }]
          ])
        ],
        monday + 4 * HOUR_MS + 60_000
      )
      const { hours, row, stepSize } = yield* explain(explaining())
      assert.strictEqual(stepSize, "hour")
      assert.deepStrictEqual(
        hours.map(({ open, source, start }) => [start.slice(11, 16), source, open ?? false]),
        [
          ["00:00", "usage", false],
          ["02:00", "partial", false],
          ["04:00", "requests", true]
        ]
      )
      assert.deepStrictEqual(
        { prices: hours[0]?.prices, cpu: hours[0]?.quantities.cpuCoreHours, cost: hours[0]?.cpuCost },
        { prices: { cpuPerCoreHour: 0.031611, memoryPerGiBHour: 0.004237, egressPerGiB: 0.12 }, cpu: 2, cost: 0.063222 }
      )
      for (const field of ["totalCost", "cpuCost", "memoryCost", "networkCost"] as const) {
        assert.strictEqual(
          hours.reduce((sum, one) => sum + nanos(one[field]), 0),
          nanos(row[field])
        )
      }
      const { aggregatedWorkloads } = yield* getWorkloads(asking({ range: { range: "1d" } }))
      assert.deepStrictEqual(
        row,
        aggregatedWorkloads.find(({ workloadName }) => workloadName === "api")
      )
    }).pipe(Effect.provide(reporting([open])))
  })

  it.effect("says where a price changed within an hour, and whether it counts from its instant or by its share", () => {
    const put = Effect.fnUntraced(function* (time: string, ...overrides: ReadonlyArray<PriceOverride>) {
      yield* TestClock.setTime(at(`2026-03-02T${time}`))
      const prices = yield* Prices
      const book = PriceHistory.current(yield* prices.history)
      yield* prices.replace({ ...book, overrides }, { hourlyDays: 100, hasCosts: true })
    })
    const changes = Effect.map(explain(explaining()), ({ hours }) =>
      hours.map(({ priceChange, start }) => [start.slice(11, 16), priceChange])
    )
    return Effect.gen(function* () {
      yield* closing(
        [0, 1, 2, 3].map((back) => cost(monday + back * HOUR_MS, "api", 1)),
        monday
      )
      yield* put("01:40", cpu(2))
      yield* put("03:00", cpu(3))
      yield* TestClock.setTime(monday + 4 * HOUR_MS)
      assert.deepStrictEqual(yield* changes, [
        ["00:00", undefined],
        ["01:00", "exact"],
        ["02:00", undefined],
        ["03:00", undefined]
      ])
      yield* put("05:00", cpu(3), cpu(4, {}, { validFrom: "2026-03-02T02:20:00Z" }))
      assert.deepStrictEqual(yield* changes, [
        ["00:00", undefined],
        ["01:00", "exact"],
        ["02:00", "share"],
        ["03:00", undefined]
      ])
    }).pipe(Effect.provide(reporting()))
  })

  it.effect("goes by the day for more than 31 days", () =>
    Effect.gen(function* () {
      yield* closing(hoursFrom(monday, 60).map((startMs) => cost(startMs, "api", 1)))
      const range = { from: String(monday - days(35)), to: String(monday + days(2)) }
      const { hours, row, stepSize } = yield* explain(explaining({ range }))
      assert.strictEqual(stepSize, "day")
      assert.deepStrictEqual(
        hours.map(({ cpuCost }) => cpuCost),
        [24e-9, 24e-9]
      )
      assert.strictEqual(row.cpuCost, 48e-9)
    }).pipe(Effect.provide(reporting()))
  )

  it.effect("refuses what is out of scope, and says of what is not there that it is not", () =>
    Effect.gen(function* () {
      yield* closing([cost(monday, "api", 1)])
      const namespaces = anyOf([{ namespaceNames: ["data"] }])
      const tagOf = (rest: Partial<Asking<ExplainQuery>>) =>
        Effect.map(Effect.flip(explain(explaining(rest))), ({ _tag }) => _tag)
      assert.strictEqual(yield* tagOf({ namespaces }), "NamespaceForbidden")
      assert.strictEqual(yield* tagOf({ namespaces, id: "prod/nowhere/Deployment/api" }), "NamespaceForbidden")
      assert.strictEqual(yield* tagOf({ id: "prod/shop/Deployment/none" }), "CostRowNotFound")
      for (const id of ["", "prod/shop/api", "stage/shop/Deployment/api", "prod/shop/Deployment/api/x"]) {
        assert.strictEqual(yield* tagOf({ id }), "InvalidCostQuery")
      }
    }).pipe(Effect.provide(reporting()))
  )

  it.effect("tells the same whatever else the cluster runs", () =>
    Effect.gen(function* () {
      const lives = [series("api"), series("api", { uid: "again" }), series("api", { labels: { version: "2" } })]
      const others = [
        ...Array.from({ length: 40 }, (_, index) => series(`web-${index}`)),
        ...[series("api", { kind: "StatefulSet" }), series("api", { namespace: "data" })],
        series("api", { namespace: "", kind: IDLE, uid: "", labels: {} })
      ]
      const amounts = (one: Series, place: number): readonly [Series, Partial<Record<Measure, number>>] => [
        one,
        { cpuCostNanos: 7 + place, existedSeconds: HOUR_SECONDS, coveredSeconds: 60 * place }
      ]
      yield* closing(
        hoursFrom(monday, 5).flatMap((startMs) => [
          hour(startMs, lives.map(amounts)),
          hour(startMs, [...others.map((one) => [one, { cpuCostNanos: 1_000 }] as const), ...lives.map(amounts)], {
            cluster: stage
          })
        ])
      )
      const alone = yield* explain(explaining())
      const among = yield* explain(explaining({ cluster: stage, id: "stage/shop/Deployment/api" }))
      assert.deepStrictEqual(among.hours, alone.hours)
      assert.deepStrictEqual(among.row, { ...alone.row, cluster: stage, id: "stage/shop/Deployment/api" })
      assert.strictEqual(alone.row.cpuCost, 5 * 24e-9)
    }).pipe(Effect.provide(reporting()))
  )

  it.effect("waits while two others are made, and is made then", () =>
    Effect.gen(function* () {
      const gate = yield* Latch.make()
      const begun = yield* Queue.unbounded<void>()
      let inside = 0
      let most = 0
      const open = Effect.gen(function* () {
        most = Math.max(most, ++inside)
        yield* Queue.offer(begun, undefined)
        yield* gate.await
        inside--
        return Option.none()
      })
      yield* Effect.gen(function* () {
        yield* closing([cost(monday, "api", 1)])
        const all = yield* Effect.forEach(hoursFrom(0, 6), () =>
          Effect.forkChild(explain(explaining()), { startImmediately: true })
        )
        yield* Queue.takeN(begun, 2)
        yield* gate.open
        const made = yield* Fiber.joinAll(all)
        assert.deepStrictEqual(
          made.map(({ row }) => row.cpuCost),
          made.map(() => 1e-9)
        )
        assert.strictEqual(most, 2)
      }).pipe(Effect.provide(reportingWith(Layer.succeed(OpenHours, OpenHours.of({ open: () => open })))))
    })
  )

  it.effect("lets others do something after every two of its hours", () =>
    Effect.gen(function* () {
      yield* closing(hoursFrom(monday, 200).map((startMs) => cost(startMs, "api", 1)))
      let turns = 0
      const turn = Effect.sync(() => {
        turns++
      })
      const other = yield* Effect.forkChild(Effect.forever(turn))
      const { hours } = yield* explain(explaining({ range: { range: "200h" } }))
      yield* Fiber.interrupt(other)
      assert.strictEqual(hours.length, 200)
      assert.isAtLeast(turns, 100)
    }).pipe(Effect.provide(reporting()))
  )
})
