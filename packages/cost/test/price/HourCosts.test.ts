import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import type { Hour, RateClass, RateShare, StorageShare } from "../../src/hour/Hour.ts"
import { type Measure, columns, measures } from "../../src/hour/Measure.ts"
import * as PriceBook from "../../src/price/PriceBook.ts"
import { reprice } from "../../src/price/HourCosts.ts"
import { IDLE, MANAGEMENT, type Series, UNMOUNTED } from "../../src/hour/Series.ts"
import { HOUR_SECONDS, KIB_PER_GIB } from "../../src/hour/Units.ts"
import type { PriceOverride } from "../../src/price/PriceOverride.ts"
import { bookOf, cpu, onDemand, prod, spot } from "./samples.ts"

const startMs = Date.parse("2026-03-08T10:00:00Z")
const CORE_HOUR = 1_000 * HOUR_SECONDS
const GIB_HOUR = KIB_PER_GIB * HOUR_SECONDS

interface Entry {
  readonly kind?: string
  readonly name: string
  /** -1 for none. */
  readonly rate: number
  readonly amounts: Partial<Record<Measure, number>>
  readonly shares?: ReadonlyArray<Omit<RateShare, "series">>
  readonly storage?: ReadonlyArray<Omit<StorageShare, "series">>
}

const hourOf = (rates: ReadonlyArray<RateClass>, entries: ReadonlyArray<Entry>): Hour => {
  const values = columns(entries.length)
  for (const [place, { amounts }] of entries.entries()) {
    for (const measure of measures) values[measure][place] = amounts[measure] ?? 0
  }
  return {
    cluster: prod,
    startMs,
    knownSeconds: HOUR_SECONDS,
    series: entries.map(({ kind = "Deployment", name }): Series => {
      const namespace = kind === IDLE || kind === MANAGEMENT ? "" : "shop"
      return { namespace, kind, name, uid: `uid-${name}`, labels: {} }
    }),
    columns: values,
    rates,
    rateOf: Int32Array.from(entries, ({ rate }) => rate),
    shares: entries.flatMap(({ shares = [] }, series) => shares.map((share) => ({ ...share, series }))),
    storage: entries.flatMap(({ storage = [] }, series) => storage.map((share) => ({ ...share, series })))
  }
}

const priced = (hour: Hour, ...overrides: ReadonlyArray<PriceOverride>): Hour =>
  reprice(hour, (subject) => PriceBook.effective(bookOf(...overrides), subject, startMs))
const costOf = (hour: Hour, name: string, measure: Measure): number => {
  const place = hour.series.findIndex((one) => one.name === name)
  return hour.columns[measure][place] ?? Number.NaN
}
const sumOf = (column: Float64Array): number => column.reduce((sum, value) => sum + value, 0)

const allocated = (cores: number, gib: number, gpus = 0) => ({
  cpuAllocatedMilliSeconds: cores * CORE_HOUR,
  memoryAllocatedKibSeconds: gib * GIB_HOUR,
  gpuMilliSeconds: gpus * CORE_HOUR
})
/** A machine of 2 cores and 8 GiB with half a core and 1 GiB allocated on it. */
const simple = hourOf(
  [onDemand],
  [
    { name: "api", rate: 0, amounts: { ...allocated(0.5, 1), existedSeconds: HOUR_SECONDS } },
    { kind: IDLE, name: "node-1", rate: 0, amounts: { ...allocated(1.5, 7), existedSeconds: HOUR_SECONDS } }
  ]
)

