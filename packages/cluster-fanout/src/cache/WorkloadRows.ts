/**
 * The rows that are made of several objects: a CronJob's of its Jobs, a custom kind's of its pods.
 */
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import type { Group } from "./OwnedPods.ts"
import { isFinished, type PodRecord } from "../projection/PodProjection.ts"
import * as PodResources from "../projection/PodResources.ts"
import type { WorkloadRow, WorkloadStatus } from "../projection/Row.ts"
import type { WorkloadRecord } from "../projection/WorkloadProjection.ts"

/** Makes the row of a custom kind. **Limits** sorts the pods. */
export const ofPods = (cluster: ClusterName, group: Group): WorkloadRow => {
  const members = [...group.values()].toSorted((one, other) => (one.pod.uid < other.pod.uid ? -1 : 1))
  const [first] = members
  if (first === undefined) throw new RangeError("a group without pods has no row")
  const sorted = members.map(({ pod }) => pod)
  const active = sorted.filter((pod) => !isFinished(pod) && !pod.terminating)
  const ready = active.filter((pod) => pod.ready).length
  const resources = active.reduce<PodResources.PodResources>(PodResources.add, PodResources.none)
  const described = active.length > 0 ? active : sorted
  return {
    id: first.workload.uid,
    cluster,
    namespace: first.pod.namespace,
    kind: first.workload.kind,
    name: first.workload.name,
    labels: commonLabels(described),
    images: [...new Set(described.flatMap((pod) => pod.images))].toSorted(),
    replicas: { desired: active.length, ready, updated: active.length, available: ready },
    status: groupStatus(sorted, active, ready),
    cpuRequestMillis: resources.cpuRequestMillis,
    memoryRequestBytes: resources.memoryRequestBytes,
    cpuLimitMillis: resources.cpuLimitMillis,
    memoryLimitBytes: resources.memoryLimitBytes,
    createdAt: sorted.reduce(
      (earliest, pod) => (pod.createdAt < earliest ? pod.createdAt : earliest),
      first.pod.createdAt
    )
  }
}

const groupStatus = (
  all: ReadonlyArray<PodRecord>,
  active: ReadonlyArray<PodRecord>,
  ready: number
): WorkloadStatus => {
  if (active.length > 0) {
    if (ready === active.length) return "healthy"
    return active.some((pod) => !pod.ready && (pod.phase !== "Pending" || pod.troubled)) ? "degraded" : "progressing"
  }
  const finished = all.filter(isFinished)
  if (finished.length === 0) return "idle"
  return finished.some((pod) => pod.phase === "Failed") ? "failed" : "completed"
}

/** A label that only some pods carry describes those pods, not what owns them. */
const commonLabels = (pods: ReadonlyArray<PodRecord>): Readonly<Record<string, string>> => {
  const [first, ...others] = pods
  if (first === undefined || others.every((pod) => pod.labels === first.labels)) return first?.labels ?? {}
  return Object.fromEntries(
    Object.entries(first.labels).filter(([key, value]) => others.every((pod) => pod.labels[key] === value))
  )
}

/** Makes the row of a CronJob from its own and from its Jobs that have not ended. */
export const ofCronJob = (row: WorkloadRow, running: ReadonlyArray<WorkloadRecord>): WorkloadRow => {
  if (running.length === 0) return row
  const sum = (field: keyof WorkloadRow["replicas"]) =>
    running.reduce((total, job) => total + job.row.replicas[field], 0)
  const resources = running.reduce<PodResources.PodResources>(
    (total, job) => PodResources.add(total, job.row),
    PodResources.none
  )
  return {
    ...row,
    replicas: { desired: sum("desired"), ready: sum("ready"), updated: sum("updated"), available: sum("available") },
    status: row.status === "paused" ? "paused" : worst(running.map((job) => job.row.status)),
    ...resources
  }
}

const BY_CONCERN = ["degraded", "progressing", "healthy"] as const

const worst = (statuses: ReadonlyArray<WorkloadStatus>): WorkloadStatus =>
  BY_CONCERN.find((status) => statuses.includes(status)) ?? "idle"
