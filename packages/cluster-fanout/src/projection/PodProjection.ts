/**
 * Projects pods: their place, health and requests, and the row of a pod that nobody owns.
 */
import * as Accelerators from "./Accelerators.ts"
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { condition, type Fields, fields, isConditionTrue, list, text } from "./Field.ts"
import type { Interner } from "./Interner.ts"
import type { KubeObject } from "../kube/KubeObject.ts"
import * as Owner from "./Owner.ts"
import * as PodContainers from "./PodContainers.ts"
import * as PodResources from "./PodResources.ts"
import * as PodStatus from "./PodStatus.ts"
import type { Place } from "./Place.ts"
import type { WorkloadRow, WorkloadStatus } from "./Row.ts"
import * as RowLimit from "./RowLimit.ts"

/** Stands for a creation time that an object does not tell. */
export const UNKNOWN_TIME = "1970-01-01T00:00:00Z"

/**
 * A pod as the cache holds it.
 *
 * **Shape** `node` is empty until the pod is bound; `terminating` pods are being deleted; `troubled` ones wait for
 * something that will not come by itself. `row` is the row that the pod makes when it has no owner.
 */
export interface PodRecord extends PodResources.PodResources, PodContainers.PodContainers, PodStatus.PodStatus {
  readonly uid: string
  readonly cluster: ClusterName
  readonly namespace: string
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly createdAt: string
  /** When the kubelet took the pod; empty before. */
  readonly startedAt: string
  readonly node: string
  readonly phase: string
  readonly ready: boolean
  readonly terminating: boolean
  readonly troubled: boolean
  /** Whether it gets devices by ResourceClaims. */
  readonly hasResourceClaims: boolean
  readonly images: ReadonlyArray<string>
  readonly owner: Owner.Owner | undefined
  readonly row: WorkloadRow | undefined
}

/** Tells whether a pod has ended and uses nothing any more. */
export const isFinished = (pod: Pick<PodRecord, "phase">): boolean =>
  pod.phase === "Succeeded" || pod.phase === "Failed"

export const podRecord = ({ metadata, spec, status }: KubeObject, place: Place): PodRecord => {
  const { cluster, interner } = place
  const specification = fields(spec)
  const state = fields(status)
  const owner = Owner.controllerOf(metadata, interner)
  const terminating = metadata.deletionTimestamp !== undefined
  const resources = PodResources.fromPodSpec(specification)
  const ofContainers = PodContainers.fromPod(metadata.name, specification, state, place)
  const stands = PodStatus.fromPod(terminating, specification, state)
  const createdAt = metadata.creationTimestamp ?? UNKNOWN_TIME
  const startedAt = RowLimit.word(text(state["startTime"]) ?? "")
  // Written out as one literal: what is spread into another has a part of its fields in a second object.
  const pod: Omit<PodRecord, "row"> & { row: WorkloadRow | undefined } = {
    uid: metadata.uid,
    cluster,
    namespace: interner.text(metadata.namespace ?? ""),
    name: metadata.name,
    labels: interner.labels(metadata.labels ?? {}),
    createdAt,
    // Most are taken in the second in which they are created.
    startedAt: startedAt === createdAt ? createdAt : startedAt,
    node: interner.text(RowLimit.word(text(specification["nodeName"]) ?? "")),
    phase: interner.text(RowLimit.word(text(state["phase"]) ?? "Pending")),
    ready: isConditionTrue(state, "Ready"),
    terminating,
    troubled: isTroubled(state),
    hasResourceClaims: Accelerators.hasResourceClaims(specification),
    images: images(specification, interner),
    owner,
    cpuRequestMillis: resources.cpuRequestMillis,
    memoryRequestBytes: resources.memoryRequestBytes,
    cpuLimitMillis: resources.cpuLimitMillis,
    memoryLimitBytes: resources.memoryLimitBytes,
    containers: ofContainers.containers,
    containerRuns: ofContainers.containerRuns,
    claims: ofContainers.claims,
    status: interner.text(RowLimit.word(stands.status)),
    readyContainers: stands.readyContainers,
    restarts: stands.restarts,
    lastRestartSeconds: stands.lastRestartSeconds,
    row: undefined
  }
  if (owner === undefined) pod.row = bareRow(pod)
  return pod
}

const FINISHED = { desired: 0, ready: 0, updated: 0, available: 0 }
const UNREADY = { desired: 1, ready: 0, updated: 1, available: 0 }
const READY = { desired: 1, ready: 1, updated: 1, available: 1 }

/** Makes the row of a pod that is a workload itself. */
export const bareRow = (pod: PodRecord): WorkloadRow => {
  const live = !isFinished(pod)
  const { cpuLimitMillis, cpuRequestMillis, memoryLimitBytes, memoryRequestBytes } = live ? pod : PodResources.none
  const ready = pod.ready ? READY : UNREADY
  return {
    id: pod.uid,
    cluster: pod.cluster,
    namespace: pod.namespace,
    kind: "Pod",
    name: pod.name,
    labels: pod.labels,
    images: pod.images,
    replicas: live ? ready : FINISHED,
    status: statusOf(pod),
    cpuRequestMillis,
    memoryRequestBytes,
    cpuLimitMillis,
    memoryLimitBytes,
    createdAt: pod.createdAt
  }
}

/** Returns the first distinct images of a pod spec, containers before init containers. */
export const images = (spec: Fields, interner: Interner): ReadonlyArray<string> => {
  const found: Array<string> = []
  for (const field of ["containers", "initContainers"]) {
    for (const container of list(spec[field])) {
      const image = text(fields(container)["image"])
      if (image !== undefined && image !== "") found.push(image)
    }
  }
  return interner.texts(RowLimit.images(found))
}

/** Judges one pod by itself. */
export const statusOf = (pod: Pick<PodRecord, "phase" | "ready" | "troubled">): WorkloadStatus => {
  if (pod.phase === "Succeeded") return "completed"
  if (pod.phase === "Failed") return "failed"
  if (pod.ready) return "healthy"
  return pod.phase === "Pending" && !pod.troubled ? "progressing" : "degraded"
}

/** Reasons to wait that mend only when somebody acts, or that follow a failure. */
const TROUBLE = new Set([
  "CrashLoopBackOff",
  "CreateContainerConfigError",
  "CreateContainerError",
  "ErrImageNeverPull",
  "ErrImagePull",
  "ImageInspectError",
  "ImagePullBackOff",
  "InvalidImageName",
  "RunContainerError"
])

const isTroubled = (status: Fields): boolean => {
  const scheduled = condition(status, "PodScheduled")
  if (scheduled?.["status"] === "False" && scheduled["reason"] === "Unschedulable") return true
  return ["containerStatuses", "initContainerStatuses"].some((field) =>
    list(status[field]).some((container) => {
      const reason = text(fields(fields(fields(container)["state"])["waiting"])["reason"])
      return reason !== undefined && TROUBLE.has(reason)
    })
  )
}
