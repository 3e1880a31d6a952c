/**
 * Computes the costs of an hour from its quantities, when it is closed and again when its prices change.
 */
import type { Hour, RateClass } from "../hour/Hour.ts"
import { type Columns, record } from "../hour/Measure.ts"
import type { Machine } from "./NodePriceSplit.ts"
import type { Subject } from "./PriceBook.ts"
import * as Rates from "./Rates.ts"
import * as PriceHistory from "./PriceHistory.ts"
import * as RateClasses from "./RateClass.ts"
import { IDLE, MANAGEMENT, keyOf } from "../hour/Series.ts"
import { HOUR_MS, KIB_PER_GIB, SECOND_MS } from "../hour/Units.ts"
import type { Window } from "../hour/Window.ts"

/** The resources that are priced by node class, each with its cost column, its measure and its price. */
const COMPUTE = [
  { cost: "cpuCostNanos", quantity: "cpuAllocatedMilliSeconds", rate: "cpuPicosPerCoreHour", per: Rates.PER_CORE_HOUR },
  {
    cost: "memoryCostNanos",
    quantity: "memoryAllocatedKibSeconds",
    rate: "memoryPicosPerGiBHour",
    per: Rates.PER_GIB_HOUR
  },
  { cost: "gpuCostNanos", quantity: "gpuMilliSeconds", rate: "gpuPicosPerHour", per: Rates.PER_CORE_HOUR }
] as const
type Quantity = (typeof COMPUTE)[number]["quantity"]
type ComputeCost = (typeof COMPUTE)[number]["cost"]

const EGRESS = [
  { quantity: "zoneEgressKib", rate: "zoneEgressPicosPerGiB" },
  { quantity: "regionEgressKib", rate: "regionEgressPicosPerGiB" },
  { quantity: "internetEgressKib", rate: "internetEgressPicosPerGiB" }
] as const

/** The quantities of one series on nodes of one price class. */
interface Part {
  readonly series: number
  readonly quantities: { readonly [Q in Quantity]: number }
}

/**
 * Returns an hour with its cost columns computed.
 *
 * CPU, memory and GPU are priced by the class that the series ran on, or by `shares` if it ran on several. A series without a
 * class costs nothing. Volumes are priced by storage class, egress by destination, load balancers by the second. The fee of the
 * control plane is the CPU cost of its own series, by `existedSeconds`.
 *
 * The cost of an idle series is that of its node's capacity minus the allocation on it. It is negative if more was allocated.
 * The idle series with the lowest key takes the rounding remainder of its class. The costs of a class therefore add up exactly
 * to those of its nodes.
 *
 * If an override prices whole nodes, that price is split over the resources of the class's mean node in the hour. The mean node
 * has all idle and allocated quantities of the class, divided by the seconds that the nodes of the class existed. If the nodes
 * report no capacity, the node price for these seconds becomes the CPU cost of the idle series.
 *
 * **Limits** pure; exact integer arithmetic.
 *
 * **Example**
 *
 * ```ts
 * const rates = PriceHistory.ratesOver(history)
 * reprice(hour, (subject) => rates(subject, { startMs: hour.startMs, endMs: hour.startMs + HOUR_MS }))
 * ```
 */
export const reprice = (hour: Hour, ratesOf: (subject: Subject) => Rates.Rates): Hour => {
  const { cluster } = hour
  const parts = partsOf(hour)
  const costs = compute(
    hour,
    parts,
    hour.rates.map((rateClass, index) =>
      ratesOf({ cluster, rateClass, machine: machineOf(hour, parts[index] ?? [], index) })
    )
  )
  const place = placeOf(hour)
  const around = ratesOf({ cluster, rateClass: place })
  for (const [index, { kind }] of hour.series.entries()) {
    if (kind !== MANAGEMENT) continue
    const seconds = hour.columns.existedSeconds[index] ?? 0
    costs.cpuCostNanos[index] = Rates.costNanos(seconds, around.clusterPicosPerHour, Rates.PER_HOUR)
  }
  const columns: Columns = {
    ...record((measure) => hour.columns[measure]),
    ...costs,
    storageCostNanos: storage(hour, (storageClass) => ratesOf({ cluster, rateClass: place, storageClass })),
    networkCostNanos: network(hour, around),
    loadBalancerCostNanos: hour.columns.loadBalancerSeconds.map((seconds) =>
      Rates.costNanos(seconds, around.loadBalancerPicosPerHour, Rates.PER_HOUR)
    )
  }
  return { ...hour, columns }
}

/** Returns an hour with its costs computed from the mean prices over its observed time. */
export const repriceBy = (history: PriceHistory.PriceHistory, hour: Hour): Hour => {
  const ratesOver = PriceHistory.ratesOver(history)
  const window = windowOf(hour)
  const seen = seenOf(hour)
  return reprice(hour, (subject) => ratesOver(subject, window, seen))
}

export const windowOf = ({ startMs }: Pick<Hour, "startMs">): Window => ({ startMs, endMs: startMs + HOUR_MS })

/** Returns the observed parts of an hour. The whole hour if they are unknown or empty. */
const seenOf = (hour: Hour): ReadonlyArray<Window> => {
  const { seen = [], startMs } = hour
  const instant = (second: number | undefined) => startMs + (second ?? 0) * SECOND_MS
  const windows = seen.flatMap((second, place) =>
    place % 2 === 0 ? [{ startMs: instant(second), endMs: instant(seen[place + 1]) }] : []
  )
  return windows.length === 0 ? [windowOf(hour)] : windows
}