describe("an hour's costs", () => {
  it("are its quantities at the rates of their class, and what is left of the node is idle", () => {
    const hour = priced(simple)
    assert.strictEqual(costOf(hour, "api", "cpuCostNanos"), 15_805_500)
    assert.strictEqual(costOf(hour, "api", "memoryCostNanos"), 4_237_000)
    assert.strictEqual(costOf(hour, "node-1", "cpuCostNanos"), 47_416_500)
    assert.strictEqual(costOf(hour, "node-1", "memoryCostNanos"), 29_659_000)
  })

  it("come together to the price of the whole node", () => {
    const hour = priced(simple, { resource: "node", match: { instanceType: "m7i.large" }, nodePerHour: 0.12 })
    assert.strictEqual(sumOf(hour.columns.cpuCostNanos) + sumOf(hour.columns.memoryCostNanos), 120_000_000)
    assert.isAbove(costOf(hour, "api", "cpuCostNanos"), 0)
  })

  it("take the seconds of each machine into account", () => {
    const entries: ReadonlyArray<Entry> = [
      { kind: IDLE, name: "node-1", rate: 0, amounts: { ...allocated(2, 8), existedSeconds: HOUR_SECONDS } },
      { kind: IDLE, name: "node-2", rate: 0, amounts: { ...allocated(0.5, 2), existedSeconds: HOUR_SECONDS / 4 } }
    ]
    const hour = priced(hourOf([onDemand], entries), { resource: "node", match: {}, nodePerHour: 0.12 })
    const costs = ["node-1", "node-2"].map(
      (name) => costOf(hour, name, "cpuCostNanos") + costOf(hour, name, "memoryCostNanos")
    )
    assert.deepStrictEqual(costs, [120_000_000, 30_000_000])
  })

  it("are below nothing on a node with more allocated than it has", () => {
    const hour = priced(
      hourOf(
        [onDemand],
        [
          { name: "api", rate: 0, amounts: allocated(3, 1) },
          { kind: IDLE, name: "node-1", rate: 0, amounts: { ...allocated(-1, 7), existedSeconds: HOUR_SECONDS } }
        ]
      )
    )
    assert.strictEqual(costOf(hour, "node-1", "cpuCostNanos"), -31_611_000)
    assert.strictEqual(sumOf(hour.columns.cpuCostNanos), 2 * 31_611_000)
  })

  it("follow the shares of a series that ran on machines of several classes", () => {
    const shares = [
      { rate: 0, ...allocated(1, 0) },
      { rate: 1, ...allocated(2, 0) }
    ]
    const hour = priced(hourOf([onDemand, spot], [{ name: "api", rate: -1, amounts: allocated(3, 0), shares }]))
    assert.strictEqual(costOf(hour, "api", "cpuCostNanos"), 31_611_000 + 2 * 6_655_000)
  })

  it("are nothing for what ran on no known machine", () => {
    const hour = priced(hourOf([], [{ name: "api", rate: -1, amounts: allocated(1, 1) }]))
    assert.strictEqual(costOf(hour, "api", "cpuCostNanos"), 0)
  })

  it("charge volumes by their class, traffic by where it goes, load balancers, GPUs and the control plane", () => {
    const hour = priced(
      hourOf(
        [onDemand],
        [
          {
            name: "db",
            rate: 0,
            amounts: {
              ...allocated(0, 0, 2),
              storageKibSeconds: 30 * GIB_HOUR,
              zoneEgressKib: KIB_PER_GIB,
              regionEgressKib: 2 * KIB_PER_GIB,
              internetEgressKib: KIB_PER_GIB / 2,
              loadBalancerSeconds: 1_800
            },
            storage: [{ storageClass: "io2", kibSeconds: 10 * GIB_HOUR }]
          },
          { kind: UNMOUNTED, name: "old", rate: -1, amounts: { storageKibSeconds: 100 * GIB_HOUR } },
          { kind: MANAGEMENT, name: "control-plane", rate: -1, amounts: { existedSeconds: 1_800 } }
        ]
      ),
      { resource: "storage", match: { storageClass: "io2" }, storagePerGiBHour: 0.01 }
    )
    assert.strictEqual(costOf(hour, "db", "gpuCostNanos"), 1_900_000_000)
    assert.strictEqual(costOf(hour, "db", "storageCostNanos"), 100_000_000 + 1_095_890)
    assert.strictEqual(costOf(hour, "old", "storageCostNanos"), 5_479_452)
    assert.strictEqual(costOf(hour, "db", "networkCostNanos"), 10_000_000 + 20_000_000 + 71_500_000)
    assert.strictEqual(costOf(hour, "db", "loadBalancerCostNanos"), 12_500_000)
    assert.strictEqual(costOf(hour, "control-plane", "cpuCostNanos"), 50_000_000)
  })

  it("are the same when they are computed again, and leave the quantities alone", () => {
    const once = priced(simple, cpu(2))
    assert.deepStrictEqual(priced(once, cpu(2)), once)
    assert.deepStrictEqual(priced(priced(once, cpu(3)), cpu(2)), once)
    assert.deepStrictEqual(once.columns.cpuAllocatedMilliSeconds, simple.columns.cpuAllocatedMilliSeconds)
    assert.deepStrictEqual(sumOf(simple.columns.cpuCostNanos), 0)
  })

  const Amount = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 5_000_000 }))
  const Workload = Schema.Struct({ cpu: Amount, memory: Amount, rate: Schema.Literals([0, 1]) })
  const Workloads = Schema.Array(Workload).check(Schema.isMaxLength(12))
  const Seed = Schema.Struct({ workloads: Workloads, nodePerHour: Schema.Literals([0.12, 0.333333333333, 7]) })

  /** Two classes of two machines each, with any workloads on them. */
  const fleetOf = (workloads: ReadonlyArray<typeof Workload.Type>): ReadonlyArray<Entry> => [
    ...workloads.map(({ cpu, memory, rate }, index) => ({
      name: `app-${index}`,
      rate,
      amounts: { cpuAllocatedMilliSeconds: cpu, memoryAllocatedKibSeconds: memory * 4_096 }
    })),
    ...[0, 1].flatMap((rate) => {
      const own = workloads.filter((one) => one.rate === rate)
      const used = (part: "cpu" | "memory") => own.reduce((sum, one) => sum + one[part], 0)
      const idle = (name: string, amounts: Entry["amounts"]): Entry => ({ kind: IDLE, name, rate, amounts })
      return [
        idle(`node-${rate}-a`, {
          cpuAllocatedMilliSeconds: 2 * CORE_HOUR - used("cpu"),
          memoryAllocatedKibSeconds: 8 * GIB_HOUR - used("memory") * 4_096,
          existedSeconds: HOUR_SECONDS
        }),
        idle(`node-${rate}-b`, { ...allocated(2, 8), existedSeconds: HOUR_SECONDS })
      ]
    })
  ]

  it.prop("of workloads and idle are those of the machines, whatever runs", [Seed], ([{ nodePerHour, workloads }]) => {
    const hour = hourOf([onDemand, spot], fleetOf(workloads))
    const whole = priced(hour)
    assert.strictEqual(sumOf(whole.columns.cpuCostNanos), 4 * 31_611_000 + 4 * 6_655_000)
    assert.strictEqual(sumOf(whole.columns.memoryCostNanos), 16 * 4_237_000 + 16 * 892_000)
    const { columns } = priced(hour, { resource: "node", match: {}, nodePerHour })
    const sum = sumOf(columns.cpuCostNanos) + sumOf(columns.memoryCostNanos)
    assert.approximately(sum, 4 * nodePerHour * 1e9, 2)
    assert.isTrue([...columns.cpuCostNanos, ...columns.memoryCostNanos].every(Number.isSafeInteger))
  })

  it.prop("do not hang on the order of the series", [Seed], ([{ nodePerHour, workloads }]) => {
    const entries = fleetOf(workloads)
    const book: PriceOverride = { resource: "node", match: {}, nodePerHour }
    const [one, other] = [entries, entries.toReversed()].map((list) => priced(hourOf([onDemand, spot], list), book))
    if (one === undefined || other === undefined) return
    assert.deepStrictEqual(other.columns.cpuCostNanos.toReversed(), one.columns.cpuCostNanos)
    assert.deepStrictEqual(other.columns.memoryCostNanos.toReversed(), one.columns.memoryCostNanos)
  })
})
