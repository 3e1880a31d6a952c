/**
 * The kinds that the cache follows, for ever or while they are asked for, and which of them a question needs.
 */
import type { Resource } from "../kube/KubeObject.ts"

/** The kinds in the order in which a cluster's first sync takes them: scope first, then rows, then the many. */
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
/** Followed while somebody asks for them. */
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

/** The kinds whose objects can become workload rows, or be needed to decide one. */
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

const isWorkloadKind = (kind: string): kind is WorkloadKind => workloadKinds.some((one) => one === kind)

/** The kinds to read for an answer, and those that only add to the rows of the others. */
export interface Needed {
  readonly kinds: ReadonlyArray<WorkloadKind>
  readonly counting: ReadonlyArray<WorkloadKind>
}

/**
 * Lists the kinds to read for workloads of some kinds; without any, for all workloads.
 *
 * **Shape** any workload may count pods that other pods, ReplicaSets and Jobs lead to, so these three are always among them.
 * Custom kinds are known by these three alone.
 */
export const neededFor = (asked: ReadonlyArray<string> | undefined): Needed => {
  const isCustom = asked?.some((kind) => !isWorkloadKind(kind)) === true
  const kinds = workloadKinds.filter((kind) => asked?.includes(kind) !== false || (isCustom && isLink(kind)))
  return { kinds, counting: linkKinds.filter((kind) => !kinds.includes(kind)) }
}

/** Splits `group/version`; the core group is the empty text. */
const groupOf = (apiVersion: string): string => {
  const slash = apiVersion.indexOf("/")
  return slash < 0 ? "" : apiVersion.slice(0, slash)
}

/** Returns the workload kind that an owner reference names; `undefined` for a custom kind, a `Job` of another group included. */
export const ofOwner = (apiVersion: string, kind: string): WorkloadKind | undefined => {
  if (!isWorkloadKind(kind)) return undefined
  const { group, version } = resources[kind]
  const named = groupOf(apiVersion)
  // The version may be any that the group has served (`apps/v1beta2`), and `apps` was a part of `extensions` once.
  const isSame = named === group || (group === "apps" && named === "extensions")
  return isSame && (group !== "" || apiVersion === version) ? kind : undefined
}

/** Further kinds of Kubernetes itself whose names custom kinds share. */
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

/** Custom groups are domain names; of those only `*.k8s.io` has built-in kinds. */
const isBuiltinGroup = (group: string): boolean => !group.includes(".") || group.endsWith(".k8s.io")

/**
 * Names the kind of an owner in rows, paths and ids.
 *
 * **Example** `Job` of `batch/v1` is `Job`, `Job` of `batch.volcano.sh/v1alpha1` is `Job.batch.volcano.sh`, `Rollout` of any group
 * is `Rollout`
 */
export const nameOf = (apiVersion: string, kind: string): string => {
  if (ofOwner(apiVersion, kind) !== undefined) return kind
  const group = groupOf(apiVersion)
  if (isWorkloadKind(kind)) return `${kind}.${group === "" ? "core" : group}`
  return OTHER_BUILTINS.has(kind) && !isBuiltinGroup(group) ? `${kind}.${group}` : kind
}
