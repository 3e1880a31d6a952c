/**
 * Spreads the idle costs of a cluster's nodes over its workloads.
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
 * Returns the set's parts with idle costs moved to the workloads.
 *
 * CPU, memory and GPU are spread separately, weighted by each workload's cost of that resource, over all workloads of the
 * cluster, visible or not. Quantities of workloads do not change. If no workload has a cost of a resource, its idle cost is
 * kept.
 *
 * **Source** OpenCost `computeShareCoeffs` (`core/pkg/opencost/allocation.go`).
 */
export const spread = Effect.fnUntraced(function* (allocations: AllocationSet.AllocationSet) {
  const { clusters, parts, size } = allocations
  const workloads = new Int32Array(size).fill(-1)
  const idle: Array<readonly [place: number, cluster: number]> = []
  for (const { cluster, from, series } of parts) {
    for (const [index, subject] of series.entries()) {
      if (isWorkload(subject)) workloads[from + index] = cluster
      if (subject.kind === IDLE) idle.push([from + index, cluster])
    }
  }
  const changed = new Map<Measure, Float64Array>()
  for (const { cost, quantity } of RESOURCES) {
    yield* Effect.yieldNow
    const costs = AllocationSet.columnOf(allocations, cost)
    const quantities = AllocationSet.columnOf(allocations, quantity)
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
