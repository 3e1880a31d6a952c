import { assert, describe, it } from "@effect/vitest"
import { everyNamespace } from "@quarterdeck/targeting/NamespaceFilter"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { CostStore } from "../../src/store/CostStore.ts"
import { HOUR_MS } from "../../src/hour/Units.ts"
import { cost, days, hoursFrom, prod, stage } from "../store/samples.ts"
import {
  asking,
  closing,
  explain,
  getAggregated,
  getWorkloads,
  grouping,
  monday,
  reporting,
  viewOf
} from "./reporting.ts"

const window = (fromMs: number, toMs: number) => ({ from: String(fromMs), to: String(toMs) })
const both = { mode: "Named", clusters: [prod, stage] } as const

/** Ten days of hours that cost 1 each, and what costs in a window then. */
const tenDays = closing(hoursFrom(monday, 240).map((startMs) => cost(startMs, "api", 1)))

/** Forgets hours by a shorter setting than the one that reports go by, which keeps them for a hundred days. */
const forgetBefore = (hoursBeforeMs: number) =>
  CostStore.use((store) => store.prune({ hoursBeforeMs, daysBeforeMs: 0 }))

const told = (fromMs: number, toMs: number, rest: Parameters<typeof asking>[0] = {}) =>
  Effect.map(getWorkloads(asking({ range: window(fromMs, toMs), ...rest })), ({ totals, window }) => [
    Math.round(totals.totalCost * 1e9),
    (Date.parse(window.start) - monday) / HOUR_MS,
    (Date.parse(window.end) - monday) / HOUR_MS
  ])

describe("a report after its setting was raised to keep hours longer", () => {
  it.effect("tells whole days where their hours were forgotten before, and never nothing", () =>
    Effect.gen(function* () {
      yield* tenDays
      yield* forgetBefore(monday + days(5))
      // Within one day; from one to another; up to where hours are kept; from there on.
      assert.deepStrictEqual(yield* told(monday + days(2) + HOUR_MS, monday + days(2) + 2 * HOUR_MS), [24, 48, 72])
      assert.deepStrictEqual(yield* told(monday + days(1) + HOUR_MS, monday + days(3) + HOUR_MS), [72, 24, 96])
      assert.deepStrictEqual(yield* told(monday + days(4) + HOUR_MS, monday + days(5) + HOUR_MS), [25, 96, 121])
      assert.deepStrictEqual(yield* told(monday + days(5) + HOUR_MS, monday + days(5) + 2 * HOUR_MS), [1, 121, 122])
    }).pipe(Effect.provide(reporting()))
  )

  it.effect("tells rolling ranges alike", () =>
    Effect.gen(function* () {
      yield* tenDays
      yield* forgetBefore(monday + days(5))
      yield* TestClock.setTime(monday + days(10) - 4 * HOUR_MS)
      const { totals, window } = yield* getWorkloads(asking({ range: { range: "7d" } }))
      assert.strictEqual(window.start, new Date(monday + days(2)).toISOString())
      assert.strictEqual(Math.round(totals.totalCost * 1e9), 7 * 24 + 20)
    }).pipe(Effect.provide(reporting()))
  )

  it.effect("leaves hours of clusters alone that have all of them", () =>
    Effect.gen(function* () {
      yield* closing([
        ...hoursFrom(monday, 240).map((startMs) => cost(startMs, "api", 1)),
        ...hoursFrom(monday + days(6), 96).map((startMs) => cost(startMs, "api", 1, { cluster: stage }))
      ])
      yield* forgetBefore(monday + days(5))
      const [fromMs, toMs] = [monday + days(4) + HOUR_MS, monday + days(7)]
      const ofStage = { mode: "Named", clusters: [stage] } as const
      assert.deepStrictEqual(yield* told(fromMs, toMs, { target: ofStage }), [24, 97, 168])
      assert.deepStrictEqual(yield* told(fromMs, toMs, { target: both }), [96, 96, 168])
    }).pipe(Effect.provide(reporting()))
  )

  it.effect("refuses steps of an hour there, and says since when hours are kept", () =>
    Effect.gen(function* () {
      yield* tenDays
      yield* forgetBefore(monday + days(5))
      const range = window(monday + days(4), monday + days(6))
      const refused = yield* Effect.flip(getAggregated(grouping([], { range, stepSize: "hour" })))
      assert(refused._tag === "InvalidCostQuery")
      assert.include(refused.message, `hours are stored since ${new Date(monday + days(5)).toISOString()}`)
    }).pipe(Effect.provide(reporting()))
  )

  it.effect("explains a row by days there", () =>
    Effect.gen(function* () {
      yield* tenDays
      yield* forgetBefore(monday + days(5))
      const { hours, stepSize } = yield* explain({
        cluster: prod,
        id: "prod/shop/Deployment/api",
        namespaces: everyNamespace,
        view: viewOf,
        range: window(monday + days(4) + HOUR_MS, monday + days(6))
      })
      assert.strictEqual(stepSize, "day")
      assert.deepStrictEqual(
        hours.map(({ start, totalCost }) => [start, Math.round(totalCost * 1e9)]),
        [
          [new Date(monday + days(4)).toISOString(), 24],
          [new Date(monday + days(5)).toISOString(), 24]
        ]
      )
    }).pipe(Effect.provide(reporting()))
  )

  it.effect("notices within a minute what another program forgets", () =>
    Effect.gen(function* () {
      yield* tenDays
      const [fromMs, toMs] = [monday + days(2) + HOUR_MS, monday + days(2) + 2 * HOUR_MS]
      assert.deepStrictEqual(yield* told(fromMs, toMs), [1, 49, 50])
      yield* forgetBefore(monday + days(5))
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(yield* told(fromMs, toMs), [24, 48, 72])
    }).pipe(Effect.provide(reporting()))
  )
})
