/**
 * Projects pods: their node, health and requests, and the row of a pod without an owner.
 */
import * as Accelerators from "./Accelerators.ts"
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import * as ContainerState from "./ContainerState.ts"
import { type Fields, fields, isConditionTrue, list, text } from "./Field.ts"
import type { Interner } from "./Interner.ts"
import type { KubeObject } from "../kube/KubeObject.ts"
import * as Owner from "./Owner.ts"
import * as PodContainers from "./PodContainers.ts"
import * as PodResources from "./PodResources.ts"
import * as PodStatus from "./PodStatus.ts"
import * as PodTrouble from "./PodTrouble.ts"
import type { Place } from "./Place.ts"
import type { WorkloadRow, WorkloadStatus } from "./Row.ts"
import * as RowLimit from "./RowLimit.ts"
import * as WorkloadCause from "./WorkloadCause.ts"

/** Creation time of objects that do not report one. */
export const UNKNOWN_TIME = "1970-01-01T00:00:00Z"

/**
 * A cached pod.
 *
 * **Shape** `node` is empty until the pod is bound. `terminating`: the pod is being deleted. `trouble` is absent for
 * pods that are ready or starting normally. `row` is the pod's own row if it has no owner.
 */
export interface PodRecord extends PodResources.PodResources, PodContainers.PodContainers, PodStatus.PodStatus {
  readonly uid: string
  readonly cluster: ClusterName
  readonly namespace: string
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly createdAt: string
  /** Time at which the kubelet accepted the pod; empty before. */
  readonly startedAt: string
  readonly node: string
  readonly phase: string
  readonly ready: boolean
  readonly terminating: boolean
  readonly trouble: PodTrouble.PodTrouble | undefined
  readonly containerState: ContainerState.ContainerState | undefined
  /** True if the pod uses devices through ResourceClaims. */
  readonly hasResourceClaims: boolean
  readonly images: ReadonlyArray<string>
  readonly owner: Owner.Owner | undefined
  readonly row: WorkloadRow | undefined
}

/** Returns whether a pod has ended and uses no resources any more. */
export const isFinished = (pod: Pick<PodRecord, "phase">): boolean =>
  pod.phase === "Succeeded" || pod.phase === "Failed"

export const podRecord = ({ metadata, spec, status }: KubeObject, place: Place): PodRecord => {
  const { cluster, interner } = place
  const specification = fields(spec)
  const state = fields(status)
  const owner = Owner.controllerOf(metadata, interner)
  const terminating = metadata.deletionTimestamp !== undefined
  const resources = PodResources.fromPodSpec(specification)
  const projected = PodContainers.fromPod(metadata.name, specification, state, place)
  const podStatus = PodStatus.fromPod(terminating, specification, state)
  const createdAt = metadata.creationTimestamp ?? UNKNOWN_TIME
  const startedAt = RowLimit.word(text(state["startTime"]) ?? "")
  const phase = interner.text(RowLimit.word(text(state["phase"]) ?? "Pending"))
  const ready = isConditionTrue(state, "Ready")
  // Written as one literal: V8 would store spread fields in a second object.
  const pod: Omit<PodRecord, "row"> & { row: WorkloadRow | undefined } = {
    uid: metadata.uid,
    cluster,
    namespace: interner.text(metadata.namespace ?? ""),
    name: metadata.name,
    labels: interner.labels(metadata.labels ?? {}),
    createdAt,
    // Share the text: most pods are accepted in the second in which they are created.
    startedAt: startedAt === createdAt ? createdAt : startedAt,
    node: interner.text(RowLimit.word(text(specification["nodeName"]) ?? "")),
    phase,
    ready,
    terminating,
    trouble: PodTrouble.fromPod(state, { isReady: ready, phase, word: podStatus.status }, interner),
    containerState: ContainerState.worstOf(state, interner),
    hasResourceClaims: Accelerators.hasResourceClaims(specification),
    images: images(specification, interner),
    owner,
    cpuRequestMillis: resources.cpuRequestMillis,
    memoryRequestBytes: resources.memoryRequestBytes,
    cpuLimitMillis: resources.cpuLimitMillis,
    memoryLimitBytes: resources.memoryLimitBytes,
    containers: projected.containers,
    containerRuns: projected.containerRuns,
    claims: projected.claims,
    status: interner.text(RowLimit.word(podStatus.status)),
    readyContainers: podStatus.readyContainers,
    restarts: podStatus.restarts,
    lastRestartSeconds: podStatus.lastRestartSeconds,
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
  const status = statusOf(pod)
  return {
    id: pod.uid,
    cluster: pod.cluster,
    namespace: pod.namespace,
    kind: "Pod",
    name: pod.name,
    labels: pod.labels,
    images: pod.images,
    replicas: live ? ready : FINISHED,
    status,
    ...causeOf(pod, status),
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

/** Returns the status of a single pod. */
export const statusOf = (pod: Pick<PodRecord, "phase" | "ready" | "trouble">): WorkloadStatus => {
  if (pod.phase === "Succeeded") return "completed"
  if (pod.phase === "Failed") return "failed"
  if (pod.ready) return "healthy"
  return pod.phase === "Pending" && pod.trouble?.level !== "blocked" ? "progressing" : "degraded"
}

/** Returns why a single pod has its status. */
export const causeOf = ({ trouble }: Pick<PodRecord, "trouble">, status: WorkloadStatus): WorkloadCause.Cause =>
  trouble === undefined || (status !== "failed" && status !== "degraded")
    ? {}
    : WorkloadCause.make(trouble.reason, trouble.since)