/** Returns the provider and region of a cluster, for costs outside nodes: those of its first class with a provider. */
const placeOf = ({ rates }: Hour): RateClass => {
  const { provider, region } = rates.find((rateClass) => rateClass.provider !== "") ?? RateClasses.unknown
  return { ...RateClasses.unknown, provider, region }
}

/** Groups the allocated quantities by price class. */
const partsOf = ({ columns, rateOf, rates, series, shares }: Hour): ReadonlyArray<ReadonlyArray<Part>> => {
  const parts = rates.map((): Array<Part> => [])
  const shared = new Set(shares.map((share) => share.series))
  for (const share of shares) parts[share.rate]?.push({ series: share.series, quantities: share })
  for (let index = 0; index < series.length; index++) {
    if (shared.has(index)) continue
    parts[rateOf[index] ?? -1]?.push({
      series: index,
      quantities: {
        cpuAllocatedMilliSeconds: columns.cpuAllocatedMilliSeconds[index] ?? 0,
        memoryAllocatedKibSeconds: columns.memoryAllocatedKibSeconds[index] ?? 0,
        gpuMilliSeconds: columns.gpuMilliSeconds[index] ?? 0
      }
    })
  }
  return parts
}

const sumOf = (parts: ReadonlyArray<Part>, quantity: Quantity): number =>
  parts.reduce((sum, { quantities }) => sum + quantities[quantity], 0)

/** Returns the mean node of a class: total capacity divided by the total time that its nodes existed. */
const machineOf = (
  { columns, rateOf, series }: Hour,
  parts: ReadonlyArray<Part>,
  rate: number
): Machine | undefined => {
  const seconds = series.reduce(
    (sum, { kind }, index) =>
      kind === IDLE && rateOf[index] === rate ? sum + (columns.existedSeconds[index] ?? 0) : sum,
    0
  )
  if (seconds === 0) return undefined
  return {
    cores: sumOf(parts, "cpuAllocatedMilliSeconds") / 1_000 / seconds,
    memoryGib: sumOf(parts, "memoryAllocatedKibSeconds") / KIB_PER_GIB / seconds,
    gpus: sumOf(parts, "gpuMilliSeconds") / 1_000 / seconds
  }
}

const compute = (
  hour: Hour,
  classes: ReadonlyArray<ReadonlyArray<Part>>,
  rates: ReadonlyArray<Rates.Rates>
): Record<ComputeCost, Float64Array> => {
  const size = hour.series.length
  const costs = {
    cpuCostNanos: new Float64Array(size),
    memoryCostNanos: new Float64Array(size),
    gpuCostNanos: new Float64Array(size)
  }
  for (const [index, parts] of classes.entries()) {
    const remainder = firstIdle(hour, parts)
    for (const { cost, per, quantity, rate } of COMPUTE) {
      const picos = rates[index]?.[rate] ?? 0
      const column = costs[cost]
      let charged = 0
      for (const { quantities, series } of parts) {
        const nanos = Rates.costNanos(quantities[quantity], picos, per)
        column[series] = (column[series] ?? 0) + nanos
        charged += nanos
      }
      if (remainder === undefined) continue
      const whole = Rates.costNanos(sumOf(parts, quantity), picos, per)
      column[remainder] = (column[remainder] ?? 0) + whole - charged
    }
    const nodePicos = rates[index]?.nodePicosPerHour ?? 0
    for (const { series } of nodePicos === 0 ? [] : parts) {
      if (hour.series[series]?.kind !== IDLE) continue
      const seconds = hour.columns.existedSeconds[series] ?? 0
      costs.cpuCostNanos[series] =
        (costs.cpuCostNanos[series] ?? 0) + Rates.costNanos(seconds, nodePicos, Rates.PER_HOUR)
    }
  }
  return costs
}

/** Returns the idle series with the lowest key, so that the result does not depend on the order of series. */
const firstIdle = ({ series }: Hour, parts: ReadonlyArray<Part>): number | undefined => {
  const keyed = parts.flatMap((part) => {
    const owner = series[part.series]
    return owner?.kind === IDLE ? [{ place: part.series, key: keyOf(owner) }] : []
  })
  return keyed.toSorted((a, b) => (a.key < b.key ? -1 : 1))[0]?.place
}

const network = ({ columns, series }: Hour, rates: Rates.Rates): Float64Array =>
  Float64Array.from(series, (_, index) =>
    EGRESS.reduce(
      (sum, { quantity, rate }) => sum + Rates.costNanos(columns[quantity][index] ?? 0, rates[rate], Rates.PER_GIB),
      0
    )
  )

/** Computes the costs of volumes. The quantity that `storage` does not list has no storage class. */
const storage = ({ columns, storage = [] }: Hour, ratesOf: (storageClass: string) => Rates.Rates): Float64Array => {
  const picosOf = new Map<string, number>()
  const charge = (storageClass: string, kibSeconds: number): number => {
    const picos = picosOf.get(storageClass) ?? ratesOf(storageClass).storagePicosPerGiBHour
    picosOf.set(storageClass, picos)
    return Rates.costNanos(kibSeconds, picos, Rates.PER_GIB_HOUR)
  }
  const left = columns.storageKibSeconds.slice()
  const costs = new Float64Array(left.length)
  for (const { kibSeconds, series, storageClass } of storage) {
    costs[series] = (costs[series] ?? 0) + charge(storageClass, kibSeconds)
    left[series] = (left[series] ?? 0) - kibSeconds
  }
  return costs.map((cost, index) => cost + charge("", left[index] ?? 0))
}
