/** The past of each demo cluster: its planned nodes and workloads, and those of the story. */
import { HourFacts, Series } from "@quarterdeck/cost"
import { DAY_MS, GIB_BYTES, HOUR_MS } from "@quarterdeck/cost/Units"
import { Seed, Usage } from "@quarterdeck/harness"
import { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { outage, type Tale, tales } from "./Story.ts"

export interface PastPod {
  readonly name: string
  readonly node: string
  readonly claims: ReadonlyArray<string>
}

/** A workload. **Shape** `lived` returns the part of an hour in which it ran. All its replicas have the same usage. */
export interface PastWorkload {
  readonly series: Series.Series
  readonly cpuRequestMillis: number
  readonly memoryRequestBytes: number
  readonly usage: Pick<Usage.ContainerUsage, "cpuCores" | "memoryBytes">
  readonly pods: ReadonlyArray<PastPod>
  readonly isPublic: boolean
  readonly lived: (hour: HourFacts.Span) => HourFacts.Span | undefined
}

/** A cluster that has existed since before the start of the history. */
export interface Past {
  readonly cluster: ClusterName
  readonly nodes: ReadonlyArray<Omit<HourFacts.NodeFacts, "spans">>
  readonly workloads: ReadonlyArray<PastWorkload>
  readonly volumes: ReadonlyArray<Omit<HourFacts.VolumeFacts, "spans">>
  /** Returns whether the cluster was reachable in the hour that starts at `startMs`. */
  readonly wasSeen: (startMs: number) => boolean
}

/** Seed of the usage curves, the same as for the clusters' own metrics. */
const USAGE_SEED = 1
const MIB = 1_048_576

/** Returns the past of a cluster. **Shape** `endMs` is the start of the present hour. */
export const from = (plan: Seed.ClusterPlan, endMs: number): Past => {
  const clusterTales = tales.filter(({ cluster }) => cluster === plan.cluster)
  return {
    cluster: ClusterName.make(plan.cluster),
    nodes: plan.nodes.map((node) => nodeOf(node, plan)),
    workloads: [
      ...plan.workloads.map((workload) => plannedOf(workload, plan)),
      ...clusterTales.map((tale) => taleOf(tale, plan, endMs))
    ],
    volumes: plan.workloads.flatMap((workload) => volumesOf(workload, plan)),
    wasSeen: (startMs) =>
      plan.cluster !== outage.cluster
      || startMs < endMs - outage.beganHoursAgo * HOUR_MS
      || startMs >= endMs - outage.endedHoursAgo * HOUR_MS
  }
}

const nodeOf = (
  { machine, name, priceLabels, zone }: Seed.NodePlan,
  { cloud }: Seed.ClusterPlan
): Omit<HourFacts.NodeFacts, "spans"> => ({
  name,
  uid: `before/${name}`,
  labels: {
    "node.kubernetes.io/instance-type": machine.name,
    "topology.kubernetes.io/region": cloud.region,
    ...priceLabels
  },
  providerId: cloud.providerId(zone, name),
  cpuMillis: machine.cpuMillis,
  memoryBytes: machine.memoryMib * MIB,
  gpus: machine.gpus
})

const plannedOf = (plan: Seed.WorkloadPlan, cluster: Seed.ClusterPlan): PastWorkload => {
  const { namespace, template } = plan
  const { kind, name, resources } = template
  return {
    series: seriesOf(namespace, kind, name, plannedLabels(plan, cluster)),
    cpuRequestMillis: resources.cpuRequestMillis,
    memoryRequestBytes: resources.memoryRequestMib * MIB,
    usage: Usage.assign(
      USAGE_SEED,
      { namespace, kind, name, container: name },
      {
        cpuRequestCores: resources.cpuRequestMillis / 1_000,
        cpuLimitCores: resources.cpuLimitMillis / 1_000,
        memoryRequestBytes: resources.memoryRequestMib * MIB,
        memoryLimitBytes: resources.memoryLimitMib * MIB
      }
    ),
    pods: plan.pods.flatMap((pod) => (hasRun(plan, pod) ? [podOf(plan, pod)] : [])),
    isPublic: template.isPublic === true,
    lived: kind === "CronJob" ? nightly : (hour) => hour
  }
}

/**
 * Returns whether a pod has run before the demo: not if it is starting or crashing; of completed pods, only those of
 * CronJobs.
 */
const hasRun = ({ template }: Seed.WorkloadPlan, { state }: Seed.PodPlan): boolean =>
  state === "running" || (template.kind === "CronJob" && state === "succeeded")

const podOf = ({ template }: Seed.WorkloadPlan, { name, node }: Seed.PodPlan): PastPod => ({
  name,
  node: node.name,
  claims: template.volumeGib === undefined ? [] : [claimOf(name)]
})

/** The name of a replica's claim, as the StatefulSet controller forms it. */
const claimOf = (pod: string): string => `data-${pod}`

const volumesOf = ({ namespace, pods, template }: Seed.WorkloadPlan, { cloud }: Seed.ClusterPlan): Past["volumes"] => {
  const { volumeGib } = template
  if (volumeGib === undefined) return []
  return pods.map(({ name }) => ({
    namespace,
    claim: claimOf(name),
    name: `before-${name}`,
    storageClass: cloud.storage.className,
    bytes: volumeGib * GIB_BYTES
  }))
}

const taleOf = (tale: Tale, plan: Seed.ClusterPlan, endMs: number): PastWorkload => ({
  series: seriesOf(tale.namespace, "Deployment", tale.name, labelsOf(tale, plan)),
  cpuRequestMillis: tale.cpuRequestMillis,
  memoryRequestBytes: tale.memoryRequestMib * MIB,
  usage: {
    cpuCores: Usage.parse(tale.cpu) ?? Usage.flat(0),
    memoryBytes: Usage.parse(tale.memory) ?? Usage.flat(0)
  },
  pods: podsOf(tale, plan),
  isPublic: false,
  lived: (hour) => {
    const { beganDaysAgo = Infinity, endedDaysAgo = 0 } = tale
    const fromMs = Math.max(hour.fromMs, endMs - beganDaysAgo * DAY_MS)
    const toMs = Math.min(hour.toMs, endMs - endedDaysAgo * DAY_MS)
    return fromMs < toMs ? { fromMs, toMs } : undefined
  }
})

/** Returns the nodes on which a story's workload runs. */
export const nodesFor = ({ isOnSpot }: Tale, { nodes }: Seed.ClusterPlan) =>
  nodes.filter(({ spot }) => spot === isOnSpot)

/** Returns the pods of a story's workload, distributed over spot or on-demand nodes. */
const podsOf = (tale: Tale, plan: Seed.ClusterPlan): ReadonlyArray<PastPod> => {
  const fitting = nodesFor(tale, plan)
  return Array.from({ length: tale.replicas }, (_, at) => ({
    name: `${tale.name}-${at}`,
    node: fitting[at % fitting.length]?.name ?? "",
    claims: []
  }))
}

const VERSION = "1.0.0"
export const imageOf = (name: string): string => `acme/${name}:${VERSION}`

export const labelsOf = ({ name, namespace }: Pick<Tale, "name" | "namespace">, plan: Seed.ClusterPlan) =>
  labels(name, namespace, VERSION, teamOf(namespace, plan))

const plannedLabels = ({ image, namespace, template }: Seed.WorkloadPlan, plan: Seed.ClusterPlan) =>
  labels(template.name, template.namespace, image.slice(image.lastIndexOf(":") + 1), teamOf(namespace, plan))

/** Returns the team that owns a namespace. Undefined for system namespaces. */
const teamOf = (namespace: string, { namespaces }: Seed.ClusterPlan): string | undefined =>
  namespaces.find(({ name }) => name === namespace)?.team

/** The labels that the seed gives its workloads. */
const labels = (name: string, partOf: string, version: string, team: string | undefined): Series.Series["labels"] => ({
  "app.kubernetes.io/name": name,
  "app.kubernetes.io/part-of": partOf,
  "app.kubernetes.io/version": version,
  ...(team === undefined ? {} : { team })
})

/** Identifies a workload before the demo's start. Reports merge its rows with those of the running workload. */
const seriesOf = (namespace: string, kind: string, name: string, labels: Series.Series["labels"]): Series.Series => ({
  namespace,
  kind,
  name,
  labels,
  uid: `before/${namespace}/${kind}/${name}`
})

/** Runs from 03:00 UTC for seven minutes. */
const nightly = ({ fromMs }: HourFacts.Span): HourFacts.Span | undefined =>
  fromMs % DAY_MS === 3 * HOUR_MS ? { fromMs, toMs: fromMs + 7 * 60_000 } : undefined
