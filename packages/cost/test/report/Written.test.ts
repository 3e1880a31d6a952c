import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import * as CostCsv from "../../src/report/CostCsv.ts"
import type { BilledRow } from "../../src/report/CostRow.ts"
import * as Focus from "../../src/report/Focus.ts"
import { IDLE } from "../../src/hour/Series.ts"
import { GIB_BYTES, HOUR_MS } from "../../src/hour/Units.ts"
import { hour, prod, series, stage } from "../store/samples.ts"
import { allGroups, allWorkloads, asking, closing, getWorkloads, grouping, monday, reporting } from "./reporting.ts"

const row = (rest: Partial<BilledRow> = {}): BilledRow => ({
  ...{ id: "prod/shop/Deployment/api", cluster: prod, namespace: "shop", workloadName: "api" },
  ...{ workloadType: "Deployment", totalCost: 1.5, cpuCost: 1, memoryCost: 0.5, gpuCost: 0, storageCost: 0 },
  ...{ networkCost: 0, loadBalancerCost: 0, hourlyCost: 1.5, replicaHours: 1, spotHours: 0, onDemandHours: 1 },
  ...{ spotPercent: 0, onDemandPercent: 100, cpuCoreHours: 2, memoryByteHours: 1_073_741_824 },
  ...{ cpuRequestedCoreHours: 2, cpuUsedCoreHours: 1, memoryRequestedByteHours: 8, memoryUsedByteHours: 2 },
  ...{ cpuEfficiency: 0.5, memoryEfficiency: 0.25, efficiency: 0.4, savingsAvailable: 0, cpuRecommendedMillis: 0 },
  ...{ memoryRecommendedBytes: 0, recommendationDays: 0, hoursExisted: 1, hoursCovered: 1 },
  ...{ gpuHours: 0, storageByteHours: 0, egressBytes: 0, loadBalancerHours: 0 },
  ...rest
})

