/**
 * Hours of many workloads as a sampler would close them: constant requests, daily waves of usage, some churn.
 *
 * The numbers are the same in every run, because they vary by a hash of workload and hour.
 */
import { Hour, Measure, Recommendation, Series } from "@quarterdeck/cost"
import { HOUR_MS, HOUR_SECONDS } from "@quarterdeck/cost/Units"
import { ClusterName } from "@quarterdeck/targeting/ClusterName"

/** The start: midnight of a Monday. */
const START_MS = Date.UTC(2026, 2, 2)

export const NAMESPACES = 25
const KINDS = ["Deployment", "Deployment", "Deployment", "StatefulSet", "DaemonSet", "CronJob"] as const
/** Costs per hour in billionths: a core, a GiB of memory, a GiB of disk. **Source** OpenCost's default.json. */
const CPU_NANOS = 31_611_000 / (1_000 * HOUR_SECONDS)
const MEMORY_NANOS = 4_237_000 / (1_048_576 * HOUR_SECONDS)
const STORAGE_NANOS = 54_795 / (1_048_576 * HOUR_SECONDS)
const INTERNET_NANOS = 120_000_000 / 1_048_576

/** The facts of a workload in an hour that every peer stores, named as in the service. */
export const FACTS = [
  "cpuCostNanos",
  "memoryCostNanos",
  "storageCostNanos",
  "networkCostNanos",
  "replicaSeconds",
  "spotSeconds",
  "cpuAllocatedMilliSeconds",
  "memoryAllocatedKibSeconds",
  "cpuUsedMilliSeconds",
  "memoryUsedKibSeconds",
  "cpuRequestedMilliSeconds",
  "memoryRequestedKibSeconds",
  "cpuRequestedKnownMilliSeconds",
  "memoryRequestedKnownKibSeconds",
  "storageKibSeconds",
  "zoneEgressKib",
  "internetEgressKib",
  "existedSeconds",
  "coveredSeconds"
] as const
export type Fact = (typeof FACTS)[number]

/** Lifetime of a workload in hours: one in a hundred is replaced per day. */
const LIFE_HOURS = 2_400

/** The number of workloads and clusters, and the start. **Units** milliseconds since the epoch. */
export interface Size {
  readonly workloads: number
  readonly clusters: number
  readonly startMs?: number
}

/** Hashes three numbers to a number from 0 to 1. **Source** the finalizer of MurmurHash3. */
const chance = (a: number, b: number, c: number): number => {
  let mixed = Math.imul(a + 0x9e37, 0x85ebca6b) ^ Math.imul(b + 0x79b9, 0xc2b2ae35) ^ Math.imul(c + 1, 0x27d4eb2f)
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32
}

/** A workload during one lifetime. Its name ends in its number. */
export const seriesOf = (workload: number, life: number): Series.Series => {
  const name = `workload-${workload}`
  return {
    namespace: namespaceName(workload % NAMESPACES),
    kind: KINDS[workload % KINDS.length] ?? "Deployment",
    name,
    uid: `${name}-${life}`,
    labels: { app: name, team: namespaceName(workload % NAMESPACES), "app.kubernetes.io/managed-by": "helm" }
  }
}

/** Returns the recommendation for a workload. Half of the workloads get lower requests. */
export const recommendationOf = (workload: number): Recommendation.Recommendation => ({
  cpuRecommendedMillis: 25 + Math.floor(chance(workload, 0, 17) * 800),
  memoryRecommendedBytes: 262_144_000 + Math.floor(chance(workload, 0, 18) * 2 ** 31),
  recommendationDays: 8
})

export const namespaceName = (namespace: number): string => `team-${namespace}`

export const clusterName = (cluster: number): ClusterName => ClusterName.make(`cluster-${cluster}`)

