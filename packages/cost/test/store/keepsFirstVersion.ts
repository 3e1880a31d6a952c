/** What becomes of a history that the first version of a store's tables kept. */
import { CursorKey } from "@quarterdeck/cluster-fanout/Cursor"
import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { repriceBy } from "../../src/price/HourCosts.ts"
import * as Prices from "../../src/price/Prices.ts"
import { CostReport } from "../../src/report/CostReport.ts"
import { OpenHours } from "../../src/report/OpenHours.ts"
import { CostStore } from "../../src/store/CostStore.ts"
import type { HistoryStore } from "../../src/store/HistoryStore.ts"
import type { RecommendationStore } from "../../src/savings/RecommendationStore.ts"
import { HOUR_SECONDS } from "../../src/hour/Units.ts"
import { asking, getAggregated, getWorkloads, grouping } from "../report/reporting.ts"
import { bookOf, cpu } from "../price/samples.ts"
import * as FirstVersion from "./fixtures/FirstVersion.ts"
import { at, hour, prod, series } from "./samples.ts"

const others = Layer.mergeAll(Prices.layerMemory, CursorKey.layerRandom, OpenHours.layerNone)

/** Reports over stores that hold the fixture. */
export const reportingOf = <E, R>(stores: Layer.Layer<CostStore | HistoryStore | RecommendationStore, E, R>) =>
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

/** Writes an hour of that time anew. */
export const rewritesOldHour = (startMs: number) =>
  Effect.gen(function* () {
    const store = yield* CostStore
    yield* store.rewrite([hour(startMs, [[series("api"), halfKnown]])])
  })

/** Replica hours of a core each that were requested while usage was known, and used. */
export const efficiencyOf = (range: typeof MONDAY) =>
  Effect.map(getWorkloads(asking({ range })), ({ aggregatedWorkloads }) => {
    const row = aggregatedWorkloads.find(({ workloadName }) => workloadName === "api")
    return [row?.cpuUsedCoreHours, row?.cpuRequestedCoreHours, row?.cpuEfficiency]
  })

/** Eight replicas of a core each, of which usage is known for half of the time, and half of it used. */
const halfKnown = (() => {
  const replica = 8 * HOUR_SECONDS
  return {
    cpuRequestedMilliSeconds: 1_000 * replica,
    cpuRequestedKnownMilliSeconds: 500 * replica,
    cpuUsedMilliSeconds: 250 * replica,
    cpuCostNanos: 1,
    replicaSeconds: replica,
    existedSeconds: HOUR_SECONDS,
    coveredSeconds: HOUR_SECONDS
  }
})()

/** Hours from now on are exact, and a window over both adds what was estimated of the old ones. */
export const addsNewHours = Effect.gen(function* () {
  const store = yield* CostStore
  yield* store.close(hour(at("2026-03-02T10:00"), [[series("api"), halfKnown]]))
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

/** Replica hours of a core each, used and requested while usage was known. */
const coreHoursOf = (range: typeof MONDAY) =>
  Effect.map(efficiencyOf(range), ([used = 0, requested = 0]) => ({ used: used ?? 0, requested: requested ?? 0 }))

/** Hours of the time before that are written later, to fill a gap or to replace one, are exact too, and no others become it. */
export const fillsOldHours = Effect.gen(function* () {
  const store = yield* CostStore
  const gap = { from: "2026-02-28T20:00:00Z", to: "2026-02-28T21:00:00Z" }
  const old = { from: "2026-03-01T00:00:00Z", to: "2026-03-02T10:00:00Z" }
  const was = yield* TestClock.setTime(at("2026-03-02T10:00")).pipe(Effect.andThen(coreHoursOf(old)))
  yield* store.close(hour(at("2026-02-28T20:00"), [[series("api"), halfKnown]]))
  assert.deepStrictEqual(yield* efficiencyOf(gap), [2, 4, 0.5])
  assert.deepStrictEqual(yield* coreHoursOf(old), was)
  const wider = yield* coreHoursOf({ ...old, from: gap.from })
  assert.deepStrictEqual(wider, { used: was.used + 2, requested: was.requested + 4 })

  // Nothing was known of the last of Monday's ten hours, in which ten replicas ran; of the nine that are left five are known.
  const monday = { ...MONDAY, to: "2026-03-02T10:00:00Z" }
  yield* rewritesOldHour(at("2026-03-02T09:00"))
  assert.deepStrictEqual(yield* efficiencyOf({ ...monday, from: "2026-03-02T09:00:00Z" }), [2, 4, 0.5])
  assert.deepStrictEqual(yield* efficiencyOf({ ...monday, to: "2026-03-02T09:00:00Z" }), [250, 300, 250 / 300])
  assert.deepStrictEqual(yield* efficiencyOf(monday), [252, 304, 252 / 304])
  const hours = yield* store.hours(prod, { startMs: at("2026-03-02T08:00"), endMs: at("2026-03-02T10:00") })
  const known = hours.map(({ columns, series }) => {
    const place = series.findIndex(({ name }) => name === "api")
    return (columns.cpuRequestedKnownMilliSeconds[place] ?? 0) / MILLI_SECONDS
  })
  assert.deepStrictEqual(known, [0, 4])

  // A day of which all hours were written since stays exact when it is kept whole.
  yield* TestClock.setTime(at("2026-03-02T11:00"))
  yield* store.prune({ hoursBeforeMs: at("2026-03-02T00:00"), daysBeforeMs: 0 })
  assert.deepStrictEqual(yield* efficiencyOf({ from: "2026-02-28T00:00:00Z", to: "2026-03-01T00:00:00Z" }), [2, 4, 0.5])
  assert.deepStrictEqual(yield* efficiencyOf(monday), [252, 304, 252 / 304])
})

/** Hours of the time before that only got another price are estimated as they were. */
export const repricesOldHours = Effect.gen(function* () {
  const store = yield* CostStore
  yield* TestClock.setTime(at("2026-03-02T10:00"))
  const monday = { ...MONDAY, to: "2026-03-02T10:00:00Z" }
  const was = yield* efficiencyOf(monday)
  const hours = yield* store.hours(prod, { startMs: at("2026-03-02T00:00"), endMs: at("2026-03-02T10:00") })
  yield* store.rewrite(hours.map((one) => repriceBy([{ sinceMs: 0, book: bookOf(cpu(9)) }], one)))
  assert.deepStrictEqual(yield* efficiencyOf(monday), was)
})
