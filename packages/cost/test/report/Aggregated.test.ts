import { assert, describe, it } from "@effect/vitest"
import { anyOf } from "@quarterdeck/targeting/NamespaceFilter"
import { Effect } from "effect"
import { IDLE, MANAGEMENT, UNMOUNTED } from "../../src/hour/Series.ts"
import { HOUR_MS } from "../../src/hour/Units.ts"
import { at, cost, days, hour, hoursFrom, prod, series, stage } from "../store/samples.ts"
import {
  asking,
  closing,
  costsOf,
  getAggregated,
  getWorkloads,
  grouping,
  monday,
  recommending,
  reporting
} from "./reporting.ts"

const rowsOf = (reply: Effect.Success<ReturnType<typeof getAggregated>>) => {
  assert("rows" in reply)
  return reply.rows
}
const bucketsOf = (reply: Effect.Success<ReturnType<typeof getAggregated>>) => {
  assert("buckets" in reply)
  return reply.buckets
}

const withBill = hour(monday, [
  [series("api"), { cpuCostNanos: 6, memoryCostNanos: 2 }],
  [series("db", { namespace: "data", kind: "StatefulSet" }), { cpuCostNanos: 2, memoryCostNanos: 6 }],
  [series("node-1", { namespace: "", kind: IDLE }), { cpuCostNanos: 100, memoryCostNanos: 16, gpuCostNanos: 7 }],
  [series("claim", { namespace: "data", kind: UNMOUNTED }), { storageCostNanos: 1_000 }],
  [series("control-plane", { namespace: "", kind: MANAGEMENT }), { cpuCostNanos: 10_000 }]
])