/** Makes hours, one cluster and hour at a time. */
export const make = ({ clusters, startMs = START_MS, workloads }: Size) => {
  const each = Math.floor(workloads / clusters)
  const living = Array.from({ length: workloads }, (_, workload) => seriesOf(workload, 0))
  const names = Array.from({ length: clusters }, (_, cluster) => clusterName(cluster))

  /** Makes a whole or partial hour. **Limits** call it for hours in order. */
  const hourOf = (cluster: number, index: number, knownSeconds = HOUR_SECONDS): Hour.Hour => {
    const values = Measure.columns(each)
    const series: Array<Series.Series> = []
    for (let place = 0; place < each; place++) {
      const workload = cluster * each + place
      if (index > 0 && chance(workload, index, 1) < 1 / LIFE_HOURS) living[workload] = seriesOf(workload, index)
      const one = living[workload]
      if (one !== undefined) series.push(one)
      fill(values, place, { workload, index, knownSeconds })
    }
    return {
      cluster: clusterName(cluster),
      startMs: startMs + index * HOUR_MS,
      knownSeconds,
      series,
      columns: values,
      rates: [{ provider: "aws", region: "eu-1", instanceType: "m5.large", capacity: "onDemand", gpuModel: "" }],
      rateOf: new Int32Array(each),
      shares: []
    }
  }

  return { names, each, startMs, hourOf }
}

interface Drawn {
  readonly workload: number
  readonly index: number
  readonly knownSeconds: number
}

const fill = (
  values: Pick<Hour.Hour["columns"], Fact>,
  place: number,
  { index, knownSeconds, workload }: Drawn
): void => {
  const of = (fact: number) => chance(workload, 0, fact)
  const now = (fact: number) => chance(workload, index, fact)
  // Some workloads scale replicas with their load.
  const wave = 1 + 0.4 * Math.sin(((index % 24) / 24) * 2 * Math.PI + of(2))
  const replicas = of(3) < 0.15 ? Math.max(1, Math.round(6 * wave)) : 1 + Math.floor(of(4) * 5)
  const replicaSeconds = replicas * knownSeconds
  const cpuRequest = 50 * (1 + Math.floor(of(5) * 30))
  const memoryRequest = 65_536 * (1 + Math.floor(of(6) * 40))
  const cpuUse = cpuRequest * (0.1 + 0.8 * of(7)) * wave * (0.9 + 0.2 * now(8))
  const memoryUse = memoryRequest * (0.3 + 0.8 * of(9)) * (0.95 + 0.1 * now(10))
  const cpuAllocated = Math.round(Math.max(cpuRequest, cpuUse) * replicaSeconds)
  const memoryAllocated = Math.round(Math.max(memoryRequest, memoryUse) * replicaSeconds)
  const storage = of(11) < 0.2 ? 10_485_760 * replicaSeconds : 0
  const internet = of(12) < 0.3 ? Math.round(50_000 * wave * now(13)) : 0

  values.replicaSeconds[place] = replicaSeconds
  values.spotSeconds[place] = of(14) < 0.3 ? replicaSeconds : 0
  values.cpuRequestedMilliSeconds[place] = cpuRequest * replicaSeconds
  values.memoryRequestedKibSeconds[place] = memoryRequest * replicaSeconds
  values.cpuRequestedKnownMilliSeconds[place] = cpuRequest * replicaSeconds
  values.memoryRequestedKnownKibSeconds[place] = memoryRequest * replicaSeconds
  values.cpuUsedMilliSeconds[place] = Math.round(cpuUse * replicaSeconds)
  values.memoryUsedKibSeconds[place] = Math.round(memoryUse * replicaSeconds)
  values.cpuAllocatedMilliSeconds[place] = cpuAllocated
  values.memoryAllocatedKibSeconds[place] = memoryAllocated
  values.cpuCostNanos[place] = Math.round(cpuAllocated * CPU_NANOS)
  values.memoryCostNanos[place] = Math.round(memoryAllocated * MEMORY_NANOS)
  values.storageKibSeconds[place] = storage
  values.storageCostNanos[place] = Math.round(storage * STORAGE_NANOS)
  values.zoneEgressKib[place] = of(15) < 0.5 ? Math.round(200_000 * wave * now(16)) : 0
  values.internetEgressKib[place] = internet
  values.networkCostNanos[place] = Math.round(internet * INTERNET_NANOS)
  values.existedSeconds[place] = knownSeconds
  values.coveredSeconds[place] = knownSeconds
}
