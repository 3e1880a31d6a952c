/**
 * Spreads what a cluster's nodes have idle over its workloads.
 */
import { Effect } from "effect"
import { type Measure, record } from "../hour/Measure.ts"
import { IDLE, isWorkload } from "../hour/Series.ts"
import { apportion } from "./Apportionment.ts"
import * as AllocationSet from "./AllocationSet.ts"

const RESOURCES = [
  { cost: "cpuCostNanos", quantity: "cpuAllocatedMilliSeconds" },
  { cost: "memoryCostNanos", quantity: "memoryAllocatedKibSeconds" },
  { cost: "gpuCostNanos", quantity: "gpuMilliSeconds" }
] as const

/**
 * Gives the set's parts with idle costs at the workloads.
 *
 * CPU, memory and GPU each by what a workload's own part cost of the cluster's, over all workloads of the
 * cluster, whoever may see them. Quantities stay what was allocated. A resource of which no workload of a cluster cost
 * anything stays with the idle places.
 *
 * **Source** OpenCost `computeShareCoeffs` (`core/pkg/opencost/allocation.go`).
 */
export const spread = Effect.fnUntraced(function* (allocations: AllocationSet.AllocationSet) {
  const { clusters, parts, size } = allocations
  const workloads = new Int32Array(size).fill(-1)
  const idle: Array<readonly [place: number, cluster: number]> = []
  for (const { cluster, from, series } of parts) {
    for (const [index, one] of series.entries()) {
      if (isWorkload(one)) workloads[from + index] = cluster
      if (one.kind === IDLE) idle.push([from + index, cluster])
    }
  }
  const changed = new Map<Measure, Float64Array>()
  for (const { cost, quantity } of RESOURCES) {
    yield* Effect.yieldNow
    const costs = AllocationSet.laid(allocations, cost)
    const quantities = AllocationSet.laid(allocations, quantity)
    const amounts = new Float64Array(clusters.length)
    for (const [place, cluster] of idle) amounts[cluster] = (amounts[cluster] ?? 0) + (costs[place] ?? 0)
    yield* Effect.yieldNow
    const { shares, weighed } = apportion(allocations, { amounts, binOf: workloads, weights: costs })
    yield* Effect.yieldNow
    for (let place = 0; place < size; place++) costs[place] = (costs[place] ?? 0) + (shares[place] ?? 0)
    for (const [place, cluster] of idle) {
      if (weighed[cluster] === 0) continue
      costs[place] = 0
      quantities[place] = 0
    }
    changed.set(cost, costs)
    changed.set(quantity, quantities)
  }
  return parts.map((part): AllocationSet.Part => {
    const { columns, from, series } = part
    return {
      ...part,
      columns: record((measure) => changed.get(measure)?.subarray(from, from + series.length) ?? columns[measure])
    }
  })
})
