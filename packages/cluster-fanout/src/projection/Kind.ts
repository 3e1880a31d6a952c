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

/** The kinds each of whose objects is a row by itself, whatever else there is. */
export const plainKinds = ["Deployment", "StatefulSet", "DaemonSet"] as const satisfies ReadonlyArray<WorkloadKind>
export type PlainKind = (typeof plainKinds)[number]

export const isPlain = (kind: Kind): kind is PlainKind => plainKinds.some((plain) => plain === kind)

/** Beside the kind itself: a CronJob's numbers are those of its Jobs, and any other kind is known by its pods. */
const NEEDED: Readonly<Record<WorkloadKind, ReadonlyArray<WorkloadKind>>> = {
  Deployment: ["Deployment"],
  StatefulSet: ["StatefulSet"],
  DaemonSet: ["DaemonSet"],
  ReplicaSet: ["ReplicaSet"],
  Job: ["Job"],
  CronJob: ["CronJob", "Job"],
  Pod: ["Pod"]
}
const NEEDED_BY_CUSTOM: ReadonlyArray<WorkloadKind> = ["ReplicaSet", "Job", "Pod"]

const isWorkloadKind = (kind: string): kind is WorkloadKind => Object.hasOwn(NEEDED, kind)

/** Tells which kinds must be read to answer for workloads of some kinds; without any, all of them. */
export const neededFor = (asked: ReadonlyArray<string> | undefined): ReadonlyArray<WorkloadKind> => {
  if (asked === undefined) return workloadKinds
  const needed = new Set(asked.flatMap((kind) => (isWorkloadKind(kind) ? NEEDED[kind] : NEEDED_BY_CUSTOM)))
  return workloadKinds.filter((kind) => needed.has(kind))
}

/** Tells which followed workload kind an owner reference names, if any; a custom `Job` of another group is none. */
export const ofOwner = (apiVersion: string, kind: string): WorkloadKind | undefined => {
  if (!isWorkloadKind(kind)) return undefined
  const { group, version } = resources[kind]
  const slash = apiVersion.indexOf("/")
  const ownerGroup = slash < 0 ? "" : apiVersion.slice(0, slash)
  // The version may be any that the group has served (`apps/v1beta2`).
  return ownerGroup === group && (group !== "" || apiVersion === version) ? kind : undefined
}
