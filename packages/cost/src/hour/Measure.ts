/**
 * What is summed of a workload in an hour: its costs, the quantities behind them, and how much of the hour is known.
 */

/**
 * The measures, in the order of their columns.
 *
 * **Shape** every one is a whole number that only adds up, so any sum of hours, and any difference of two running sums,
 * is exact up to 2^53.
 *
 * **Units** costs in billionths of the book's currency; CPU and GPU in thousandths of one, times seconds; memory and
 * volumes in KiB times seconds; traffic in KiB; the rest in seconds. `replicaSeconds` counts every running pod, and
 * `existedSeconds` the time in which there was one at least; `coveredSeconds` is the part of it for which usage is known.
 * What was used is of the time in which a container's usage was known, and what was requested while it was known
 * (`cpuRequestedKnownMilliSeconds`, `memoryRequestedKnownKibSeconds`) of the same: the two are compared.
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

/** One column a measure, one place a series. */
export type Columns = { readonly [M in Measure]: Float64Array }

/** Makes a record with one value a measure. */
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

/** Makes empty columns for a number of series. */
export const columns = (size: number): Columns => record(() => new Float64Array(size))