const clusters = [{ name: prod, hoursCovered: 162.5, hoursInWindow: 168 }]

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
      const text = yield* collect(CostCsv.workloads({ rows: Stream.make(row()), clusters, currency: "EUR" }))
      const [header, record, rest] = text.split("\r\n")
      assert.strictEqual(
        header,
        "id,cluster,namespace,workloadName,workloadType,totalCost,cpuCost,memoryCost,gpuCost,storageCost,networkCost,"
          + "loadBalancerCost,hourlyCost,replicaHours,spotHours,onDemandHours,spotPercent,onDemandPercent,cpuCoreHours,"
          + "memoryByteHours,cpuRequestedCoreHours,cpuUsedCoreHours,memoryRequestedByteHours,memoryUsedByteHours,"
          + "cpuEfficiency,memoryEfficiency,efficiency,savingsAvailable,cpuRecommendedMillis,"
          + "memoryRecommendedBytes,recommendationDays,hoursExisted,hoursCovered,clusterHoursCovered,clusterHoursInWindow,currency"
      )
      assert.strictEqual(
        record,
        "prod/shop/Deployment/api,prod,shop,api,Deployment,1.5,1,0.5,0,0,0,0,1.5,1,0,1,0,100,2,1073741824,2,1,8,2,0.5,0.25,0.4,0,"
          + "0,0,0,1,1,162.5,168,EUR"
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
      const focus = yield* collect(Focus.workloads({ ...report, rows: report.billed }))
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

/** Something of every part. */
const everything = row({
  ...{ totalCost: 6, gpuCost: 1, storageCost: 1, networkCost: 1, loadBalancerCost: 1.5, memoryCost: 0.5 },
  ...{ gpuHours: 3, storageByteHours: 4 * GIB_BYTES, egressBytes: GIB_BYTES / 2, loadBalancerHours: 0.5 }
})

const billed = (rows: ReadonlyArray<BilledRow>, end = "2026-03-01T00:00:00.000Z") =>
  Effect.map(
    collect(
      Focus.workloads({
        ...{ rows: Stream.fromIterable(rows), clusters, currency: "USD" },
        window: { start: "2026-02-23T01:00:00.000Z", end }
      })
    ),
    read
  )

/**
 * What FOCUS 1.2 asks of the columns that are written: those that it requires of every dataset, and the values and nulls
 * that it allows in a charge of usage that corrects nothing.
 */
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/
const DECIMAL = /^-?\d+(?:\.\d+)?$/
const UNIT = /^(?:[A-Z][A-Za-z]*-)?(?:Hours|GiB)$/
const TEXT = /\S/
const REQUIRED: Readonly<Record<string, RegExp>> = {
  ...{ BilledCost: DECIMAL, ContractedCost: DECIMAL, EffectiveCost: DECIMAL, ListCost: DECIMAL },
  ...{ BillingAccountId: TEXT, BillingAccountName: TEXT, BillingCurrency: /^[A-Z]{3}$/ },
  ...{ BillingPeriodEnd: INSTANT, BillingPeriodStart: INSTANT, ChargePeriodEnd: INSTANT, ChargePeriodStart: INSTANT },
  ...{ ChargeCategory: /^(?:Usage|Purchase|Tax|Credit|Adjustment)$/, ChargeClass: /^(?:Correction)?$/ },
  ...{ ChargeDescription: TEXT, InvoiceIssuerName: TEXT, ProviderName: TEXT, PublisherName: TEXT },
  ...{ PricingQuantity: DECIMAL, PricingUnit: UNIT, ServiceCategory: /^(?:Compute|Networking|Storage)$/ },
  ServiceName: TEXT
}
const CONDITIONAL: Readonly<Record<string, RegExp>> = {
  ...{ ChargeFrequency: /^(?:One-Time|Recurring|Usage-Based)$/, ConsumedQuantity: DECIMAL, ConsumedUnit: UNIT },
  ...{ PricingCategory: /^(?:Standard|Dynamic|Committed|Other)$/ },
  ...{ ResourceId: TEXT, ResourceName: TEXT, ResourceType: TEXT, SubAccountId: TEXT, SubAccountName: TEXT },
  ServiceSubcategory: /^(?:Containers|Application Networking|Network Connectivity|Block Storage)$/
}

describe("a report in the columns of FOCUS", () => {
  it.effect("has a record for each part that cost something, in units that FOCUS knows", () =>
    Effect.gen(function* () {
      const found = yield* billed([row()])
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
        ["2026-02-01T00:00:00Z", "2026-03-01T00:00:00Z", "2026-03-01T00:00:00Z"]
      )
    })
  )

  it.effect("tells of every charge how much was consumed and priced, as charges of usage must", () =>
    Effect.gen(function* () {
      const found = yield* billed([everything])
      assert.deepStrictEqual(
        found.map((one) => [one["ServiceSubcategory"], one["PricingQuantity"], one["PricingUnit"]]),
        [
          ["Containers", "2", "Core-Hours"],
          ["Containers", "1", "GiB-Hours"],
          ["Containers", "3", "GPU-Hours"],
          ["Block Storage", "4", "GiB-Hours"],
          ["Network Connectivity", "0.5", "GiB"],
          ["Application Networking", "0.5", "Hours"]
        ]
      )
      for (const one of found) {
        assert.strictEqual(one["ConsumedQuantity"], one["PricingQuantity"])
        assert.strictEqual(one["ConsumedUnit"], one["PricingUnit"])
      }
    })
  )

  it.effect("has the columns that FOCUS 1.2 requires, in its order of names, with values that it allows", () =>
    Effect.gen(function* () {
      const found = yield* billed([everything], "2026-02-28T17:21:56.545Z")
      const rules = { ...REQUIRED, ...CONDITIONAL }
      for (const one of found) {
        assert.deepStrictEqual(
          Object.keys(one).filter((name) => !name.startsWith("x_")),
          Object.keys(rules).toSorted()
        )
        for (const [name, rule] of Object.entries(rules)) assert.match(one[name] ?? "none", rule, name)
      }
      assert.strictEqual(found[0]?.["ChargePeriodEnd"], "2026-02-28T17:21:56Z")
    })
  )

  it.effect("says of spot machines that their price may change, and of both kinds that it is neither", () =>
    Effect.gen(function* () {
      const pricing = (spotHours: number, onDemandHours: number) =>
        Effect.map(billed([{ ...everything, spotHours, onDemandHours }]), (found) =>
          found.map((one) => one["PricingCategory"])
        )
      const others = ["Standard", "Standard", "Standard"]
      assert.deepStrictEqual(yield* pricing(0, 2), ["Standard", "Standard", "Standard", ...others])
      assert.deepStrictEqual(yield* pricing(2, 0), ["Dynamic", "Dynamic", "Dynamic", ...others])
      assert.deepStrictEqual(yield* pricing(1, 1), ["Other", "Other", "Other", ...others])
    })
  )

  it.effect("has the quantities of the report's rows, whatever was recreated under a name", () =>
    Effect.gen(function* () {
      const amounts = { gpuMilliSeconds: 7_200_000, storageKibSeconds: 3_600 * 1_048_576, loadBalancerSeconds: 1_800 }
      const sent = { zoneEgressKib: 1, regionEgressKib: 2, internetEgressKib: 4 }
      yield* closing([
        hour(monday, [
          [series("api"), { cpuCostNanos: 5, ...amounts }],
          [series("api", { uid: "again" }), { cpuCostNanos: 6, ...amounts, ...sent }],
          [series("db"), { cpuCostNanos: 1, ...sent }]
        ])
      ])
      const { billed, rows } = yield* allWorkloads(asking())
      const [plain, found] = [yield* Stream.runCollect(rows), yield* Stream.runCollect(billed)]
      assert.deepStrictEqual(
        found.map(({ egressBytes, gpuHours, loadBalancerHours, storageByteHours, workloadName }) => [
          ...[workloadName, gpuHours, storageByteHours, egressBytes, loadBalancerHours]
        ]),
        [
          ["api", 4, 2 * GIB_BYTES, 7 * 1_024, 1],
          ["db", 0, 0, 7 * 1_024, 0]
        ]
      )
      assert.deepStrictEqual(
        found.map((one) => ({ ...one, egressBytes: 0, gpuHours: 0, loadBalancerHours: 0, storageByteHours: 0 })),
        plain.map((one) => ({ ...one, egressBytes: 0, gpuHours: 0, loadBalancerHours: 0, storageByteHours: 0 }))
      )
    }).pipe(Effect.provide(reporting()))
  )
})
