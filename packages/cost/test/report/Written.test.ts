import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import * as CostCsv from "../../src/report/CostCsv.ts"
import * as Focus from "../../src/report/Focus.ts"
import { IDLE } from "../../src/hour/Series.ts"
import { HOUR_MS } from "../../src/hour/Units.ts"
import { hour, prod, series, stage } from "../store/samples.ts"
import { clusters, collect, read, row } from "./written.ts"
import { allGroups, allWorkloads, asking, closing, getWorkloads, grouping, monday, reporting } from "./reporting.ts"

describe("a report as CSV", () => {
  it.effect("has the JSON's names, one record a row, and the currency", () =>
    Effect.gen(function* () {
      const text = yield* collect(CostCsv.workloads({ rows: Stream.make(row()), clusters, currency: "EUR" }))
      const [header, record, rest] = text.split("\r\n")
      assert.strictEqual(
        header,
        "id,cluster,namespace,workloadName,workloadType,totalCost,cpuCost,memoryCost,gpuCost,storageCost,networkCost,"
          + "loadBalancerCost,hourlyCost,replicaHours,spotHours,onDemandHours,spotPercent,onDemandPercent,cpuCoreHours,"
          + "memoryByteHours,cpuRequestedCoreHours,cpuUsedCoreHours,memoryRequestedByteHours,memoryUsedByteHours,"
          + "cpuEfficiency,memoryEfficiency,efficiency,savingsAvailable,costIncrease,cpuRecommendedMillis,"
          + "memoryRecommendedBytes,recommendationDays,hoursExisted,hoursCovered,clusterHoursCovered,clusterHoursInWindow,currency"
      )
      assert.strictEqual(
        record,
        "prod/shop/Deployment/api,prod,shop,api,Deployment,1.5,1,0.5,0,0,0,0,1.5,1,0,1,0,100,2,1073741824,2,1,8,2,0.5,0.25,0.4,0,"
          + "0,0,0,0,1,1,162.5,168,EUR"
      )
      assert.strictEqual(rest, "")
    })
  )

  it.effect("lets no name be a formula, a second field or a second record", () =>
    Effect.gen(function* () {
      for (const name of ["=1+1", "+1", "-1", "@SUM(A1)", "\tx", "\rx", 'a"b', "a,b", "a\r\nb", "a\nb", '=a,"b"']) {
        const rows = Stream.make(row({ workloadName: name, totalCost: -2e-9 }))
        const [found, ...more] = read(yield* collect(CostCsv.workloads({ rows, clusters, currency: "USD" })))
        assert.deepStrictEqual(more, [])
        assert.strictEqual(found?.["workloadName"], /^[=+\-@\t\r]/.test(name) ? `'${name}` : name)
        assert.strictEqual(found?.["totalCost"], "-0.000000002")
      }
    })
  )

  it.effect("has the rows of all pages, in their order", () =>
    Effect.gen(function* () {
      const many = Array.from({ length: 2_500 }, (_, index) => series(`w-${index}`))
      yield* closing([
        hour(
          monday,
          many.map((one, index) => [one, { cpuCostNanos: index % 100 }])
        )
      ])
      const report = yield* allWorkloads(asking())
      const found = read(yield* collect(CostCsv.workloads(report)))
      const whole = yield* getWorkloads(asking({ page: { limit: 5_000 } }))
      assert.deepStrictEqual(
        found.map(({ id }) => id),
        whole.aggregatedWorkloads.map(({ id }) => id)
      )
      assert.strictEqual(found.length, 2_475)
    }).pipe(Effect.provide(reporting()))
  )

  it.effect("has a column for each thing that is grouped by, and steps one after the other", () =>
    Effect.gen(function* () {
      yield* closing([
        hour(monday, [
          [series("api", { labels: { team: "red" } }), { cpuCostNanos: 1 }],
          [series("node", { kind: IDLE, namespace: "" }), { cpuCostNanos: 5 }]
        ]),
        hour(monday + HOUR_MS, [[series("api", { labels: {} }), { cpuCostNanos: 2 }]])
      ])
      const groupBy = ["namespace", "label:team"]
      const range = { from: String(monday), to: String(monday + 2 * HOUR_MS) }
      const asked = grouping(groupBy, { range, idle: "show", stepSize: "hour" })
      const { currency, rows } = yield* allGroups(asked)
      const found = read(yield* collect(CostCsv.groups({ rows, currency, groupBy })))
      assert.deepStrictEqual(
        found.map((one) => [
          one["start"]?.slice(11, 16),
          one["namespace"],
          one["label:team"],
          one["beside"],
          one["cpuCost"]
        ]),
        [
          ["00:00", "", "", "idle", "0.000000005"],
          ["00:00", "shop", "red", "", "0.000000001"],
          ["01:00", "shop", "", "", "0.000000002"]
        ]
      )
    }).pipe(Effect.provide(reporting()))
  )
})

describe("a file of costs", () => {
  const both = { mode: "Named", clusters: [prod, stage] } as const
  const range = { from: String(monday), to: String(monday + 2 * HOUR_MS) }
  const written = closing([
    hour(monday, [[series("api"), { cpuCostNanos: 1 }]]),
    hour(monday + HOUR_MS, [[series("api"), { cpuCostNanos: 1 }]], { knownSeconds: 900 }),
    hour(monday, [[series("web"), { cpuCostNanos: 1 }]], { cluster: stage })
  ])
  const seenIn = (text: string, prefix = "c") =>
    read(text).map((one) => [one[`${prefix}lusterHoursCovered`], one[`${prefix}lusterHoursInWindow`]])

  it.effect("tells beside each workload for how much of the window its cluster was seen", () =>
    Effect.gen(function* () {
      yield* written
      const report = yield* allWorkloads(asking({ target: both, range }))
      const seen = [
        ["1.25", "2"],
        ["1", "2"]
      ]
      assert.deepStrictEqual(seenIn(yield* collect(CostCsv.workloads(report))), seen)
      const focus = yield* collect(Focus.workloads({ currency: report.currency, rows: report.billed }))
      assert.deepStrictEqual(seenIn(focus, "x_C"), seen)
    }).pipe(Effect.provide(reporting()))
  )

  it.effect("tells beside each group for how much of the step its cluster was seen, or all of them together", () =>
    Effect.gen(function* () {
      yield* written
      const seenBy = Effect.fnUntraced(function* (groupBy: ReadonlyArray<string>) {
        const asked = grouping(groupBy, { target: both, range, stepSize: "hour" })
        const { currency, rows } = yield* allGroups(asked)
        return seenIn(yield* collect(CostCsv.groups({ currency, groupBy, rows })))
      })
      assert.deepStrictEqual(yield* seenBy(["cluster"]), [
        ["1", "1"],
        ["1", "1"],
        ["0.25", "1"]
      ])
      assert.deepStrictEqual(yield* seenBy([]), [
        ["2", "2"],
        ["0.25", "2"]
      ])
    }).pipe(Effect.provide(reporting()))
  )
})
