/**
 * The measures of a series in an hour: costs, quantities, and times.
 */

/**
 * The measures, in the order of their columns.
 *
 * **Shape** all are additive whole numbers. Sums of hours and differences of running sums are exact up to 2^53.
 *
 * **Units** costs in billionths of the price book's currency; CPU in millicore-seconds, GPU in milli-GPU-seconds; memory and
 * volumes in KiB-seconds; egress in KiB; the rest in seconds. `replicaSeconds` counts every running pod. `existedSeconds` is
 * the time with at least one pod, `coveredSeconds` its part with known usage. Used quantities and `…RequestedKnown…` cover only
 * the time in which a container's usage was known, so that they are comparable.
 */
export const measures = [
  "cpuCostNanos",
  "memoryCostNanos",
  "gpuCostNanos",
  "storageCostNanos",
  "networkCostNanos",
  "loadBalancerCostNanos",
  "replicaSeconds",
  "spotSeconds",
  "cpuAllocatedMilliSeconds",
  "memoryAllocatedKibSeconds",
  "cpuUsedMilliSeconds",
  "memoryUsedKibSeconds",
  "cpuRequestedMilliSeconds",
  "memoryRequestedKibSeconds",
  "gpuMilliSeconds",
  "storageKibSeconds",
  "zoneEgressKib",
  "regionEgressKib",
  "internetEgressKib",
  "loadBalancerSeconds",
  "existedSeconds",
  "coveredSeconds",
  "cpuRequestedKnownMilliSeconds",
  "memoryRequestedKnownKibSeconds"
] as const

export type Measure = (typeof measures)[number]

/** One column per measure, with one value per series. */
export type Columns = { readonly [M in Measure]: Float64Array }

/** Creates a record with one value per measure. */
export const record = <A>(value: (measure: Measure, place: number) => A): { readonly [M in Measure]: A } => ({
  cpuCostNanos: value("cpuCostNanos", 0),
  memoryCostNanos: value("memoryCostNanos", 1),
  gpuCostNanos: value("gpuCostNanos", 2),
  storageCostNanos: value("storageCostNanos", 3),
  networkCostNanos: value("networkCostNanos", 4),
  loadBalancerCostNanos: value("loadBalancerCostNanos", 5),
  replicaSeconds: value("replicaSeconds", 6),
  spotSeconds: value("spotSeconds", 7),
  cpuAllocatedMilliSeconds: value("cpuAllocatedMilliSeconds", 8),
  memoryAllocatedKibSeconds: value("memoryAllocatedKibSeconds", 9),
  cpuUsedMilliSeconds: value("cpuUsedMilliSeconds", 10),
  memoryUsedKibSeconds: value("memoryUsedKibSeconds", 11),
  cpuRequestedMilliSeconds: value("cpuRequestedMilliSeconds", 12),
  memoryRequestedKibSeconds: value("memoryRequestedKibSeconds", 13),
  gpuMilliSeconds: value("gpuMilliSeconds", 14),
  storageKibSeconds: value("storageKibSeconds", 15),
  zoneEgressKib: value("zoneEgressKib", 16),
  regionEgressKib: value("regionEgressKib", 17),
  internetEgressKib: value("internetEgressKib", 18),
  loadBalancerSeconds: value("loadBalancerSeconds", 19),
  existedSeconds: value("existedSeconds", 20),
  coveredSeconds: value("coveredSeconds", 21),
  cpuRequestedKnownMilliSeconds: value("cpuRequestedKnownMilliSeconds", 22),
  memoryRequestedKnownKibSeconds: value("memoryRequestedKnownKibSeconds", 23)
})

/** Creates zeroed columns for `size` series. */
export const columns = (size: number): Columns => record(() => new Float64Array(size))
