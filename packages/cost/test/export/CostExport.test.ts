import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Effect, Schema } from "effect"
import { hash } from "node:crypto"
import * as HourCsv from "../../src/export/HourCsv.ts"
import * as Checksum from "../../src/export/Checksum.ts"
import type { Hour } from "../../src/hour/Hour.ts"
import { type Measure, measures } from "../../src/hour/Measure.ts"
import { IDLE, type Series } from "../../src/hour/Series.ts"
import { HOUR_MS } from "../../src/hour/Units.ts"
import * as FirstVersion from "../store/fixtures/FirstVersion.ts"
import { addedUp, amountsOf, cost, days, hour, hoursFrom, prod, series, stage } from "../store/samples.ts"
import { always, exported, freshStore, imported, monday, storeWith } from "./exporting.ts"

const between = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))

const Texts = Schema.Literals(["", "api", 'a,"b"', "line\r\nnext", "=1+1", "'", "漢 😀", " spaces ", "\\N", "-3"])
const AnySeries = Schema.Struct({
  namespace: Texts,
  kind: Schema.Union([Texts, Schema.Literal(IDLE)]),
  name: Texts,
  uid: Texts,
  labels: Schema.Record(Schema.Literals(["app", 'x"y', "a,b"]), Texts)
})
const Amount = Schema.Union([
  between(-5_000, 5_000),
  Schema.Literals([
    0,
    Number.MAX_SAFE_INTEGER,
    -Number.MAX_SAFE_INTEGER,
    11_874_725_579_980_800,
    -(2 ** 62),
    3 * 2 ** 80
  ])
])
const AnyHour = Schema.Struct({
  cluster: Schema.Literals([prod, stage]),
  index: between(0, 30),
  knownSeconds: between(0, 3_600),
  series: Schema.Array(AnySeries).check(Schema.isMaxLength(6)),
  amounts: Schema.Array(Schema.Struct({ at: between(0, 5), measure: between(0, measures.length - 1), amount: Amount })),
  rates: Schema.Array(
    Schema.Struct({
      provider: Texts,
      region: Texts,
      instanceType: Texts,
      gpuModel: Texts,
      capacity: Schema.Literals(["spot", "onDemand"])
    })
  ).check(Schema.isMaxLength(3)),
  rate: between(-1, 2),
  shared: Amount,
  storage: Schema.optionalKey(Texts),
  seen: Schema.optionalKey(between(1, 3_599))
})

const toHour = (drawn: typeof AnyHour.Type): Hour => {
  const distinct = [...new Map(drawn.series.map((one) => [JSON.stringify(one), one])).values()]
  const named = [...new Map(distinct.map((one): [string, Series] => [keyed(one), one])).values()]
  const amounts = named.map((one, place): [Series, Partial<Record<Measure, number>>] => [
    one,
    Object.fromEntries(
      drawn.amounts.flatMap(({ amount, at, measure }) => (at === place ? [[measures[measure] ?? "", amount]] : []))
    )
  ])
  const rate = Math.min(drawn.rate, drawn.rates.length - 1)
  const isShared = named.length > 0 && drawn.rates.length > 0
  return hour(monday + drawn.index * HOUR_MS, amounts, {
    cluster: drawn.cluster,
    knownSeconds: drawn.knownSeconds,
    rates: drawn.rates,
    ...(drawn.seen === undefined ? {} : { seen: [0, drawn.seen] }),
    rateOf: new Int32Array(named.length).fill(rate),
    shares: isShared
      ? [
          {
            series: named.length - 1,
            rate: drawn.rates.length - 1,
            gpuMilliSeconds: 0,
            cpuAllocatedMilliSeconds: drawn.shared,
            memoryAllocatedKibSeconds: 7
          }
        ]
      : [],
    ...(drawn.storage === undefined
      ? {}
      : { storage: named.length === 0 ? [] : [{ series: 0, storageClass: drawn.storage, kibSeconds: drawn.shared }] })
  })
}

const keyed = ({ kind, labels, name, namespace, uid }: Series): string =>
  JSON.stringify([namespace, kind, name, uid, Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : 1))])

const anyHistory = Arbitrary.map(Arbitrary.schema(Schema.Array(AnyHour).check(Schema.isMaxLength(12))), (drawn) =>
  drawn.map(toHour)
)

