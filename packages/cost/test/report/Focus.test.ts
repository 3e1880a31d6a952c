import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import type { BilledRow } from "../../src/report/CostRow.ts"
import * as Focus from "../../src/report/Focus.ts"
import { GIB_BYTES } from "../../src/hour/Units.ts"
import { hour, series } from "../store/samples.ts"
import { clusters, collect, read, row } from "./written.ts"
import { allWorkloads, asking, closing, monday, reporting } from "./reporting.ts"

/** Something of every part. */
const everything = row({
  totalCost: 6,
  gpuCost: 1,
  storageCost: 1,
  networkCost: 1,
  loadBalancerCost: 1.5,
  memoryCost: 0.5,
  gpuHours: 3,
  storageByteHours: 4 * GIB_BYTES,
  egressBytes: GIB_BYTES / 2,
  loadBalancerHours: 0.5
})

const billed = (rows: ReadonlyArray<BilledRow>, end = "2026-03-01T00:00:00.000Z") => {
  const month = { clusters, window: { start: "2026-02-23T01:00:00.000Z", end } }
  return Effect.map(
    collect(
      Focus.workloads({
        currency: "USD",
        rows: Stream.fromIterable(rows).pipe(Stream.map((row) => ({ month, row })))
      })
    ),
    read
  )
}

/**
 * The requirements of FOCUS 1.2 for the written columns: those mandatory in every dataset, and the values and nulls
 * allowed in a usage charge that is no correction.
 */
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/
const DECIMAL = /^-?\d+(?:\.\d+)?$/
const UNIT = /^(?:[A-Z][A-Za-z]*-)?(?:Hours|GiB)$/
const TEXT = /\S/
const REQUIRED: Readonly<Record<string, RegExp>> = {
  BilledCost: DECIMAL,
  ContractedCost: DECIMAL,
  EffectiveCost: DECIMAL,
  ListCost: DECIMAL,
  BillingAccountId: TEXT,
  BillingAccountName: TEXT,
  BillingCurrency: /^[A-Z]{3}$/,
  BillingPeriodEnd: INSTANT,
  BillingPeriodStart: INSTANT,
  ChargePeriodEnd: INSTANT,
  ChargePeriodStart: INSTANT,
  ChargeCategory: /^(?:Usage|Purchase|Tax|Credit|Adjustment)$/,
  ChargeClass: /^(?:Correction)?$/,
  ChargeDescription: TEXT,
  InvoiceId: /^$/,
  InvoiceIssuerName: TEXT,
  ProviderName: TEXT,
  PublisherName: TEXT,
  PricingQuantity: DECIMAL,
  PricingUnit: UNIT,
  ServiceCategory: /^(?:Compute|Networking|Storage)$/,
  ServiceName: TEXT
}
const CONDITIONAL: Readonly<Record<string, RegExp>> = {
  ChargeFrequency: /^(?:One-Time|Recurring|Usage-Based)$/,
  ConsumedQuantity: DECIMAL,
  ConsumedUnit: UNIT,
  PricingCategory: /^(?:Standard|Dynamic|Committed|Other)$/,
  ResourceId: TEXT,
  ResourceName: TEXT,
  ResourceType: TEXT,
  SubAccountId: TEXT,
  SubAccountName: TEXT,
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

  it.effect("gives each service one category and one subcategory", () =>
    Effect.gen(function* () {
      const found = yield* billed([everything])
      assert.deepStrictEqual(
        found.map((one) => [one["ServiceName"], one["ServiceCategory"], one["ServiceSubcategory"]]),
        [
          ["Kubernetes Containers", "Compute", "Containers"],
          ["Kubernetes Containers", "Compute", "Containers"],
          ["Kubernetes Containers", "Compute", "Containers"],
          ["Kubernetes Volumes", "Storage", "Block Storage"],
          ["Kubernetes Network Traffic", "Networking", "Network Connectivity"],
          ["Kubernetes Load Balancers", "Networking", "Application Networking"]
        ]
      )
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
      const plain = yield* Stream.runCollect(rows)
      const found = (yield* Stream.runCollect(billed)).map(({ row }) => row)
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
