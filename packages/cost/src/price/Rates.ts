/**
 * Prices in exact terms, and the cost of a quantity at one of them.
 */
import { HOUR_SECONDS, KIB_PER_GIB, NANOS_PER_UNIT } from "../hour/Units.ts"

/**
 * What one price class, and the cluster around it, cost.
 *
 * **Units** trillionths (10^-12) of the book's currency, in whole numbers: for a core, a GiB or a GPU for an
 * hour; a machine for an hour, where it has nothing that its price could be split over, else 0; a GiB of a volume for an
 * hour; a GiB of traffic by where it goes; a load balancer and a control plane for an hour.
 */
export interface Rates {
  readonly cpuPicosPerCoreHour: number
  readonly memoryPicosPerGiBHour: number
  readonly gpuPicosPerHour: number
  readonly nodePicosPerHour: number
  readonly storagePicosPerGiBHour: number
  readonly zoneEgressPicosPerGiB: number
  readonly regionEgressPicosPerGiB: number
  readonly internetEgressPicosPerGiB: number
  readonly loadBalancerPicosPerHour: number
  readonly clusterPicosPerHour: number
}

/** Makes rates from one value a field. */
export const make = (value: (field: keyof Rates) => number): Rates => ({
  cpuPicosPerCoreHour: value("cpuPicosPerCoreHour"),
  memoryPicosPerGiBHour: value("memoryPicosPerGiBHour"),
  gpuPicosPerHour: value("gpuPicosPerHour"),
  nodePicosPerHour: value("nodePicosPerHour"),
  storagePicosPerGiBHour: value("storagePicosPerGiBHour"),
  zoneEgressPicosPerGiB: value("zoneEgressPicosPerGiB"),
  regionEgressPicosPerGiB: value("regionEgressPicosPerGiB"),
  internetEgressPicosPerGiB: value("internetEgressPicosPerGiB"),
  loadBalancerPicosPerHour: value("loadBalancerPicosPerHour"),
  clusterPicosPerHour: value("clusterPicosPerHour")
})

const PICOS_PER_UNIT = 1_000_000_000_000
const PICOS_PER_NANO = PICOS_PER_UNIT / NANOS_PER_UNIT

/** Counts a price in picos. Beyond twelve decimals it is rounded. */
export const picosOf = (price: number): number => Math.round(price * PICOS_PER_UNIT)

/** Gives the price that picos stand for, as a person writes it. */
export const priceOf = (picos: number): number => picos / PICOS_PER_UNIT

/** How many of a measure's own units make one of its price's: 3.6 million thousandths of a core, seconds long, a core-hour. */
export const PER_CORE_HOUR = 1_000 * HOUR_SECONDS
export const PER_GIB_HOUR = KIB_PER_GIB * HOUR_SECONDS
export const PER_GIB = KIB_PER_GIB
export const PER_HOUR = HOUR_SECONDS

/**
 * Gives what a quantity costs. **Units** billionths of the book's currency.
 *
 * **Shape** `quantity` is a whole number of a measure's unit, and `per` of them cost `picos`; computed exactly and rounded
 * once, halves away from zero. A negative quantity costs as much less.
 *
 * **Limits** exact up to 2^53 billionths.
 *
 * **Example**
 *
 * ```ts
 * costNanos(3_600_000, picosOf(0.031611), PER_CORE_HOUR) // 31_611_000
 * ```
 */
export const costNanos = (quantity: number, picos: number, per: number): number => {
  const divisor = per * PICOS_PER_NANO
  const size = (Math.abs(quantity) * picos) / divisor
  const isClear = Math.abs(size - Math.floor(size) - 0.5) > size * RELATIVE_ERROR
  const nanos = isClear ? Math.round(size) : exactly(Math.abs(quantity), picos, divisor)
  return quantity < 0 && nanos !== 0 ? -nanos : nanos
}

/** More than a product and a quotient of doubles are off, so that far from a half the rounded quotient is the right one. */
const RELATIVE_ERROR = 2 ** -50

const exactly = (quantity: number, picos: number, divisor: number): number =>
  Number((2n * BigInt(quantity) * BigInt(picos) + BigInt(divisor)) / (2n * BigInt(divisor)))

/**
 * Gives the mean of rates that held one after the other. **Shape** each with how long it held, in whole milliseconds.
 */
export const mean = (parts: ReadonlyArray<{ readonly rates: Rates; readonly ms: number }>): Rates => {
  const [only] = parts
  if (only !== undefined && parts.length === 1) return only.rates
  const total = parts.reduce((sum, { ms }) => sum + BigInt(ms), 0n)
  if (total === 0n) return make(() => 0)
  return make((field) => {
    const sum = parts.reduce((sum, { ms, rates }) => sum + BigInt(rates[field]) * BigInt(ms), 0n)
    return Number((sum + total / 2n) / total)
  })
}
