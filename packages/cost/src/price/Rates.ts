/**
 * Prices as integers, and the exact cost of a quantity.
 */
import { HOUR_SECONDS, KIB_PER_GIB, NANOS_PER_UNIT } from "../hour/Units.ts"

/**
 * The prices of one price class and of the cluster around it.
 *
 * **Units** whole trillionths (10^-12) of the price book's currency: per core-hour, GiB-hour and GPU-hour; per GiB-hour of a
 * volume; per GiB of egress by destination; per hour of a load balancer and of a control plane. `nodePicosPerHour` is 0 unless
 * an override prices the whole node, and the node has no capacity to split that price over.
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

/** Creates rates from a function that returns each field's value. */
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

/** Converts a price to picos, rounded to twelve decimals. */
export const picosOf = (price: number): number => Math.round(price * PICOS_PER_UNIT)

/** Converts picos to a price. */
export const priceOf = (picos: number): number => picos / PICOS_PER_UNIT

/** Units of a measure per unit of its price: a core-hour is 3.6 million millicore-seconds. */
export const PER_CORE_HOUR = 1_000 * HOUR_SECONDS
export const PER_GIB_HOUR = KIB_PER_GIB * HOUR_SECONDS
export const PER_GIB = KIB_PER_GIB
export const PER_HOUR = HOUR_SECONDS

/**
 * Returns the cost of a quantity. **Units** billionths of the price book's currency.
 *
 * **Shape** `quantity` is an integer in the unit of a measure; `per` of these units cost `picos`. The result is exact and
 * rounded once, half away from zero. A negative quantity has a negative cost.
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

/** Upper bound of the floating-point error. Only a result whose fraction is this close to one half is computed exactly. */
const RELATIVE_ERROR = 2 ** -50

const exactly = (quantity: number, picos: number, divisor: number): number =>
  Number((2n * BigInt(quantity) * BigInt(picos) + BigInt(divisor)) / (2n * BigInt(divisor)))

/** Returns the time-weighted mean of rates. **Shape** `ms` is how long each rate applied, in whole milliseconds. */
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
