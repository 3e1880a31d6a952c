import { assert, describe, it } from "@effect/vitest"
import { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Arbitrary, Context, Effect, Layer, Schema, Stream } from "effect"
import { fromCsv, ImportRefused, toCsv } from "../../src/CostExport.ts"
import { CostStore } from "../../src/CostStore.ts"
import * as HourCsv from "../../src/export/HourCsv.ts"
import type { Hour } from "../../src/Hour.ts"
import { type Measure, measures } from "../../src/Measure.ts"
import { IDLE, type Series } from "../../src/Series.ts"
import { layerMemory } from "../../src/store/Memory.ts"
import { HOUR_MS } from "../../src/Units.ts"
import { addedUp, amountsOf, at, cost, days, hour, hoursFrom, prod, series, stage } from "../store/samples.ts"

const monday = at("2026-03-02T00:00")
const always = { startMs: monday - days(9), endMs: monday + days(40) }

type Store = CostStore["Service"]

const freshStore = Effect.map(Layer.build(Layer.fresh(layerMemory)), (context) => Context.get(context, CostStore))

const exported = (store: Store, clusters: ReadonlyArray<ClusterName> = [prod, stage], window = always) =>
  Stream.mkString(toCsv(clusters, window)).pipe(Effect.provideService(CostStore, store))

/** Reads a text that comes in parts of some length. */
const imported = (store: Store, text: string, closed: "skip" | "replace" = "skip", length = 64) =>
  fromCsv(
    Stream.fromIterable(
      Array.from({ length: Math.ceil(text.length / length) }, (_, part) =>
        text.slice(part * length, (part + 1) * length)
      )
    ),
    { closed }
  ).pipe(Effect.provideService(CostStore, store))

const storeWith = Effect.fnUntraced(function* (hours: ReadonlyArray<Hour>) {
  const store = yield* freshStore
  yield* store.rewrite(hours)
  return store
})

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
  Schema.Literals([0, Number.MAX_SAFE_INTEGER, -Number.MAX_SAFE_INTEGER])
])
const AnyHour = Schema.Struct({
  cluster: Schema.Literals([prod, stage]),
  index: between(0, 30),
  knownSeconds: between(0, 3_600),
  series: Schema.Array(AnySeries).check(Schema.isMaxLength(6)),
  amounts: Schema.Array(Schema.Struct({ at: between(0, 5), measure: between(0, measures.length - 1), amount: Amount })),
  rates: Schema.Array(
    Schema.Struct({
      ...{ provider: Texts, region: Texts, instanceType: Texts, gpuModel: Texts },
      capacity: Schema.Literals(["spot", "onDemand"])
    })
  ).check(Schema.isMaxLength(3)),
  rate: between(-1, 2),
  shared: Amount,
  storage: Schema.optionalKey(Texts)
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
    ...{ cluster: drawn.cluster, knownSeconds: drawn.knownSeconds, rates: drawn.rates },
    rateOf: new Int32Array(named.length).fill(rate),
    shares: isShared
      ? [
          {
            ...{ series: named.length - 1, rate: drawn.rates.length - 1, gpuMilliSeconds: 0 },
            ...{ cpuAllocatedMilliSeconds: drawn.shared, memoryAllocatedKibSeconds: 7 }
          }
        ]
      : [],
    ...(drawn.storage === undefined
      ? {}
      : { storage: named.length === 0 ? [] : [{ series: 0, storageClass: drawn.storage, kibSeconds: 5 }] })
  })
}

const keyed = ({ kind, labels, name, namespace, uid }: Series): string =>
  JSON.stringify([namespace, kind, name, uid, Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : 1))])

const anyHistory = Arbitrary.map(Arbitrary.schema(Schema.Array(AnyHour).check(Schema.isMaxLength(12))), (drawn) =>
  drawn.map(toHour)
)

