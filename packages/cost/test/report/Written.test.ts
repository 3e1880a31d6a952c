import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import * as CostCsv from "../../src/CostCsv.ts"
import { CostReport } from "../../src/CostReport.ts"
import type { CostRow } from "../../src/CostRow.ts"
import * as Focus from "../../src/Focus.ts"
import { IDLE } from "../../src/Series.ts"
import { HOUR_MS } from "../../src/Units.ts"
import { hour, prod, series } from "../store/samples.ts"
import { asking, closing, getWorkloads, grouping, monday, reporting } from "./reporting.ts"

const row = (rest: Partial<CostRow> = {}): CostRow => ({
  ...{ id: "prod/shop/Deployment/api", cluster: prod, namespace: "shop", workloadName: "api" },
  ...{ workloadType: "Deployment", totalCost: 1.5, cpuCost: 1, memoryCost: 0.5, gpuCost: 0, storageCost: 0 },
  ...{ networkCost: 0, loadBalancerCost: 0, hourlyCost: 1.5, replicaHours: 1, spotHours: 0, onDemandHours: 1 },
  ...{ spotPercent: 0, onDemandPercent: 100, cpuCoreHours: 2, memoryByteHours: 1_073_741_824 },
  ...{ cpuEfficiency: 0.5, memoryEfficiency: 0.25, savingsAvailable: 0, cpuRecommendedMillis: 0 },
  ...{ memoryRecommendedBytes: 0, recommendationDays: 0, hoursExisted: 1, hoursCovered: 1 },
  ...rest
})

const collect = <E>(text: Stream.Stream<string, E>) =>
  Effect.map(Stream.runCollect(text), (parts) => [...parts].join(""))

/** Reads RFC 4180 back. */
const read = (text: string): ReadonlyArray<Readonly<Record<string, string>>> => {
  const records = [...text.matchAll(/(?:(?:"(?:[^"]|"")*"|[^",\r\n]*)(?:,|\r\n))+?(?<=\r\n)/g)].map(([record]) =>
    [...record.matchAll(/("(?:[^"]|"")*"|[^",\r\n]*)(?:,|\r\n)/g)].map(([, field = ""]) =>
      field.startsWith('"') ? field.slice(1, -1).replaceAll('""', '"') : field
    )
  )
  const [names = [], ...rows] = records
  return rows.map((fields) => Object.fromEntries(names.map((name, index) => [name, fields[index] ?? ""])))
}

describe("a report as CSV", () => {
  it.effect("has the JSON's names, one record a row, and the currency", () =>
    Effect.gen(function* () {
      const text = yield* collect(CostCsv.workloads({ rows: Stream.make(row()), currency: "EUR" }))
      const [header, record, rest] = text.split("\r\n")
      assert.strictEqual(
        header,
        "id,cluster,namespace,workloadName,workloadType,totalCost,cpuCost,memoryCost,gpuCost,storageCost,networkCost,"
          + "loadBalancerCost,hourlyCost,replicaHours,spotHours,onDemandHours,spotPercent,onDemandPercent,cpuCoreHours,"
          + "memoryByteHours,cpuEfficiency,memoryEfficiency,savingsAvailable,cpuRecommendedMillis,"
          + "memoryRecommendedBytes,recommendationDays,hoursExisted,hoursCovered,currency"
      )
      assert.strictEqual(
        record,
        "prod/shop/Deployment/api,prod,shop,api,Deployment,1.5,1,0.5,0,0,0,0,1.5,1,0,1,0,100,2,1073741824,0.5,0.25,0,"
          + "0,0,0,1,1,EUR"
      )
      assert.strictEqual(rest, "")
    })
  )

  it.effect("lets no name be a formula, a second field or a second record", () =>
    Effect.gen(function* () {
      for (const name of ["=1+1", "+1", "-1", "@SUM(A1)", "\tx", "\rx", 'a"b', "a,b", "a\r\nb", "a\nb", '=a,"b"']) {
        const rows = Stream.make(row({ workloadName: name, totalCost: -2e-9 }))
        const [found, ...more] = read(yield* collect(CostCsv.workloads({ rows, currency: "USD" })))
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
      const { currency, rows } = yield* CostReport.use((report) => report.allWorkloads(asking()))
      const found = read(yield* collect(CostCsv.workloads({ rows, currency })))
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
      const { currency, rows } = yield* CostReport.use((report) => report.allGroups(asked))
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

describe("a report in the columns of FOCUS", () => {
  it.effect("has a record for each part that cost something, in units that FOCUS knows", () =>
    Effect.gen(function* () {
      const window = { start: "2026-02-23T01:00:00.000Z", end: "2026-03-01T00:00:00.000Z" }
      const rows = Stream.make(row())
      const found = read(yield* collect(Focus.workloads({ rows, currency: "USD", window })))
      const picked = found.map((one) => [
        ...[one["ChargeDescription"], one["BilledCost"], one["EffectiveCost"], one["ConsumedQuantity"]],
        ...[one["ConsumedUnit"], one["ServiceCategory"], one["ResourceId"], one["SubAccountId"]]
      ])
      const resource = ["Compute", "prod/shop/Deployment/api", "prod"]
      assert.deepStrictEqual(picked, [
        ["CPU of Deployment api", "1", "1", "2", "Core-Hours", ...resource],
        ["Memory of Deployment api", "0.5", "0.5", "1", "GiB-Hours", ...resource]
      ])
      const [first] = found
      assert.deepStrictEqual(
        [first?.["BillingPeriodStart"], first?.["BillingPeriodEnd"], first?.["ChargePeriodEnd"]],
        ["2026-02-01T00:00:00.000Z", "2026-03-01T00:00:00.000Z", window.end]
      )
    })
  )
})
