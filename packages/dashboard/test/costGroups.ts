/** Cost groups as the API replies them. */
import { WorkloadList } from "@quarterdeck/contract/WorkloadsGroup"
import { Schema } from "effect"
import type { CostGroup, CostTotals, PresentWorkload, WorkloadCost } from "../src/api/CostQueries.ts"

const NOTHING: CostTotals = {
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
  cpuEfficiency: null,
  memoryEfficiency: null,
  efficiency: null,
  savingsAvailable: 0,
  costIncrease: 0,
  hoursExisted: 0,
  hoursCovered: 0
}

export const totals = (some: Partial<CostTotals> = {}): CostTotals => ({ ...NOTHING, ...some })

/** A group with its cost now and before. **Shape** `before` is null if it is not comparable. */
export const group = (
  values: CostGroup["group"],
  totalCost: number,
  before?: number | null,
  marks: Partial<CostGroup> = {}
): CostGroup => ({
  group: values,
  ...totals({ totalCost }),
  ...(before === undefined ? {} : { previous: before === null ? null : totals({ totalCost: before }) }),
  ...marks
})

const decodeName = Schema.decodeUnknownSync(WorkloadList.fields.clusters.value.fields.name)

/** Makes the name of a cluster. */
export const clusterName = (name: string): WorkloadCost["cluster"] => decodeName(name)

const decodeWorkload = Schema.decodeUnknownSync(WorkloadList.fields.workloads.value)

/** A workload of now in the cluster `hub` and the namespace `shop`. */
export const present = (
  name: string,
  some: Partial<typeof WorkloadList.fields.workloads.value.Encoded> = {}
): PresentWorkload =>
  decodeWorkload({
    id: `uid-${name}`,
    cluster: "hub",
    namespace: "shop",
    kind: "Deployment",
    name,
    labels: { team: "web" },
    images: [],
    replicas: { desired: 2, ready: 2, updated: 2, available: 2 },
    status: "healthy",
    cpuRequestMillis: 1_000,
    memoryRequestBytes: 2_048,
    cpuLimitMillis: 0,
    memoryLimitBytes: 0,
    createdAt: "2026-01-01T00:00:00Z",
    ...some
  })

/** The cost of a workload in the cluster `hub` and the namespace `shop`. */
export const workloadCost = (name: string, some: Partial<WorkloadCost> = {}): WorkloadCost => ({
  id: `hub/shop/Deployment/${name}`,
  cluster: clusterName("hub"),
  namespace: "shop",
  workloadName: name,
  workloadType: "Deployment",
  hourlyCost: 0,
  cpuRecommendedMillis: 0,
  memoryRecommendedBytes: 0,
  recommendationDays: 0,
  ...totals(),
  ...some
})
