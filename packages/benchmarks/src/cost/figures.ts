/**
 * Computes the figures of rows, groups and totals from sums, by the definitions in the docs.
 *
 * Shares no code with the service. Leaves out what the history does not contain: GPUs, load balancers and unallocated costs.
 */
import type { CostRow, CostTotals } from "@quarterdeck/cost/CostRow"
import * as History from "./history.ts"
import type { Sums } from "./samples.ts"

const NANOS = 1e9
const SECONDS_AN_HOUR = 3_600
const MILLIS_A_CORE = 1_000
const BYTES_A_KIB = 1_024

/** Facts about a workload other than its sums. */
export interface Named extends Pick<CostRow, "id" | "cluster" | "namespace" | "workloadName" | "workloadType"> {
  readonly team: string
  readonly cpuRecommendedMillis: number
  readonly memoryRecommendedBytes: number
  readonly recommendationDays: number
}

/** Returns the name and recommendation of a workload, in the form of a row. */
export const named = (workload: number, each: number): Named => {
  const { kind, labels, name, namespace } = History.seriesOf(workload, 0)
  const cluster = History.clusterName(Math.floor(workload / each))
  return {
    id: `${cluster}/${namespace}/${kind}/${name}`,
    cluster,
    namespace,
    workloadName: name,
    workloadType: kind,
    team: labels["team"] ?? "",
    ...History.recommendationOf(workload)
  }
}

/** Savings and cost increase of each workload with the recommended requests. **Units** billionths, rounded per resource. */
export interface Advised {
  readonly savings: Float64Array
  readonly increases: Float64Array
}

/** Computes savings and cost increase of each workload. */
export const advised = (sums: Sums, workloads: ReadonlyArray<Named>): Advised => {
  const savings = new Float64Array(workloads.length)
  const increases = new Float64Array(workloads.length)
  for (const [place, { cpuRecommendedMillis, memoryRecommendedBytes }] of workloads.entries()) {
    const replicas = sums.replicaSeconds[place] ?? 0
    const cpu = beyond(
      [sums.cpuRequestedMilliSeconds[place] ?? 0, sums.cpuAllocatedMilliSeconds[place] ?? 0],
      cpuRecommendedMillis * replicas
    )
    const memory = beyond(
      [sums.memoryRequestedKibSeconds[place] ?? 0, sums.memoryAllocatedKibSeconds[place] ?? 0],
      (memoryRecommendedBytes / BYTES_A_KIB) * replicas
    )
    for (const nanos of [
      Math.round((sums.cpuCostNanos[place] ?? 0) * cpu),
      Math.round((sums.memoryCostNanos[place] ?? 0) * memory)
    ]) {
      if (nanos > 0) savings[place] = (savings[place] ?? 0) + nanos
      else increases[place] = (increases[place] ?? 0) - nanos
    }
  }
  return { savings, increases }
}

/** Returns the request minus the recommendation, as a share of the allocation. Negative if the request is lower. */
const beyond = ([requested, allocated]: readonly [number, number], recommended: number): number =>
  allocated > 0 ? (requested - recommended) / allocated : 0

/** A figure. Never null, because every hour of the history has usage. */
type Figures = { -readonly [Name in keyof CostTotals]: number }

