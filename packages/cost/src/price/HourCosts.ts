/**
 * Computes the costs of an hour from its quantities: when it is closed, and again when a price of it changes.
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

/** What is charged by the class of the machine: its column of costs, the measure behind it, and their price. */
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

/** What one series had on machines of one class. */
interface Part {
  readonly series: number
  readonly quantities: { readonly [Q in Quantity]: number }
}

/**
 * Gives an hour its costs.
 *
 * Everything but the six columns of costs stays, whatever stood in those. CPU, memory and GPU are charged by
 * the class that the series ran on, by `shares` where there were several; nothing where there was none. Volumes are charged by
 * their storage class, traffic by where it went, load balancers by the second. The control plane's fee is the CPU cost of
 * its own series, by its `existedSeconds`.
 *
 * An idle series is charged like a workload, for what its node has less what is allocated on it, so it is negative where
 * more is allocated than there is. The first idle series of a class (by its key) carries what rounding left over: the
 * costs of a class add up, to the last billionth, to what its machines cost.
 *
 * Where a book has the price of a whole node, it is split by the mean machine of the class in that hour: all that the
 * class has (idle and allocated), over the seconds that its nodes existed. Where that is nothing at all (a node that tells no
 * capacity), the price is the CPU cost of the idle series, by the same seconds.
 *
 * **Limits** pure; exact in whole numbers; some 25 ms for 10,000 series.
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

/** Gives an hour the costs that it has by the mean of a history's prices over what was seen of it. */
export const repriceBy = (history: PriceHistory.PriceHistory, hour: Hour): Hour => {
  const ratesOver = PriceHistory.ratesOver(history)
  const window = windowOf(hour)
  const seen = seenOf(hour)
  return reprice(hour, (subject) => ratesOver(subject, window, seen))
}

/** The time of an hour. */
export const windowOf = ({ startMs }: Pick<Hour, "startMs">): Window => ({ startMs, endMs: startMs + HOUR_MS })

/** The whole hour where nothing tells, or nothing was seen. */
const seenOf = (hour: Hour): ReadonlyArray<Window> => {
  const { seen = [], startMs } = hour
  const instant = (second: number | undefined) => startMs + (second ?? 0) * SECOND_MS
  const windows = seen.flatMap((second, place) =>
    place % 2 === 0 ? [{ startMs: instant(second), endMs: instant(seen[place + 1]) }] : []
  )
  return windows.length === 0 ? [windowOf(hour)] : windows
}

/** Where a cluster is, for what belongs to no machine: the place of its first class that tells. */
const placeOf = ({ rates }: Hour): RateClass => {
  const { provider, region } = rates.find((one) => one.provider !== "") ?? RateClasses.unknown
  return { ...RateClasses.unknown, provider, region }
}

/** Sorts what was allocated by class. */
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

/** The mean machine of a class: what all of its machines have, over how long there was one. */
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

/** The same one whatever the order of the series. */
const firstIdle = ({ series }: Hour, parts: ReadonlyArray<Part>): number | undefined => {
  const keyed = parts.flatMap((part) => {
    const one = series[part.series]
    return one?.kind === IDLE ? [{ place: part.series, key: keyOf(one) }] : []
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

/** What no share tells the class of is charged as of none. */
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
