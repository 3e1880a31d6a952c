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

/**
 * A cached workload object: its own row and its owner.
 *
 * **Shape** `madeReplicas` is the number of pods that a Deployment's controller reports; absent for other kinds.
 */
export interface WorkloadRecord {
  readonly uid: string
  readonly madeReplicas?: number
  readonly owner: Owner.Owner | undefined
  readonly row: WorkloadRow
}

type Replicas = WorkloadRow["replicas"]

interface Judged {
  readonly replicas: Replicas
  readonly status: WorkloadStatus
}

export const deployment = (object: KubeObject, place: Place): WorkloadRecord => {
  const spec = fields(object["spec"])
  const status = fields(object["status"])
  const replicas = {
    desired: count(spec["replicas"]) ?? 1,
    ready: count(status["readyReplicas"]) ?? 0,
    updated: count(status["updatedReplicas"]) ?? 0,
    available: count(status["availableReplicas"]) ?? 0
  }
  const judged = { replicas, status: judgeDeployment(object, replicas) }
  return {
    ...record("Deployment", object, place, fields(spec["template"]), judged),
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
  return record("StatefulSet", object, place, fields(spec["template"]), {
    replicas,
    status: judgeRollout(object, replicas, toUpdate)
  })
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
  const judged = isObserved(object) ? judgeRollout(object, replicas, toUpdate) : "progressing"
  return record("DaemonSet", object, place, fields(spec["template"]), { replicas, status: judged })
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
  return record("ReplicaSet", object, place, fields(spec["template"]), {
    replicas,
    status: failing ? "degraded" : judgeRollout(object, replicas, replicas.desired)
  })
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
  return record("Job", object, place, fields(spec["template"]), {
    replicas: { desired, ready, updated: active, available: ready },
    status: ended ?? judgeJob(spec, status, desired, ready)
  })
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
  judged: Judged
): WorkloadRecord => {
  const { metadata } = object
  const podSpec = fields(template["spec"])
  return {
    uid: metadata.uid,
    owner: Owner.controllerOf(metadata, interner),
    row: {
      id: metadata.uid,
      cluster,
      namespace: interner.text(metadata.namespace ?? ""),
      kind,
      name: metadata.name,
      labels: interner.labels(metadata.labels ?? {}),
      images: images(podSpec, interner),
      replicas: judged.replicas,
      status: judged.status,
      ...PodResources.times(PodResources.fromPodSpec(podSpec), judged.replicas.desired),
      createdAt: metadata.creationTimestamp ?? UNKNOWN_TIME
    }
  }
}
