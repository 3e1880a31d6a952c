/**
 * Projects the built-in workload kinds. The status follows from what each kind's controller reports.
 *
 * | kind | desired replicas |
 * |---|---|
 * | Deployment, StatefulSet, ReplicaSet | `spec.replicas` |
 * | DaemonSet | nodes that should run it |
 * | Job | pods that should run now: its parallelism, at most the completions left; none once finished or suspended |
 * | CronJob | the sum over its running Jobs, known from the Jobs themselves |
 */
import { condition, count, type Fields, fields, isConditionTrue } from "./Field.ts"
import type { WorkloadKind } from "./Kind.ts"
import type { KubeObject } from "../kube/KubeObject.ts"
import * as Owner from "./Owner.ts"
import { images, UNKNOWN_TIME } from "./PodProjection.ts"
import * as PodResources from "./PodResources.ts"
import type { Place } from "./Place.ts"
import type { WorkloadRow, WorkloadStatus } from "./Row.ts"
import * as WorkloadCause from "./WorkloadCause.ts"

/**
 * A cached workload object: its own row and its owner.
 *
 * **Shape** `madeReplicas` is the number of pods that a Deployment's controller reports; absent for other kinds.
 */
export interface WorkloadRecord {
  readonly uid: string
  readonly resourceVersion: string
  readonly madeReplicas?: number
  readonly owner: Owner.Owner | undefined
  readonly row: WorkloadRow
}

type Replicas = WorkloadRow["replicas"]

/** **Shape** `cause` explains a failed or degraded status; absent for any other. */
interface Judged {
  readonly replicas: Replicas
  readonly status: WorkloadStatus
  readonly cause?: WorkloadCause.Cause
}

/** Adds the cause to a failed or degraded status. */
const judged = (replicas: Replicas, status: WorkloadStatus, cause: () => WorkloadCause.Cause): Judged =>
  status === "failed" || status === "degraded" ? { replicas, status, cause: cause() } : { replicas, status }

export const deployment = (object: KubeObject, place: Place): WorkloadRecord => {
  const spec = fields(object["spec"])
  const status = fields(object["status"])
  const replicas = {
    desired: count(spec["replicas"]) ?? 1,
    ready: count(status["readyReplicas"]) ?? 0,
    updated: count(status["updatedReplicas"]) ?? 0,
    available: count(status["availableReplicas"]) ?? 0
  }
  const result = judged(replicas, judgeDeployment(object, replicas), () => WorkloadCause.ofDeployment(status))
  return {
    ...record("Deployment", object, place, fields(spec["template"]), result),
    madeReplicas: count(status["replicas"]) ?? 0
  }
}

const judgeDeployment = (object: KubeObject, replicas: Replicas): WorkloadStatus => {
  const status = fields(object["status"])
  if (fields(object["spec"])["paused"] === true) return "paused"
  if (replicas.desired === 0) return "idle"
  if (!isObserved(object)) return "progressing"
  const progress = condition(status, "Progressing")
  if (progress?.["reason"] === "ProgressDeadlineExceeded") return "degraded"
  const total = count(status["replicas"]) ?? replicas.updated
  if (replicas.updated < replicas.desired || total > replicas.updated) return "progressing"
  if (replicas.available >= replicas.desired) return "healthy"
  // A rollout that has never completed is progressing until the controller's deadline.
  const rollingOut = progress?.["status"] === "True" && progress["reason"] !== "NewReplicaSetAvailable"
  return rollingOut ? "progressing" : "degraded"
}

export const statefulSet = (object: KubeObject, place: Place): WorkloadRecord => {
  const spec = fields(object["spec"])
  const status = fields(object["status"])
  const ready = count(status["readyReplicas"]) ?? 0
  const replicas = {
    desired: count(spec["replicas"]) ?? 1,
    ready,
    updated: count(status["updatedReplicas"]) ?? 0,
    available: count(status["availableReplicas"]) ?? ready
  }
  const strategy = fields(spec["updateStrategy"])
  const partition = count(fields(strategy["rollingUpdate"])["partition"]) ?? 0
  // Pods below the partition keep their revision on purpose, and with OnDelete all of them do.
  const toUpdate = strategy["type"] === "OnDelete" ? 0 : Math.max(0, replicas.desired - partition)
  const result = judged(replicas, judgeRollout(object, replicas, toUpdate), () => WorkloadCause.unavailable)
  return record("StatefulSet", object, place, fields(spec["template"]), result)
}

export const daemonSet = (object: KubeObject, place: Place): WorkloadRecord => {
  const spec = fields(object["spec"])
  const status = fields(object["status"])
  const replicas = {
    desired: count(status["desiredNumberScheduled"]) ?? 0,
    ready: count(status["numberReady"]) ?? 0,
    updated: count(status["updatedNumberScheduled"]) ?? 0,
    available: count(status["numberAvailable"]) ?? 0
  }
  const toUpdate = fields(spec["updateStrategy"])["type"] === "OnDelete" ? 0 : replicas.desired
  // The number of nodes is known only after the controller has processed the object.
  const rollout = isObserved(object) ? judgeRollout(object, replicas, toUpdate) : "progressing"
  const result = judged(replicas, rollout, () => WorkloadCause.unavailable)
  return record("DaemonSet", object, place, fields(spec["template"]), result)
}

