/**
 * The kinds that the cache follows, permanently or on demand, and the kinds that a read request needs.
 */
import type { Resource } from "../kube/KubeObject.ts"

/**
 * Kinds in the order of a cluster's initial sync: namespaces, which decide scope, then workloads, then the most
 * numerous.
 */
export const kinds = [
  "Namespace",
  "Deployment",
  "StatefulSet",
  "DaemonSet",
  "ReplicaSet",
  "Job",
  "CronJob",
  "Node",
  "Pod"
] as const
/** Kinds that are followed only while they are requested. */
export const onDemand = ["Event"] as const

export type Kind = (typeof kinds)[number] | (typeof onDemand)[number]

export const resources: Readonly<Record<Kind, Resource>> = {
  Namespace: { group: "", version: "v1", plural: "namespaces", kind: "Namespace", namespaced: false },
  Deployment: { group: "apps", version: "v1", plural: "deployments", kind: "Deployment", namespaced: true },
  StatefulSet: { group: "apps", version: "v1", plural: "statefulsets", kind: "StatefulSet", namespaced: true },
  DaemonSet: { group: "apps", version: "v1", plural: "daemonsets", kind: "DaemonSet", namespaced: true },
  ReplicaSet: { group: "apps", version: "v1", plural: "replicasets", kind: "ReplicaSet", namespaced: true },
  Job: { group: "batch", version: "v1", plural: "jobs", kind: "Job", namespaced: true },
  CronJob: { group: "batch", version: "v1", plural: "cronjobs", kind: "CronJob", namespaced: true },
  Node: { group: "", version: "v1", plural: "nodes", kind: "Node", namespaced: false },
  Pod: { group: "", version: "v1", plural: "pods", kind: "Pod", namespaced: true },
  Event: { group: "", version: "v1", plural: "events", kind: "Event", namespaced: true }
}

/** Kinds whose objects can become workload rows, or can affect one. */
export const workloadKinds = [
  "Deployment",
  "StatefulSet",
  "DaemonSet",
  "ReplicaSet",
  "Job",
  "CronJob",
  "Pod"
] as const satisfies ReadonlyArray<Kind>
export type WorkloadKind = (typeof workloadKinds)[number]

/** Kinds whose objects are workloads only while no other object controls them. */
export const linkKinds = ["ReplicaSet", "Job", "Pod"] as const satisfies ReadonlyArray<WorkloadKind>
export type LinkKind = (typeof linkKinds)[number]

export const isLink = (kind: Kind): kind is LinkKind => linkKinds.some((link) => link === kind)

const isWorkloadKind = (kind: string): kind is WorkloadKind =>
  workloadKinds.some((workloadKind) => workloadKind === kind)

/** The kinds to read for an answer. `counting` kinds only add to the rows of the others. */
export interface Needed {
  readonly kinds: ReadonlyArray<WorkloadKind>
  readonly counting: ReadonlyArray<WorkloadKind>
}

/**
 * Returns the kinds to read for workloads of some kinds, or for all workloads.
 *
 * **Shape** always includes pods, ReplicaSets and Jobs: any workload may own pods through them. A workload of a custom
 * kind is known only by such objects that it owns.
 */
export const neededFor = (requested: ReadonlyArray<string> | undefined): Needed => {
  const isCustom = requested?.some((kind) => !isWorkloadKind(kind)) === true
  const kinds = workloadKinds.filter((kind) => requested?.includes(kind) !== false || (isCustom && isLink(kind)))
  return { kinds, counting: linkKinds.filter((kind) => !kinds.includes(kind)) }
}

/** Returns the group of `group/version`; empty for the core group. */
const groupOf = (apiVersion: string): string => {
  const slash = apiVersion.indexOf("/")
  return slash < 0 ? "" : apiVersion.slice(0, slash)
}

/**
 * Returns the workload kind of an owner reference; `undefined` for a custom kind, including a `Job` of another group.
 */
export const ofOwner = (apiVersion: string, kind: string): WorkloadKind | undefined => {
  if (!isWorkloadKind(kind)) return undefined
  const { group, version } = resources[kind]
  const ownerGroup = groupOf(apiVersion)
  // Any version that the group has ever served counts (`apps/v1beta2`). `apps` kinds once belonged to `extensions`.
  const isSame = ownerGroup === group || (group === "apps" && ownerGroup === "extensions")
  return isSame && (group !== "" || apiVersion === version) ? kind : undefined
}

/** Other built-in kinds of Kubernetes whose names custom kinds also use. */
const OTHER_BUILTINS: ReadonlySet<string> = new Set([
  "ConfigMap",
  "Endpoints",
  "Event",
  "HorizontalPodAutoscaler",
  "Ingress",
  "Namespace",
  "Node",
  "PersistentVolume",
  "PersistentVolumeClaim",
  "ReplicationController",
  "Secret",
  "Service",
  "ServiceAccount"
])

/** Custom groups are domain names. Of those, only `*.k8s.io` has built-in kinds. */
const isBuiltinGroup = (group: string): boolean => !group.includes(".") || group.endsWith(".k8s.io")

/**
 * Returns the name of an owner's kind for rows, paths and ids.
 *
 * **Example** `Job` of `batch/v1` is `Job`, `Job` of `batch.volcano.sh/v1alpha1` is `Job.batch.volcano.sh`, `Rollout`
 * of any group is `Rollout`
 */
export const nameOf = (apiVersion: string, kind: string): string => {
  if (ofOwner(apiVersion, kind) !== undefined) return kind
  const group = groupOf(apiVersion)
  if (isWorkloadKind(kind)) return `${kind}.${group === "" ? "core" : group}`
  return OTHER_BUILTINS.has(kind) && !isBuiltinGroup(group) ? `${kind}.${group}` : kind
}