/** Writes rows from sums. **Limits** reuses one object of figures, so make one writer for many rows. */
export const writer = (sums: Sums, { increases, savings }: Advised) => {
  const figures: Figures = blank()

  /** Returns the figures at an index. */
  const tell = (place: number): Figures => {
    const cpu = (sums.cpuCostNanos[place] ?? 0) / NANOS
    const memory = (sums.memoryCostNanos[place] ?? 0) / NANOS
    const replicas = sums.replicaSeconds[place] ?? 0
    const spot = sums.spotSeconds[place] ?? 0
    const storage = sums.storageCostNanos[place] ?? 0
    const network = sums.networkCostNanos[place] ?? 0
    figures.totalCost =
      ((sums.cpuCostNanos[place] ?? 0) + (sums.memoryCostNanos[place] ?? 0) + storage + network) / NANOS
    figures.cpuCost = cpu
    figures.memoryCost = memory
    figures.storageCost = storage / NANOS
    figures.networkCost = network / NANOS
    figures.replicaHours = replicas / SECONDS_AN_HOUR
    figures.spotHours = spot / SECONDS_AN_HOUR
    figures.onDemandHours = (replicas - spot) / SECONDS_AN_HOUR
    figures.spotPercent = (spot / replicas) * 100
    figures.onDemandPercent = 100 - figures.spotPercent
    figures.cpuCoreHours = (sums.cpuAllocatedMilliSeconds[place] ?? 0) / MILLIS_A_CORE / SECONDS_AN_HOUR
    figures.memoryByteHours = ((sums.memoryAllocatedKibSeconds[place] ?? 0) * BYTES_A_KIB) / SECONDS_AN_HOUR
    const cpuRequested = sums.cpuRequestedKnownMilliSeconds[place] ?? 0
    const memoryRequested = sums.memoryRequestedKnownKibSeconds[place] ?? 0
    const cpuUsed = sums.cpuUsedMilliSeconds[place] ?? 0
    const memoryUsed = sums.memoryUsedKibSeconds[place] ?? 0
    figures.cpuRequestedCoreHours = cpuRequested / MILLIS_A_CORE / SECONDS_AN_HOUR
    figures.cpuUsedCoreHours = cpuUsed / MILLIS_A_CORE / SECONDS_AN_HOUR
    figures.memoryRequestedByteHours = (memoryRequested * BYTES_A_KIB) / SECONDS_AN_HOUR
    figures.memoryUsedByteHours = (memoryUsed * BYTES_A_KIB) / SECONDS_AN_HOUR
    figures.cpuEfficiency = cpuUsed / cpuRequested
    figures.memoryEfficiency = memoryUsed / memoryRequested
    figures.efficiency = (figures.cpuEfficiency * cpu + figures.memoryEfficiency * memory) / (cpu + memory)
    figures.savingsAvailable = (savings[place] ?? 0) / NANOS
    figures.costIncrease = (increases[place] ?? 0) / NANOS
    figures.hoursExisted = (sums.existedSeconds[place] ?? 0) / SECONDS_AN_HOUR
    figures.hoursCovered = (sums.coveredSeconds[place] ?? 0) / SECONDS_AN_HOUR
    return figures
  }

  /** Returns the row of a workload. Naming each figure is faster than copying the object. */
  const row = (place: number, name: Named): CostRow => {
    const told = tell(place)
    return {
      id: name.id,
      cluster: name.cluster,
      namespace: name.namespace,
      workloadName: name.workloadName,
      workloadType: name.workloadType,
      totalCost: told.totalCost,
      cpuCost: told.cpuCost,
      memoryCost: told.memoryCost,
      gpuCost: told.gpuCost,
      storageCost: told.storageCost,
      networkCost: told.networkCost,
      loadBalancerCost: told.loadBalancerCost,
      hourlyCost: told.totalCost / told.hoursExisted,
      replicaHours: told.replicaHours,
      spotHours: told.spotHours,
      onDemandHours: told.onDemandHours,
      spotPercent: told.spotPercent,
      onDemandPercent: told.onDemandPercent,
      cpuCoreHours: told.cpuCoreHours,
      memoryByteHours: told.memoryByteHours,
      cpuRequestedCoreHours: told.cpuRequestedCoreHours,
      cpuUsedCoreHours: told.cpuUsedCoreHours,
      memoryRequestedByteHours: told.memoryRequestedByteHours,
      memoryUsedByteHours: told.memoryUsedByteHours,
      cpuEfficiency: told.cpuEfficiency,
      memoryEfficiency: told.memoryEfficiency,
      efficiency: told.efficiency,
      savingsAvailable: told.savingsAvailable,
      costIncrease: told.costIncrease,
      cpuRecommendedMillis: name.cpuRecommendedMillis,
      memoryRecommendedBytes: name.memoryRecommendedBytes,
      recommendationDays: name.recommendationDays,
      hoursExisted: told.hoursExisted,
      hoursCovered: told.hoursCovered
    }
  }

  return { row, totals: (place: number): CostTotals => ({ ...tell(place) }) }
}

const blank = (): Figures => ({
  totalCost: 0,
  cpuCost: 0,
  memoryCost: 0,
  gpuCost: 0,
  storageCost: 0,
  networkCost: 0,
  loadBalancerCost: 0,
  replicaHours: 0,
  spotHours: 0,
  onDemandHours: 0,
  spotPercent: 0,
  onDemandPercent: 0,
  cpuCoreHours: 0,
  memoryByteHours: 0,
  cpuRequestedCoreHours: 0,
  cpuUsedCoreHours: 0,
  memoryRequestedByteHours: 0,
  memoryUsedByteHours: 0,
  cpuEfficiency: 0,
  memoryEfficiency: 0,
  efficiency: 0,
  savingsAvailable: 0,
  costIncrease: 0,
  hoursExisted: 0,
  hoursCovered: 0
})