describe("an export of the cost history", () => {
  it.effect.prop(
    "brings any hours into another store as they were, and with them any sum",
    [anyHistory, Arbitrary.schema(between(1, 200))],
    ([history, length]) =>
      Effect.gen(function* () {
        const [from, to] = [yield* storeWith(history), yield* freshStore]
        const text = yield* exported(from)
        const result = yield* imported(to, text, "skip", length)
        let count = 0
        for (const cluster of [prod, stage]) {
          const hours = yield* from.hours(cluster, always)
          count += hours.length
          assert.deepStrictEqual(yield* to.hours(cluster, always), hours)
        }
        assert.deepStrictEqual(result, { written: count, skipped: 0, forgotten: 0 })
        const windows = [always, { startMs: monday + 5 * HOUR_MS, endMs: monday + 23 * HOUR_MS }]
        for (const window of windows) {
          const [ours, theirs] = [yield* from.sums([prod, stage], window), yield* to.sums([prod, stage], window)]
          assert.deepStrictEqual(theirs.map(amountsOf), ours.map(amountsOf))
        }
        assert.strictEqual(yield* exported(to), text)
      })
  )

  it.effect("of a program that kept less is read: what was requested while usage was known is estimated", () =>
    Effect.gen(function* () {
      const store = yield* freshStore
      const { written } = yield* imported(store, FirstVersion.exportCsv())
      assert.strictEqual(written, 2)
      const hours = yield* store.hours(prod, { startMs: monday, endMs: monday + days(1) })
      const known = hours.map(({ columns, series }) => {
        const [api, worker] = ["api", "worker"].map((name) => series.findIndex((one) => one.name === name))
        return [api, worker].map((place = -1) => (columns.cpuRequestedKnownMilliSeconds[place] ?? 0) / 3_600_000)
      })
      const covered = [4, 5].map((index) => (3 * (1_000 + 7 * index)) / 3_600)
      assert.deepStrictEqual(known, [
        [100, covered[0]],
        [0, covered[1]]
      ])
      assert.strictEqual((yield* imported(yield* freshStore, yield* exported(store))).written, 2)
    })
  )

  it.effect(
    "has a header, for each hour a record, one for each of its series and its checksum, and the file's at last",
    () =>
      Effect.gen(function* () {
        const closed = hour(monday, [[series("api", { labels: { app: "api" } }), { cpuCostNanos: 5 }]])
        const text = yield* exported(yield* storeWith([closed]))
        const [zeros, none] = [",0".repeat(measures.length - 1), ",".repeat(6 + measures.length)]
        const records = [
          `hour,prod,2026-03-02T00:00:00.000Z,3600,1,"{""rates"":[],""shares"":[]}",${none}`,
          `series,prod,2026-03-02T00:00:00.000Z,,,,,shop,Deployment,api,uid-api,"{""app"":""api""}",-1,5${zeros}`
        ]
        const sum = hash("sha256", records.map((record) => `${record}\r\n`).join(""))
        assert.deepStrictEqual(text.split("\r\n"), [
          `record,cluster,hour,knownSeconds,series,charges,checksum,namespace,kind,name,uid,labels,rate,${measures.join(",")}`,
          ...records,
          `sum,prod,2026-03-02T00:00:00.000Z,,,,${sum}${none}`,
          `end,,,,,,${hash("sha256", sum)}${none}`,
          ""
        ])
      })
  )

  it.effect("holds the hours of its window and clusters alone", () =>
    Effect.gen(function* () {
      const hours = hoursFrom(monday, 60).map((startMs) => cost(startMs, "api", 1))
      const store = yield* storeWith([...hours, cost(monday, "api", 1, { cluster: stage })])
      const window = { startMs: monday + 5 * HOUR_MS, endMs: monday + 50 * HOUR_MS }
      const to = yield* freshStore
      const result = yield* imported(to, yield* exported(store, [prod, prod], window), "skip", 5_000)
      assert.deepStrictEqual(result, { written: 45, skipped: 0, forgotten: 0 })
      assert.deepStrictEqual(yield* to.hours(prod, always), hours.slice(5, 50))
      assert.deepStrictEqual(yield* to.hours(stage, always), [])
    })
  )

  it.effect("is a header and its end where there is nothing", () =>
    Effect.gen(function* () {
      const store = yield* freshStore
      const text = yield* exported(store)
      assert.strictEqual(text, `${HourCsv.line(HourCsv.HEADER)}${HourCsv.printEnd(Checksum.make())}`)
      assert.deepStrictEqual(yield* imported(store, text), { written: 0, skipped: 0, forgotten: 0 })
    })
  )

  it.effect("leaves hours that are closed as they are, or replaces them, as one chooses", () =>
    Effect.gen(function* () {
      const [one, two] = hoursFrom(monday, 2)
      assert(one !== undefined && two !== undefined)
      const text = yield* exported(yield* storeWith([cost(one, "api", 1), cost(two, "api", 1)]))
      const store = yield* storeWith([cost(one, "db", 9)])
      assert.deepStrictEqual(yield* imported(store, text), { written: 1, skipped: 1, forgotten: 0 })
      assert.deepStrictEqual(yield* store.hours(prod, always), [cost(one, "db", 9), cost(two, "api", 1)])
      assert.deepStrictEqual(yield* imported(store, text, "replace"), { written: 2, skipped: 0, forgotten: 0 })
      assert.deepStrictEqual(yield* store.hours(prod, always), [cost(one, "api", 1), cost(two, "api", 1)])
    })
  )

  it.effect("counts the hours that a store cannot take any more", () =>
    Effect.gen(function* () {
      const hours = hoursFrom(monday, 30).map((startMs) => cost(startMs, "api", 1))
      const text = yield* exported(yield* storeWith(hours))
      for (const closed of ["skip", "replace"] as const) {
        const store = yield* storeWith([cost(monday + 3 * HOUR_MS, "api", 7)])
        yield* store.prune({ hoursBeforeMs: monday + days(1), daysBeforeMs: 0 })
        const { forgotten, skipped, written } = yield* imported(store, text, closed)
        assert.deepStrictEqual({ forgotten: forgotten + skipped, written }, { forgotten: 24, written: 6 })
        const [sums] = yield* store.sums([prod], always)
        const expected = addedUp([cost(monday, "api", 7), ...hours.slice(24)], always.startMs, always.endMs)
        assert.strictEqual(sums?.columns.cpuCostNanos[0], 13)
        assert.strictEqual(sums?.knownSeconds, expected.knownSeconds)
      }
    })
  )

  it.effect("has given the hours before a mistake, each whole", () =>
    Effect.gen(function* () {
      const hours = hoursFrom(monday, 3).map((startMs) => cost(startMs, "api", 1))
      const text = yield* exported(yield* storeWith(hours))
      for (const closed of ["skip", "replace"] as const) {
        const store = yield* freshStore
        const error = yield* Effect.flip(imported(store, text.slice(0, text.lastIndexOf("sum,")), closed))
        assert.match(error.message, /^line 8: /)
        assert.deepStrictEqual(yield* store.hours(prod, always), hours.slice(0, 2))
      }
    })
  )
})
