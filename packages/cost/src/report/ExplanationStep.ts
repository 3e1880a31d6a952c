/**
 * Builds one step of an explanation: quantities, mean prices, costs.
 */
import type { ExplainedStep, MeanPrices, Quantities } from "./Explanation.ts"
import type { Measure } from "../hour/Measure.ts"
import { GIB_BYTES, HOUR_SECONDS, KIB_BYTES, KIB_PER_GIB, NANOS_PER_UNIT } from "../hour/Units.ts"
import * as GroupTotals from "./GroupTotals.ts"

type At = (measure: Measure) => number

/** Builds a step from a table with one bin. */
export const stepOf = (
  { columns }: GroupTotals.Table,
  when: Pick<ExplainedStep, "start" | "end" | "open" | "priceChange">
): ExplainedStep => {
  const at: At = (measure) => columns[measure][0] ?? 0
  const quantities = quantitiesOf(at)
  return {
    ...when,
    source: sourceOf(at),
    quantities,
    prices: pricesOf(at, quantities),
    ...GroupTotals.costsAt(columns, 0)
  }
}

const sourceOf = (at: At): ExplainedStep["source"] => {
  const covered = at("coveredSeconds")
  if (covered === 0) return "requests"
  return covered < at("existedSeconds") ? "partial" : "usage"
}

const quantitiesOf = (at: At): Quantities => ({
  cpuCoreHours: GroupTotals.coreHours(at("cpuAllocatedMilliSeconds")),
  memoryByteHours: GroupTotals.byteHours(at("memoryAllocatedKibSeconds")),
  gpuHours: GroupTotals.coreHours(at("gpuMilliSeconds")),
  storageByteHours: GroupTotals.byteHours(at("storageKibSeconds")),
  zoneEgressBytes: at("zoneEgressKib") * KIB_BYTES,
  regionEgressBytes: at("regionEgressKib") * KIB_BYTES,
  internetEgressBytes: at("internetEgressKib") * KIB_BYTES,
  loadBalancerHours: at("loadBalancerSeconds") / HOUR_SECONDS,
  cpuUsedCoreHours: GroupTotals.coreHours(at("cpuUsedMilliSeconds")),
  memoryUsedByteHours: GroupTotals.byteHours(at("memoryUsedKibSeconds")),
  cpuRequestedCoreHours: GroupTotals.coreHours(at("cpuRequestedKnownMilliSeconds")),
  memoryRequestedByteHours: GroupTotals.byteHours(at("memoryRequestedKnownKibSeconds")),
  replicaHours: at("replicaSeconds") / HOUR_SECONDS,
  spotHours: at("spotSeconds") / HOUR_SECONDS,
  hoursExisted: at("existedSeconds") / HOUR_SECONDS,
  hoursCovered: at("coveredSeconds") / HOUR_SECONDS
})

const pricesOf = (at: At, quantities: Quantities): MeanPrices => {
  const egressGib = (at("zoneEgressKib") + at("regionEgressKib") + at("internetEgressKib")) / KIB_PER_GIB
  return {
    ...priced("cpuPerCoreHour", at("cpuCostNanos"), quantities.cpuCoreHours),
    ...priced("memoryPerGiBHour", at("memoryCostNanos"), quantities.memoryByteHours / GIB_BYTES),
    ...priced("gpuPerHour", at("gpuCostNanos"), quantities.gpuHours),
    ...priced("storagePerGiBHour", at("storageCostNanos"), quantities.storageByteHours / GIB_BYTES),
    ...priced("egressPerGiB", at("networkCostNanos"), egressGib),
    ...priced("loadBalancerPerHour", at("loadBalancerCostNanos"), quantities.loadBalancerHours)
  }
}

const priced = (name: keyof MeanPrices, costNanos: number, quantity: number): MeanPrices =>
  quantity === 0 ? {} : { [name]: costNanos / NANOS_PER_UNIT / quantity }
