/** What every store of costs must do with hours. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { record } from "../../src/hour/Measure.ts"
import { DAY_MS, HOUR_MS } from "../../src/hour/Units.ts"
import { checksOn, closeAll, type Stores, sumsOf } from "./checks.ts"
import { addedUp, at, cost, days, hour, hoursFrom, lastOfEach, prod, series, someSeries, stage } from "./samples.ts"

const monday = at("2026-03-02T00:00")

/** Closing, rewriting and summing hours. */
export const keepsHours = (stores: Stores): void => {
  const check = checksOn(stores)

  check("gives back an hour as it was closed", (store) =>
    Effect.gen(function* () {
      const closed = hour(
        monday,
        someSeries().map((one, place) => [one, { cpuCostNanos: place * 1_000, storageKibSeconds: 9 }]),
        {
          knownSeconds: 1_234,
          rates: [
            { provider: "aws", region: "eu-1", instanceType: "m5.large", capacity: "spot", gpuModel: "" },
            { provider: "", region: "", instanceType: "", capacity: "onDemand", gpuModel: "a100" }
          ],
          rateOf: Int32Array.of(0, 1, -1, 0, 1),
          storage: [
            { series: 3, storageClass: "fast", kibSeconds: 9 },
            { series: 1, storageClass: "slow", kibSeconds: 4 },
            { series: 1, storageClass: "fast", kibSeconds: 2 }
          ],
          shares: [
            {
              series: 2,
              rate: 1,
              gpuMilliSeconds: 3,
              cpuAllocatedMilliSeconds: 5_000_000_000,
              memoryAllocatedKibSeconds: 6
            }
          ]
        }
      )
      yield* store.close(closed)
      assert.deepStrictEqual(yield* store.hours(prod, { startMs: monday, endMs: monday + HOUR_MS }), [closed])
    })
  )

  check("gives back when an hour was seen, also once it was rewritten", (store) =>
    Effect.gen(function* () {
      const seen = [0, 1_200, 1_234, 1_268]
      const closed = hour(monday, [[series("api"), { cpuCostNanos: 5 }]], { knownSeconds: 1_234, seen })
      const window = { startMs: monday, endMs: monday + HOUR_MS }
      yield* store.close(closed)
      assert.deepStrictEqual(yield* store.hours(prod, window), [closed])
      const rewritten = { ...closed, columns: hour(monday, [[series("api"), { cpuCostNanos: 7 }]]).columns }
      yield* store.rewrite([rewritten])
      assert.deepStrictEqual(yield* store.hours(prod, window), [rewritten])
    })
  )

  check("gives back an hour in which there was nothing", (store) =>
    Effect.gen(function* () {
      const empty = hour(monday, [], { knownSeconds: 60 })
      yield* store.close(empty)
      assert.deepStrictEqual(yield* store.hours(prod, { startMs: monday, endMs: monday + HOUR_MS }), [empty])
      const sums = yield* sumsOf(store, monday, monday + HOUR_MS)
      assert.deepStrictEqual(sums, { knownSeconds: 60, amounts: {} })
    })
  )

  check("keeps amounts that are too large to be exact, and sums them as far as they go", (store) =>
    Effect.gen(function* () {
      const large = 11_874_725_579_980_800
      const closed = hour(monday, [[series("lake"), { storageKibSeconds: large }]], {
        storage: [{ series: 0, storageClass: "nfs", kibSeconds: large }]
      })
      yield* store.close(closed)
      assert.deepStrictEqual(yield* store.hours(prod, { startMs: monday, endMs: monday + HOUR_MS }), [closed])
      const more = hoursFrom(monday + DAY_MS, 100).map((startMs) =>
        hour(startMs, [[series("lake"), { storageKibSeconds: 2 ** 57, cpuCostNanos: 2 ** 57 }]])
      )
      yield* store.rewrite(more)
      const endMs = monday + days(6)
      assert.deepStrictEqual(yield* sumsOf(store, monday + DAY_MS, endMs), addedUp(more, monday, endMs))
    })
  )

  check("closes an hour once, and says so of the second time", (store) =>
    Effect.gen(function* () {
      yield* store.close(cost(monday, "api", 5))
      const error = yield* Effect.flip(store.close(cost(monday, "api", 6)))
      assert.strictEqual(error.message, "the hour 2026-03-02T00:00:00.000Z of prod is closed already")
      const sums = yield* sumsOf(store, monday, monday + HOUR_MS)
      assert.deepStrictEqual(sums, addedUp([cost(monday, "api", 5)], monday, monday + HOUR_MS))
      yield* store.close(cost(monday + HOUR_MS, "api", 6))
    })
  )

  check("takes one of many closings of the same hour at once", (store) =>
    Effect.gen(function* () {
      const results = yield* Effect.forEach(
        [1, 2, 3, 4],
        (amount) => Effect.isSuccess(store.close(cost(monday, "api", amount))),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(results, [true, false, false, false])
    })
  )

  check("keeps what its owner changes afterwards as it was", (store) =>
    Effect.gen(function* () {
      const closed = cost(monday, "api", 5)
      yield* store.close(closed)
      closed.columns.cpuCostNanos.fill(99)
      const [read] = yield* store.hours(prod, { startMs: monday, endMs: monday + HOUR_MS })
      assert.deepStrictEqual(read, cost(monday, "api", 5))
    })
  )

  check("rewrites an hour and leaves those around it", (store) =>
    Effect.gen(function* () {
      const hours = hoursFrom(monday, 30).map((startMs, index) => cost(startMs, "api", index + 1))
      yield* closeAll(store, hours)
      const changed = [cost(monday + 3 * HOUR_MS, "db", 1_000), cost(monday + 25 * HOUR_MS, "api", 7)]
      yield* store.rewrite(changed)
      const after = lastOfEach([...hours, ...changed])
      assert.deepStrictEqual(yield* store.hours(prod, { startMs: monday, endMs: monday + days(2) }), after)
      for (const [from, to] of [
        [0, 48],
        [0, 3],
        [3, 4],
        [4, 24],
        [24, 48]
      ] as const) {
        const [startMs, endMs] = [monday + from * HOUR_MS, monday + to * HOUR_MS]
        assert.deepStrictEqual(yield* sumsOf(store, startMs, endMs), addedUp(after, startMs, endMs))
      }
    })
  )

  check("knows nothing of clusters that it was never told of", (store) =>
    Effect.gen(function* () {
      yield* store.close(cost(monday, "api", 5))
      const window = { startMs: monday, endMs: monday + DAY_MS }
      const sums = yield* store.sums([stage, prod], window)
      assert.deepStrictEqual(
        sums.map(({ cluster, knownSeconds, series, window }) => ({ cluster, knownSeconds, series, window })),
        [
          { cluster: stage, knownSeconds: 0, series: [], window },
          { cluster: prod, knownSeconds: 3_600, series: [series("api")], window }
        ]
      )
      assert.deepStrictEqual(yield* store.hours(stage, window), [])
      assert.deepStrictEqual(yield* store.sums([], window), [])
    })
  )

  check("keeps two clusters apart", (store) =>
    Effect.gen(function* () {
      yield* store.close(cost(monday, "api", 5))
      yield* store.close(cost(monday, "db", 7, { cluster: stage }))
      yield* store.close(cost(monday + HOUR_MS, "api", 11, { cluster: stage }))
      const window = [monday, monday + DAY_MS] as const
      assert.deepStrictEqual(yield* sumsOf(store, ...window), addedUp([cost(monday, "api", 5)], ...window))
      assert.deepStrictEqual(
        yield* sumsOf(store, ...window, stage),
        addedUp([cost(monday, "db", 7), cost(monday + HOUR_MS, "api", 11)], ...window)
      )
    })
  )

  check("says from when to when each cluster has hours", (store) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* store.extents, [])
      yield* closeAll(store, [
        cost(monday + 5 * HOUR_MS, "api", 1),
        cost(monday + 3 * HOUR_MS, "api", 1, { cluster: stage }),
        cost(monday + days(40), "api", 1),
        cost(monday + 2 * HOUR_MS, "api", 1)
      ])
      assert.deepStrictEqual(yield* store.extents, [
        { cluster: prod, fromMs: monday + 2 * HOUR_MS, toMs: monday + days(40) + HOUR_MS },
        { cluster: stage, fromMs: monday + 3 * HOUR_MS, toMs: monday + 4 * HOUR_MS }
      ])
    })
  )

  check("sums windows over days and months, and over gaps of whole months", (store) =>
    Effect.gen(function* () {
      const hours = [
        ...hoursFrom(at("2026-01-30T20:00"), 60),
        ...hoursFrom(at("2026-04-01T00:00"), 23),
        at("2026-12-31T23:00"),
        at("2027-01-01T00:00")
      ].map((startMs, index) => cost(startMs, index % 3 === 0 ? "api" : "db", 2 ** (index % 40)))
      yield* closeAll(store, hours)
      const edges = [
        ...["2025-01-01T00:00", "2026-01-31T00:00", "2026-01-31T05:00", "2026-02-01T00:00", "2026-02-01T01:00"],
        ...["2026-02-14T00:00", "2026-03-01T00:00", "2026-04-01T12:00", "2026-05-01T00:00", "2027-01-01T00:00"],
        "2028-01-01T00:00"
      ].map(at)
      for (const startMs of edges) {
        for (const endMs of edges) {
          if (startMs >= endMs) continue
          assert.deepStrictEqual(yield* sumsOf(store, startMs, endMs), addedUp(hours, startMs, endMs))
        }
      }
    })
  )

  check("takes series that come and go", (store) =>
    Effect.gen(function* () {
      const hours = hoursFrom(monday, 50).map((startMs, index) =>
        hour(startMs, [
          [series("api"), { cpuCostNanos: 10, replicaSeconds: 3_600 }],
          [series(`job-${index % 7}`, { uid: `uid-${index}` }), { cpuCostNanos: index, replicaSeconds: 60 }]
        ])
      )
      yield* closeAll(store, hours)
      assert.deepStrictEqual(yield* store.hours(prod, { startMs: monday, endMs: monday + days(3) }), hours)
      for (const [from, to] of [
        [0, 50],
        [10, 11],
        [23, 25],
        [7, 31]
      ] as const) {
        const [startMs, endMs] = [monday + from * HOUR_MS, monday + to * HOUR_MS]
        assert.deepStrictEqual(yield* sumsOf(store, startMs, endMs), addedUp(hours, startMs, endMs))
      }
    })
  )

  check("names only those that have something in the window", (store) =>
    Effect.gen(function* () {
      yield* closeAll(store, [
        hour(monday, [
          [series("api"), { cpuCostNanos: 1 }],
          [series("still"), {}]
        ]),
        hour(monday + HOUR_MS, [[series("db"), { storageCostNanos: 1 }]])
      ])
      const [sums] = yield* store.sums([prod], { startMs: monday + HOUR_MS, endMs: monday + DAY_MS })
      assert.deepStrictEqual(sums?.series, [series("db")])
      assert.deepStrictEqual(
        sums?.columns,
        record((measure) => Float64Array.of(measure === "storageCostNanos" ? 1 : 0))
      )
    })
  )

  check("is exact up to 2^53, also below zero", (store) =>
    Effect.gen(function* () {
      const most = Number.MAX_SAFE_INTEGER
      const hours = [most - 1, 1, -most, most, -1, 0].map((cpuCostNanos, index) =>
        hour(monday + index * HOUR_MS, [
          [series("api"), { cpuCostNanos, memoryUsedKibSeconds: index === 0 ? most : 0 }],
          [series("small"), { cpuCostNanos: 3 }]
        ])
      )
      yield* closeAll(store, hours)
      assert.deepStrictEqual(yield* store.hours(prod, { startMs: monday, endMs: monday + DAY_MS }), hours)
      for (const [from, to] of [
        [0, 1],
        [0, 2],
        [1, 3],
        [2, 6],
        [0, 24]
      ] as const) {
        const [startMs, endMs] = [monday + from * HOUR_MS, monday + to * HOUR_MS]
        assert.deepStrictEqual(yield* sumsOf(store, startMs, endMs), addedUp(hours, startMs, endMs))
      }
    })
  )

  check("gives back hours whose running sums pass 2^53", (store) =>
    Effect.gen(function* () {
      const hours = hoursFrom(monday, 30).map((startMs, index) =>
        hour(startMs, [[series("api"), { memoryUsedKibSeconds: Number.MAX_SAFE_INTEGER - index * 1_001 }]])
      )
      yield* closeAll(store, hours)
      assert.deepStrictEqual(yield* store.hours(prod, { startMs: monday, endMs: monday + days(2) }), hours)
      const [sums] = yield* store.sums([prod], { startMs: monday, endMs: monday + days(2) })
      const expected = hours.reduce((sum, one) => sum + (one.columns.memoryUsedKibSeconds[0] ?? 0), 0)
      assert.approximately(sums?.columns.memoryUsedKibSeconds[0] ?? 0, expected, expected * 1e-9)
    })
  )
}
