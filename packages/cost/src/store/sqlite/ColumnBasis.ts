/**
 * Predictors of columns. The values of a column are predicted from those of another column, its basis.
 */
import { measures } from "../../hour/Measure.ts"

/** Number of columns. */
export const WIDTH = measures.length

const at = (measure: (typeof measures)[number]): number => measures.indexOf(measure)

/**
 * Index of the basis of each column. Requests grow in proportion to replicas, costs in proportion to allocated amounts.
 *
 * **Shape** -1 for a column without a basis. Such a column is predicted to grow by the same amount in each step.
 */
export const BASIS: ReadonlyArray<number> = measures.map((measure) => {
  switch (measure) {
    case "cpuCostNanos":
      return at("cpuAllocatedMilliSeconds")
    case "memoryCostNanos":
      return at("memoryAllocatedKibSeconds")
    case "gpuCostNanos":
      return at("gpuMilliSeconds")
    case "storageCostNanos":
      return at("storageKibSeconds")
    case "networkCostNanos":
      return at("internetEgressKib")
    case "loadBalancerCostNanos":
      return at("loadBalancerSeconds")
    case "cpuAllocatedMilliSeconds":
      return at("cpuRequestedMilliSeconds")
    case "memoryAllocatedKibSeconds":
      return at("memoryRequestedKibSeconds")
    case "cpuRequestedKnownMilliSeconds":
      return at("cpuRequestedMilliSeconds")
    case "memoryRequestedKnownKibSeconds":
      return at("memoryRequestedKibSeconds")
    case "spotSeconds":
    case "cpuUsedMilliSeconds":
    case "memoryUsedKibSeconds":
    case "cpuRequestedMilliSeconds":
    case "memoryRequestedKibSeconds":
      return at("replicaSeconds")
    case "coveredSeconds":
      return at("existedSeconds")
    case "replicaSeconds":
    case "gpuMilliSeconds":
    case "storageKibSeconds":
    case "zoneEgressKib":
    case "regionEgressKib":
    case "internetEgressKib":
    case "loadBalancerSeconds":
    case "existedSeconds":
      return -1
  }
})

const depthOf = (column: number): number => {
  const basis = BASIS[column] ?? -1
  return basis < 0 ? 0 : 1 + depthOf(basis)
}

/** All columns, each after its basis. */
export const ORDER: ReadonlyArray<number> = measures
  .map((_, column) => column)
  .toSorted((a, b) => depthOf(a) - depthOf(b))
