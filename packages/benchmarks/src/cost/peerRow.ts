/**
 * Writes a row of a report from sums by workload, without the service's own code.
 */
import { Measure, Recommendation, Savings } from "@quarterdeck/cost"
import type { CostRow } from "@quarterdeck/cost/CostRow"
import { HOUR_SECONDS, KIB_BYTES, NANOS_PER_UNIT } from "@quarterdeck/cost/Units"
import * as History from "./history.ts"

/** What a row says of a workload beside its sums. */
export interface Named extends Pick<CostRow, "id" | "cluster" | "namespace" | "workloadName" | "workloadType"> {
  readonly recommendation: Recommendation.Recommendation
}

export const money = (nanos: number): number => nanos / NANOS_PER_UNIT
const hours = (seconds: number): number => seconds / HOUR_SECONDS

/** Names a workload as the service does, with what is recommended to it. */
export const named = (workload: number, each: number): Named => {
  const { kind, name, namespace } = History.seriesOf(workload, 0)
  const cluster = History.clusterName(Math.floor(workload / each))
  return {
    id: `${cluster}/${namespace}/${kind}/${name}`,
    cluster,
    namespace,
    workloadName: name,
    workloadType: kind,
    recommendation: History.recommendationOf(workload)
  }
}

/** Gives what each workload cost. **Units** billionths. */
export const totalNanos = (columns: Measure.Columns, size: number): Float64Array => {
  const totals = new Float64Array(size)
  const { cpuCostNanos, gpuCostNanos, loadBalancerCostNanos } = columns
  const { memoryCostNanos, networkCostNanos, storageCostNanos } = columns
  for (let key = 0; key < size; key++) {
    totals[key] =
      (cpuCostNanos[key] ?? 0)
      + (memoryCostNanos[key] ?? 0)
      + (gpuCostNanos[key] ?? 0)
      + (storageCostNanos[key] ?? 0)
      + (networkCostNanos[key] ?? 0)
      + (loadBalancerCostNanos[key] ?? 0)
  }
  return totals
}

const efficiency = (used: number, requested: number): number => (requested > 0 ? used / requested : 0)

/** Writes a row. **Shape** all of its hours are covered, and each workload has requests. */
export const of = (columns: Measure.Columns, key: number, { recommendation, ...name }: Named): CostRow => {
  const cpuCostNanos = columns.cpuCostNanos[key] ?? 0
  const memoryCostNanos = columns.memoryCostNanos[key] ?? 0
  const gpu = columns.gpuCostNanos[key] ?? 0
  const storage = columns.storageCostNanos[key] ?? 0
  const network = columns.networkCostNanos[key] ?? 0
  const loadBalancer = columns.loadBalancerCostNanos[key] ?? 0
  const totalCost = money(cpuCostNanos + memoryCostNanos + gpu + storage + network + loadBalancer)
  const replicaSeconds = columns.replicaSeconds[key] ?? 0
  const spotSeconds = columns.spotSeconds[key] ?? 0
  const cpuAllocatedMilliSeconds = columns.cpuAllocatedMilliSeconds[key] ?? 0
  const memoryAllocatedKibSeconds = columns.memoryAllocatedKibSeconds[key] ?? 0
  const hoursExisted = hours(columns.existedSeconds[key] ?? 0)
  const spotPercent = replicaSeconds === 0 ? 0 : (spotSeconds / replicaSeconds) * 100
  const cpuRequested = columns.cpuRequestedKnownMilliSeconds[key] ?? 0
  const cpuUsed = columns.cpuUsedMilliSeconds[key] ?? 0
  const memoryRequested = columns.memoryRequestedKnownKibSeconds[key] ?? 0
  const memoryUsed = columns.memoryUsedKibSeconds[key] ?? 0
  const cpuEfficiency = efficiency(cpuUsed, cpuRequested)
  const memoryEfficiency = efficiency(memoryUsed, memoryRequested)
  const spent = {
    cpuCostNanos,
    memoryCostNanos,
    cpuAllocatedMilliSeconds,
    memoryAllocatedKibSeconds,
    replicaSeconds
  }
  return {
    id: name.id,
    cluster: name.cluster,
    namespace: name.namespace,
    workloadName: name.workloadName,
    workloadType: name.workloadType,
    totalCost,
    cpuCost: money(cpuCostNanos),
    memoryCost: money(memoryCostNanos),
    gpuCost: money(gpu),
    storageCost: money(storage),
    networkCost: money(network),
    loadBalancerCost: money(loadBalancer),
    hourlyCost: hoursExisted === 0 ? 0 : totalCost / hoursExisted,
    replicaHours: hours(replicaSeconds),
    spotHours: hours(spotSeconds),
    onDemandHours: hours(replicaSeconds - spotSeconds),
    spotPercent,
    onDemandPercent: replicaSeconds === 0 ? 0 : 100 - spotPercent,
    cpuCoreHours: cpuAllocatedMilliSeconds / (1_000 * HOUR_SECONDS),
    memoryByteHours: (memoryAllocatedKibSeconds * KIB_BYTES) / HOUR_SECONDS,
    cpuRequestedCoreHours: cpuRequested / (1_000 * HOUR_SECONDS),
    cpuUsedCoreHours: cpuUsed / (1_000 * HOUR_SECONDS),
    memoryRequestedByteHours: (memoryRequested * KIB_BYTES) / HOUR_SECONDS,
    memoryUsedByteHours: (memoryUsed * KIB_BYTES) / HOUR_SECONDS,
    cpuEfficiency,
    memoryEfficiency,
    efficiency: (cpuEfficiency * cpuCostNanos + memoryEfficiency * memoryCostNanos) / (cpuCostNanos + memoryCostNanos),
    savingsAvailable: money(Savings.nanos(spent, recommendation)),
    cpuRecommendedMillis: recommendation.cpuRecommendedMillis,
    memoryRecommendedBytes: recommendation.memoryRecommendedBytes,
    recommendationDays: recommendation.recommendationDays,
    hoursExisted,
    hoursCovered: hours(columns.coveredSeconds[key] ?? 0)
  }
}

const FIGURES = [
  "totalCost",
  "cpuCost",
  "memoryCost",
  "storageCost",
  "networkCost",
  "hourlyCost",
  "replicaHours",
  "spotPercent",
  "cpuCoreHours",
  "memoryByteHours",
  "cpuRequestedCoreHours",
  "cpuUsedCoreHours",
  "memoryRequestedByteHours",
  "memoryUsedByteHours",
  "cpuEfficiency",
  "memoryEfficiency",
  "efficiency",
  "savingsAvailable",
  "hoursExisted",
  "hoursCovered"
] as const

/** The largest difference between two lists of rows, relative to what is compared; infinite where their order differs. */
export const difference = (ours: ReadonlyArray<CostRow>, theirs: ReadonlyArray<CostRow>): number => {
  if (ours.length !== theirs.length) return Number.POSITIVE_INFINITY
  let most = 0
  for (const [place, row] of ours.entries()) {
    const other = theirs[place]
    if (other === undefined || other.id !== row.id) return Number.POSITIVE_INFINITY
    for (const figure of FIGURES) {
      const [our, their] = [row[figure], other[figure]]
      if (our === null || their === null) return Number.POSITIVE_INFINITY
      const apart = Math.abs(our - their)
      if (apart > 0) most = Math.max(most, apart / Math.abs(their))
    }
  }
  return most
}