describe("a report by groups", () => {
  it.effect("hides what no workload has unless asked, and comes to the same as the workloads", () =>
    Effect.gen(function* () {
      yield* closing([withBill])
      const { totals } = yield* getAggregated(grouping(["cluster"]))
      assert.deepStrictEqual(totals, (yield* getWorkloads(asking())).totals)
    }).pipe(Effect.provide(reporting()))
  )

  it.effect("comes to the cluster's bill with idle, unmounted and management rows", () =>
    Effect.gen(function* () {
      yield* closing([withBill])
      const reply = yield* getAggregated(grouping(["cluster", "namespace"], { idle: "show" }))
      assert.deepStrictEqual(
        rowsOf(reply).map(({ group, idle, management, totalCost, unmounted }) => ({
          group,
          totalCost: Math.round(totalCost * 1e9),
          ...(idle === undefined ? {} : { idle }),
          ...(unmounted === undefined ? {} : { unmounted }),
          ...(management === undefined ? {} : { management })
        })),
        [
          { group: { cluster: "prod" }, totalCost: 10_000, management: true },
          { group: { cluster: "prod", namespace: "data" }, totalCost: 1_000, unmounted: true },
          { group: { cluster: "prod" }, totalCost: 123, idle: true },
          { group: { cluster: "prod", namespace: "data" }, totalCost: 8 },
          { group: { cluster: "prod", namespace: "shop" }, totalCost: 8 }
        ]
      )
      assert.strictEqual(reply.totals.totalCost, 11_139e-9)
    }).pipe(Effect.provide(reporting()))
  )

  it.effect("shares idle by each resource's cost, and does not move unmounted storage and unused load balancers", () =>
    Effect.gen(function* () {
      yield* closing([withBill])
      const reply = yield* getAggregated(grouping(["workload"], { idle: "share" }))
      const found = rowsOf(reply).map(({ cpuCost, group, gpuCost, memoryCost }) => [
        group["workload"],
        ...[cpuCost, memoryCost, gpuCost].map((value) => Math.round(value * 1e9))
      ])
      assert.deepStrictEqual(
        found.filter(([, cpu]) => cpu !== 10_000),
        [
          [undefined, 0, 0, 0],
          ["api", 81, 6, 0],
          ["db", 27, 18, 0],
          [undefined, 0, 0, 7]
        ]
      )
      assert.strictEqual(reply.totals.totalCost, 11_139e-9)
    }).pipe(Effect.provide(reporting()))
  )

  it.effect("shares before it filters: what remains keeps its share", () =>
    Effect.gen(function* () {
      yield* closing([withBill])
      const whole = rowsOf(yield* getAggregated(grouping(["namespace"], { idle: "share" })))
      const one = rowsOf(
        yield* getAggregated(grouping(["namespace"], { idle: "share", filter: { workloadTypes: ["Deployment"] } }))
      )
      assert.deepStrictEqual(
        one,
        whole.filter(({ group }) => group["namespace"] === "shop")
      )
    }).pipe(Effect.provide(reporting()))
  )

  it.effect("gives what cannot be split to the same workload, whatever the order", () =>
    Effect.gen(function* () {
      const equal = ["b", "c", "a"].map((name) => [series(name), { cpuCostNanos: 10 }] as const)
      const idle = [series("node-1", { namespace: "", kind: IDLE }), { cpuCostNanos: 5 }] as const
      yield* closing([hour(monday, [...equal, idle]), hour(monday, [idle, ...equal.toReversed()], { cluster: stage })])
      for (const cluster of [prod, stage]) {
        const target = { mode: "Named", clusters: [cluster] } as const
        const rows = rowsOf(yield* getAggregated(grouping(["workload"], { target, idle: "share" })))
        assert.deepStrictEqual(costsOf(rows), { a: 11e-9, b: 12e-9, c: 12e-9 })
      }
    }).pipe(Effect.provide(reporting()))
  )

  it.effect("refuses idle to a key with a namespace scope, and names the field", () =>
    Effect.gen(function* () {
      yield* closing([withBill])
      const namespaces = anyOf([{ namespaceNames: ["shop", "data"] }])
      for (const idle of ["show", "share"] as const) {
        const refused = yield* Effect.flip(getAggregated(grouping(["cluster"], { idle, namespaces })))
        assert(refused._tag === "IdleForbidden")
        assert.strictEqual(refused.field, "idle")
      }
      const rows = rowsOf(yield* getAggregated(grouping(["cluster"], { namespaces })))
      assert.deepStrictEqual(costsOf(rows), { prod: 16e-9 })
    }).pipe(Effect.provide(reporting()))
  )

  it.effect("groups by the label that a workload had in each hour", () =>
    Effect.gen(function* () {
      yield* closing([
        hour(monday, [[series("api", { labels: { team: "red" } }), { cpuCostNanos: 1 }]]),
        hour(monday + HOUR_MS, [
          [series("api", { labels: { team: "blue" } }), { cpuCostNanos: 2 }],
          [series("web", { labels: {} }), { cpuCostNanos: 4 }],
          [series("old", { labels: { team: "" } }), { cpuCostNanos: 8 }]
        ])
      ])
      const rows = rowsOf(yield* getAggregated(grouping(["label:team"])))
      assert.deepStrictEqual(
        rows.map(({ group, totalCost }) => [group, totalCost]),
        [
          [{ "label:team": "" }, 8e-9],
          [{}, 4e-9],
          [{ "label:team": "blue" }, 2e-9],
          [{ "label:team": "red" }, 1e-9]
        ]
      )
    }).pipe(Effect.provide(reporting()))
  )

  it.effect("saves the same however it is grouped", () =>
    Effect.gen(function* () {
      const half = {
        cpuCostNanos: 50,
        cpuAllocatedMilliSeconds: 7_200_000,
        cpuRequestedMilliSeconds: 7_200_000,
        replicaSeconds: 3_600
      }
      yield* closing([
        hour(monday, [
          [series("api", { labels: { team: "red" } }), half],
          [
            series("api", { labels: { team: "blue" } }),
            { ...half, cpuCostNanos: 1, cpuAllocatedMilliSeconds: 144_000, cpuRequestedMilliSeconds: 144_000 }
          ]
        ])
      ])
      yield* recommending(prod, {
        "shop/Deployment/api": { cpuRecommendedMillis: 100, memoryRecommendedBytes: 0, recommendationDays: 1 }
      })
      const { totals } = yield* getWorkloads(asking())
      assert.isAbove(totals.savingsAvailable, 0)
      for (const groupBy of [["workload"], ["label:team"], []]) {
        assert.strictEqual((yield* getAggregated(grouping(groupBy))).totals.savingsAvailable, totals.savingsAvailable)
      }
    }).pipe(Effect.provide(reporting()))
  )

  it.effect("is cut into days of UTC and weeks from Monday, shorter at the ends of the window", () =>
    Effect.gen(function* () {
      const thursday = at("2026-03-05T18:00")
      yield* closing(hoursFrom(thursday, 120).map((startMs) => cost(startMs, "api", 1)))
      const range = { from: String(thursday), to: String(thursday + days(5)) }
      const days5 = bucketsOf(yield* getAggregated(grouping([], { range, stepSize: "day" })))
      assert.deepStrictEqual(
        days5.map(({ end, rows, start }) => [start.slice(5, 13), end.slice(5, 13), rows[0]?.cpuCost]),
        [
          ["03-05T18", "03-06T00", 6e-9],
          ["03-06T00", "03-07T00", 24e-9],
          ["03-07T00", "03-08T00", 24e-9],
          ["03-08T00", "03-09T00", 24e-9],
          ["03-09T00", "03-10T00", 24e-9],
          ["03-10T00", "03-10T18", 18e-9]
        ]
      )
      const weeks = bucketsOf(yield* getAggregated(grouping([], { range, stepSize: "week" })))
      assert.deepStrictEqual(
        weeks.map(({ end, rows, start }) => [start.slice(5, 13), end.slice(5, 13), rows[0]?.cpuCost]),
        [
          ["03-05T18", "03-09T00", 78e-9],
          ["03-09T00", "03-10T18", 42e-9]
        ]
      )
    }).pipe(Effect.provide(reporting()))
  )

  it.effect("tells of every step for how much of it each cluster was seen, so that a gap is no cheap hour", () =>
    Effect.gen(function* () {
      const known = [3_600, 900, 3_600]
      yield* closing(
        [
          ...known.map((knownSeconds, index) => cost(monday + index * HOUR_MS, "api", 1, { knownSeconds })),
          cost(monday + HOUR_MS, "web", 1, { cluster: stage })
        ],
        monday + 2.5 * HOUR_MS
      )
      const target = { mode: "Named", clusters: [prod, stage] } as const
      const asked = grouping(["cluster"], { target, range: { from: String(monday) }, stepSize: "hour" })
      const hoursOf = (reply: Effect.Success<ReturnType<typeof getAggregated>>) =>
        bucketsOf(reply).map(({ clusters }) =>
          clusters.map(({ hoursCovered, hoursInWindow, name }) => [name, hoursCovered, hoursInWindow])
        )
      const reply = yield* getAggregated(asked)
      assert.deepStrictEqual(hoursOf(reply).slice(0, 2), [
        [
          ["prod", 1, 1],
          ["stage", 0, 1]
        ],
        [
          ["prod", 0.25, 1],
          ["stage", 1, 1]
        ]
      ])
      // The last step ends now.
      assert.deepStrictEqual(
        hoursOf(reply)[2]?.map(([, , inWindow]) => inWindow),
        [0.5, 0.5]
      )
      const sums = bucketsOf(reply).map(({ clusters }) => clusters.reduce((sum, one) => sum + one.hoursCovered, 0))
      assert.strictEqual(
        sums.reduce((sum, hours) => sum + hours, 0),
        reply.clusters.reduce((sum, { hoursCovered }) => sum + hoursCovered, 0)
      )
    }).pipe(Effect.provide(reporting()))
  )

  it.effect("pages groups, and tells each page's groups in every step", () =>
    Effect.gen(function* () {
      yield* closing([
        hour(monday, [
          [series("a", { namespace: "a" }), { cpuCostNanos: 1 }],
          [series("b", { namespace: "b" }), { cpuCostNanos: 2 }]
        ]),
        hour(monday + HOUR_MS, [[series("b", { namespace: "b" }), { cpuCostNanos: 4 }]])
      ])
      const range = { from: String(monday), to: String(monday + 2 * HOUR_MS) }
      const asked = grouping(["namespace"], { range, stepSize: "hour", page: { limit: 1 } })
      const first = yield* getAggregated(asked)
      assert.deepStrictEqual(
        bucketsOf(first).map(({ rows }) => costsOf(rows)),
        [{ b: 2e-9 }, { b: 4e-9 }]
      )
      const cursor = first.nextCursor ?? ""
      const second = yield* getAggregated({ ...asked, page: { limit: 1, cursor } })
      assert.deepStrictEqual(
        bucketsOf(second).map(({ rows }) => costsOf(rows)),
        [{ a: 1e-9 }, {}]
      )
      assert.isUndefined(second.nextCursor)
      assert.deepStrictEqual(second.totals, first.totals)
      const other = yield* Effect.flip(getAggregated({ ...asked, groupBy: ["kind"], page: { limit: 1, cursor } }))
      assert.strictEqual(other._tag, "CursorInvalid")
    }).pipe(Effect.provide(reporting()))
  )

  it.effect("refuses more steps than it tells, and hours that are kept as days", () =>
    Effect.gen(function* () {
      yield* closing([cost(monday, "api", 1)], monday + days(200))
      const refusals = [{ range: "40d" }, { from: String(monday), to: String(monday + days(2)) }]
      for (const range of refusals) {
        const refused = yield* Effect.flip(getAggregated(grouping([], { range, stepSize: "hour" })))
        assert(refused._tag === "InvalidCostQuery")
        assert.strictEqual(refused.field, "stepSize")
      }
    }).pipe(Effect.provide(reporting()))
  )
})