/** A file of one hour, with some of its text put in the place of other. */
const changed = (hour: Hour, from: string, to: string): string => {
  const text = `${HourCsv.line(HourCsv.HEADER)}${[...HourCsv.print(hour)].join("")}`
  assert.include(text, from)
  return text.replace(from, to)
}

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

  it.effect("has a header, a record for each hour and one for each of its series", () =>
    Effect.gen(function* () {
      const closed = hour(monday, [[series("api", { labels: { app: "api" } }), { cpuCostNanos: 5 }]])
      const text = yield* exported(yield* storeWith([closed]))
      const zeros = ",0".repeat(measures.length - 1)
      assert.deepStrictEqual(text.split("\r\n"), [
        `record,cluster,hour,knownSeconds,series,charges,namespace,kind,name,uid,labels,rate,${measures.join(",")}`,
        `hour,prod,2026-03-02T00:00:00.000Z,3600,1,"{""rates"":[],""shares"":[]}"${",".repeat(6 + measures.length)}`,
        `series,prod,2026-03-02T00:00:00.000Z,,,,shop,Deployment,api,uid-api,"{""app"":""api""}",-1,5${zeros}`,
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

  it.effect("is a header where there is nothing", () =>
    Effect.gen(function* () {
      const store = yield* freshStore
      const text = yield* exported(store)
      assert.strictEqual(text, HourCsv.line(HourCsv.HEADER))
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

  it.effect("is refused with its line where it is not as it must be", () =>
    Effect.gen(function* () {
      const rate = { provider: "aws", region: "", instanceType: "", capacity: "spot", gpuModel: "" } as const
      const one = hour(
        monday,
        [
          [series("api", { labels: { app: "a\nb" } }), { cpuCostNanos: 5 }],
          [series("db"), { cpuCostNanos: 6 }]
        ],
        { rates: [rate], storage: [{ series: 1, storageClass: "fast", kibSeconds: 4 }] }
      )
      const whole = changed(one, "", "")
      for (const [text, message] of [
        ["", "line 1: there is nothing, not even a header"],
        [whole.replace("knownSeconds", "known"), "line 1: it is not the header of an export of this version"],
        [changed(one, "hour,prod", "day,prod"), "line 2: it is neither hour nor series"],
        [changed(one, "hour,prod", 'hour,"a b"'), 'line 2: "a b" is no cluster\'s name'],
        [
          changed(one, "00:00:00.000Z", "00:30:00.000Z"),
          'line 2: "2026-03-02T00:30:00.000Z" is no hour like 2026-03-02T00:00:00.000Z'
        ],
        [changed(one, ",3600,", ",3601,"), 'line 2: knownSeconds is "3601", not a whole number from 0 to 3600'],
        [changed(one, ",3600,2,", ",3600,-2,"), 'line 2: series is "-2", not a whole number from 0 to 1000000'],
        [changed(one, ",3600,2,", ",3600,1,"), "line 2: charges name a series or a rate that is not there"],
        [
          changed(one, ",3600,2,", ",3600,3,"),
          "line 2: the text ends before all series of prod 2026-03-02T00:00:00.000Z"
        ],
        [changed(one, '""rates""', '""costs""'), "line 2: charges are not readable"],
        [changed(one, ",-1,5,", ",1,5,"), 'line 3: rate is "1", not a whole number from -1 to 0'],
        [
          changed(one, ",-1,5,", ",-1,5.0,"),
          `line 3: cpuCostNanos is "5.0", not a whole number from -${2 ** 53 - 1} to ${2 ** 53 - 1}`
        ],
        [
          changed(one, ",-1,5,", `,-1,${2 ** 53},`),
          `line 3: cpuCostNanos is "${2 ** 53}", not a whole number from -${2 ** 53 - 1} to ${2 ** 53 - 1}`
        ],
        [changed(one, '""app"":""a\\nb""', '""app"":1'), "line 3: labels are not readable"],
        [changed(one, "db,uid-db", 'd"b,uid-db'), "line 4: a quote is within a field that does not begin with one"],
        [changed(one, "db,uid-db", '"db"x,uid-db'), "line 4: a quoted field goes on after its quote"],
        [changed(one, "db,uid-db", "db\rx,uid-db"), "line 4: a carriage return is not followed by a line feed"],
        [changed(one, "db,uid-db", 'db,"uid-db'), "line 4: a quoted field goes on after its quote"],
        [
          changed(one, "db,uid-db", "db,uid-db,x"),
          `line 4: it has ${HourCsv.HEADER.length + 1} fields, not ${HourCsv.HEADER.length}`
        ],
        [`${whole}${whole.split("\r\n").slice(2).join("\r\n")}`, "line 5: a series stands before its hour"],
        [
          `${whole}${whole.split("\r\n").slice(1).join("\r\n")}`,
          "line 5: the hours of a cluster do not stand one after the other, rising"
        ],
        [`${whole}"`, "line 5: the text ends within a quoted field"],
        [`${whole}\r`, "line 5: the text ends with a carriage return"]
      ] as const) {
        const store = yield* freshStore
        for (const length of [7, 100_000]) {
          const error = yield* Effect.flip(imported(store, text, "replace", length))
          assert.instanceOf(error, ImportRefused)
          assert.strictEqual(error.message, message)
        }
      }
    })
  )

  it.effect("has given the hours before a mistake, each whole", () =>
    Effect.gen(function* () {
      const hours = hoursFrom(monday, 3).map((startMs) => cost(startMs, "api", 1))
      const text = yield* exported(yield* storeWith(hours))
      for (const closed of ["skip", "replace"] as const) {
        const store = yield* freshStore
        const error = yield* Effect.flip(imported(store, text.slice(0, -9), closed))
        assert.match(error.message, /^line 7: /)
        assert.deepStrictEqual(yield* store.hours(prod, always), hours.slice(0, 2))
      }
    })
  )

  it.effect("is refused where a series comes twice, in the wrong hour, or too late", () =>
    Effect.gen(function* () {
      const one = hour(monday, [
        [series("api"), {}],
        [series("db"), {}]
      ])
      const next = cost(monday + HOUR_MS, "api", 1)
      const text = changed(one, "", "")
      const [header = "", record = "", api = "", db = ""] = text.split("\r\n")
      const [, nextRecord = "", nextApi = ""] = changed(next, "", "").split("\r\n")
      const store = yield* freshStore
      for (const [lines, message] of [
        [[header, record, api, api], "line 4: prod 2026-03-02T00:00:00.000Z has this series twice"],
        [[header, record, api, nextRecord], "line 4: prod 2026-03-02T00:00:00.000Z has fewer series than it says"],
        [[header, record, nextApi], "line 3: it is not of prod 2026-03-02T00:00:00.000Z, whose series come here"],
        [
          [header, nextRecord, nextApi, record, api, db],
          "line 4: the hours of a cluster do not stand one after the other, rising"
        ]
      ] as const) {
        const error = yield* Effect.flip(imported(store, lines.join("\n")))
        assert.strictEqual(error.message, message)
      }
    })
  )
})