export const replicaSet = (object: KubeObject, place: Place): WorkloadRecord => {
  const spec = fields(object["spec"])
  const status = fields(object["status"])
  const created = count(status["replicas"]) ?? 0
  const replicas = {
    desired: count(spec["replicas"]) ?? 1,
    ready: count(status["readyReplicas"]) ?? 0,
    updated: created,
    available: count(status["availableReplicas"]) ?? 0
  }
  const failing = replicas.desired > 0 && isConditionTrue(status, "ReplicaFailure")
  const rollout = failing ? "degraded" : judgeRollout(object, replicas, replicas.desired)
  const result = judged(replicas, rollout, () => WorkloadCause.ofReplicaSet(status))
  return record("ReplicaSet", object, place, fields(spec["template"]), result)
}

const judgeRollout = (object: KubeObject, replicas: Replicas, toUpdate: number): WorkloadStatus => {
  if (replicas.desired === 0) return "idle"
  if (!isObserved(object) || replicas.updated < toUpdate) return "progressing"
  return replicas.available >= replicas.desired ? "healthy" : "degraded"
}

export const job = (object: KubeObject, place: Place): WorkloadRecord => {
  const spec = fields(object["spec"])
  const status = fields(object["status"])
  const active = count(status["active"]) ?? 0
  const ended = isConditionTrue(status, "Complete")
    ? "completed"
    : isConditionTrue(status, "Failed")
      ? "failed"
      : undefined
  const desired = ended !== undefined || spec["suspend"] === true ? 0 : jobPods(spec, status, active)
  // Servers before 1.24 do not report readiness.
  const ready = count(status["ready"]) ?? active
  const replicas = { desired, ready, updated: active, available: ready }
  const progress = ended ?? judgeJob(spec, status, desired, ready)
  const result = judged(replicas, progress, () => WorkloadCause.ofJob(status, ended === "failed"))
  return record("Job", object, place, fields(spec["template"]), result)
}

const jobPods = (spec: Fields, status: Fields, active: number): number => {
  const parallelism = count(spec["parallelism"])
  const completions = count(spec["completions"]) ?? (parallelism === undefined ? 1 : undefined)
  const succeeded = count(status["succeeded"]) ?? 0
  // A work queue without completions starts no pod once one has succeeded.
  if (completions === undefined) return succeeded > 0 ? active : (parallelism ?? 1)
  return Math.min(parallelism ?? 1, Math.max(0, completions - succeeded))
}

const judgeJob = (spec: Fields, status: Fields, desired: number, ready: number): WorkloadStatus => {
  if (spec["suspend"] === true) return "paused"
  if (count(spec["parallelism"]) === 0) return "idle"
  if (desired > 0 && ready >= desired) return "healthy"
  return (count(status["failed"]) ?? 0) > 0 ? "degraded" : "progressing"
}

export const cronJob = (object: KubeObject, place: Place): WorkloadRecord => {
  const spec = fields(object["spec"])
  const jobSpec = fields(fields(spec["jobTemplate"])["spec"])
  return record("CronJob", object, place, fields(jobSpec["template"]), {
    replicas: { desired: 0, ready: 0, updated: 0, available: 0 },
    status: spec["suspend"] === true ? "paused" : "idle"
  })
}

/**
 * Returns whether the controller has processed the current spec. Until then, the reported figures are those of an
 * earlier spec.
 */
const isObserved = (object: KubeObject): boolean => {
  const { generation } = fields(object.metadata)
  return (count(fields(object["status"])["observedGeneration"]) ?? 0) >= (count(generation) ?? 0)
}

const record = (
  kind: WorkloadKind,
  object: KubeObject,
  { cluster, interner }: Place,
  template: Fields,
  { cause, replicas, status }: Judged
): WorkloadRecord => {
  const { metadata } = object
  const podSpec = fields(template["spec"])
  return {
    uid: metadata.uid,
    resourceVersion: metadata.resourceVersion,
    owner: Owner.controllerOf(metadata, interner),
    row: {
      id: metadata.uid,
      cluster,
      namespace: interner.text(metadata.namespace ?? ""),
      kind,
      name: metadata.name,
      labels: interner.labels(metadata.labels ?? {}),
      images: images(podSpec, interner),
      replicas,
      status,
      ...cause,
      ...PodResources.times(PodResources.fromPodSpec(podSpec), replicas.desired),
      createdAt: metadata.creationTimestamp ?? UNKNOWN_TIME
    }
  }
}
