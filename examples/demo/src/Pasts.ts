/**
 * What has been in each cluster of the demo: the planned machines and workloads, and those of the story.
 */
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

/** A workload. **Shape** `lived` gives the part of an hour in which it ran; all its replicas use the same. */
export interface PastWorkload {
  readonly series: Series.Series
  readonly cpuRequestMillis: number
  readonly memoryRequestBytes: number
  readonly usage: Pick<Usage.ContainerUsage, "cpuCores" | "memoryBytes">
  readonly pods: ReadonlyArray<PastPod>
  readonly isPublic: boolean
  readonly lived: (hour: HourFacts.Span) => HourFacts.Span | undefined
}

/** A cluster, as it has been since long before the history begins. */
export interface Past {
  readonly cluster: ClusterName
  readonly nodes: ReadonlyArray<Omit<HourFacts.NodeFacts, "spans">>
  readonly workloads: ReadonlyArray<PastWorkload>
  readonly volumes: ReadonlyArray<Omit<HourFacts.VolumeFacts, "spans">>
  /** Whether the cluster could be watched in the hour that begins then. */
  readonly wasSeen: (startMs: number) => boolean
}

/** Curves are dealt out by it, here as by the cluster's own metrics. */
const USAGE_SEED = 1
const MIB = 1_048_576

/** Gives the past of a cluster. **Shape** `endMs` is the hour that goes on now. */
export const from = (plan: Seed.ClusterPlan, endMs: number): Past => {
  const told = tales.filter(({ cluster }) => cluster === plan.cluster)
  return {
    cluster: ClusterName.make(plan.cluster),
    nodes: plan.nodes.map((node) => nodeOf(node, plan)),
    workloads: [
      ...plan.workloads.map((workload) => plannedOf(workload, plan)),
      ...told.map((tale) => taleOf(tale, plan, endMs))
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

/** One that starts or crashes has not run yet; of those that end, the report of each night has. */
const hasRun = ({ template }: Seed.WorkloadPlan, { state }: Seed.PodPlan): boolean =>
  state === "running" || (template.kind === "CronJob" && state === "succeeded")

const podOf = ({ template }: Seed.WorkloadPlan, { name, node }: Seed.PodPlan): PastPod => ({
  name,
  node: node.name,
  claims: template.volumeGib === undefined ? [] : [claimOf(name)]
})

/** As the controller of StatefulSets names it. */
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

/** The pods of a story, on the machines of its kind in turn. */
export const podsOf = ({ isOnSpot, name, replicas }: Tale, { nodes }: Seed.ClusterPlan): ReadonlyArray<PastPod> => {
  const fitting = nodes.filter(({ spot }) => spot === isOnSpot)
  return Array.from({ length: replicas }, (_, at) => ({
    name: `${name}-${at}`,
    node: fitting[at % fitting.length]?.name ?? "",
    claims: []
  }))
}

const VERSION = "1.0.0"
export const imageOf = (name: string): string => `acme/${name}:${VERSION}`

/** The labels of a workload of the story. */
export const labelsOf = ({ name, namespace }: Pick<Tale, "name" | "namespace">, plan: Seed.ClusterPlan) =>
  labels(name, namespace, VERSION, teamOf(namespace, plan))

const plannedLabels = ({ image, namespace, template }: Seed.WorkloadPlan, plan: Seed.ClusterPlan) =>
  labels(template.name, template.namespace, image.slice(image.lastIndexOf(":") + 1), teamOf(namespace, plan))

/** The team that owns a namespace; nobody owns that of the system. */
const teamOf = (namespace: string, { namespaces }: Seed.ClusterPlan): string | undefined =>
  namespaces.find(({ name }) => name === namespace)?.team

/** As the seed labels its workloads. */
const labels = (name: string, partOf: string, version: string, team: string | undefined): Series.Series["labels"] => ({
  "app.kubernetes.io/name": name,
  "app.kubernetes.io/part-of": partOf,
  "app.kubernetes.io/version": version,
  ...(team === undefined ? {} : { team })
})

/** The life before the one that begins with the demo: rows of reports join both. */
const seriesOf = (namespace: string, kind: string, name: string, labels: Series.Series["labels"]): Series.Series => ({
  namespace,
  kind,
  name,
  labels,
  uid: `before/${namespace}/${kind}/${name}`
})

/** From three o'clock, for seven minutes. */
const nightly = ({ fromMs }: HourFacts.Span): HourFacts.Span | undefined =>
  fromMs % DAY_MS === 3 * HOUR_MS ? { fromMs, toMs: fromMs + 7 * 60_000 } : undefined
