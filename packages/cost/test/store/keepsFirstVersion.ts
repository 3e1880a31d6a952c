/** What becomes of a history that the first version of a store's tables kept. */
import { CursorKey } from "@quarterdeck/cluster-fanout/Cursor"
import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as Prices from "../../src/price/Prices.ts"
import { CostReport } from "../../src/report/CostReport.ts"
import { OpenHours } from "../../src/report/OpenHours.ts"
import { CostStore } from "../../src/store/CostStore.ts"
import type { RecommendationStore } from "../../src/savings/RecommendationStore.ts"
import { HOUR_SECONDS } from "../../src/hour/Units.ts"
import { asking, getAggregated, getWorkloads, grouping } from "../report/reporting.ts"
import * as FirstVersion from "./fixtures/FirstVersion.ts"
import { at, hour, prod, series } from "./samples.ts"

const others = Layer.mergeAll(Prices.layerMemory, CursorKey.layerRandom, OpenHours.layerNone)

/** Reports over stores that hold the fixture. */
export const reportingOf = <E, R>(stores: Layer.Layer<CostStore | RecommendationStore, E, R>) =>
  CostReport.layer.pipe(Layer.provideMerge(Layer.mergeAll(stores, others)))

/** Has those figures of an answer that were reported before. */
const figuresIn = (was: object, now: object) =>
  Object.fromEntries(Object.entries(now).filter(([name]) => Object.hasOwn(was, name)))

/** Every figure is what it was. */
export const reportsTheSame = Effect.gen(function* () {
  yield* TestClock.setTime(at("2026-03-02T10:00"))
  for (const { aggregatedWorkloads, range, rows, totals } of FirstVersion.reported()) {
    const now = yield* getWorkloads(asking({ range }))
    assert.strictEqual(now.aggregatedWorkloads.length, aggregatedWorkloads.length)
    for (const [place, row] of aggregatedWorkloads.entries()) {
      assert.deepStrictEqual(figuresIn(row, now.aggregatedWorkloads[place] ?? {}), FirstVersion.asNow(row))
    }
    assert.deepStrictEqual(figuresIn(totals, now.totals), FirstVersion.asNow(totals))
    const grouped = yield* getAggregated(grouping(["namespace", "label:team"], { range, idle: "show" }))
    const groups = "rows" in grouped ? grouped.rows : []
    assert.strictEqual(groups.length, rows.length)
    for (const [place, row] of rows.entries()) {
      assert.deepStrictEqual(figuresIn(row, groups[place] ?? {}), FirstVersion.asNow(row))
    }
  }
})

/** Those of a core and an hour. */
const MILLI_SECONDS = 1_000 * HOUR_SECONDS

const MONDAY = { from: "2026-03-02T00:00:00Z", to: "2026-03-02T11:00:00Z" }

/** Replica hours of a core each that were requested while usage was known, and used. */
const efficiencyOf = (range: typeof MONDAY) =>
  Effect.map(getWorkloads(asking({ range })), ({ aggregatedWorkloads }) => {
    const row = aggregatedWorkloads.find(({ workloadName }) => workloadName === "api")
    return [row?.cpuUsedCoreHours, row?.cpuRequestedCoreHours, row?.cpuEfficiency]
  })

/** Hours from now on are exact, and a window over both adds what was estimated of the old ones. */
export const addsNewHours = Effect.gen(function* () {
  const store = yield* CostStore
  const replica = 8 * HOUR_SECONDS
  yield* store.close(
    hour(at("2026-03-02T10:00"), [
      [
        series("api"),
        {
          ...{ cpuRequestedMilliSeconds: 1_000 * replica, cpuRequestedKnownMilliSeconds: 500 * replica },
          ...{ cpuUsedMilliSeconds: 250 * replica, cpuCostNanos: 1, replicaSeconds: replica },
          ...{ existedSeconds: HOUR_SECONDS, coveredSeconds: HOUR_SECONDS }
        }
      ]
    ])
  )
  yield* TestClock.setTime(at("2026-03-02T11:00"))
  // Of 550 replica hours in ten hours, usage was known for five hours: half of them count.
  assert.deepStrictEqual(yield* efficiencyOf({ ...MONDAY, to: "2026-03-02T10:00:00Z" }), [250, 275, 250 / 275])
  assert.deepStrictEqual(yield* efficiencyOf({ ...MONDAY, from: "2026-03-02T10:00:00Z" }), [2, 4, 0.5])
  assert.deepStrictEqual(yield* efficiencyOf(MONDAY), [252, 279, 252 / 279])
  const hours = yield* store.hours(prod, { startMs: at("2026-03-02T09:00"), endMs: at("2026-03-02T11:00") })
  const known = hours.map(({ columns, series }) => {
    const place = series.findIndex(({ name }) => name === "api")
    return (columns.cpuRequestedKnownMilliSeconds[place] ?? 0) / MILLI_SECONDS
  })
  assert.deepStrictEqual(known, [0, 4])

  // A day of both kinds that is kept whole is estimated whole: usage was known for six of its eleven hours.
  yield* TestClock.setTime(at("2026-03-03T00:00"))
  yield* store.prune({ hoursBeforeMs: at("2026-03-03T00:00"), daysBeforeMs: 0 })
  const whole = yield* efficiencyOf({ ...MONDAY, to: "2026-03-03T00:00:00Z" })
  const estimated = Math.round((558 * MILLI_SECONDS * 6) / 11) / MILLI_SECONDS
  assert.deepStrictEqual(whole, [252, estimated, 252 / estimated])
})
