/**
 * Makes the workload rows of one cluster from its projected objects.
 *
 * A row belongs to the outermost thing that holds pods: an owned ReplicaSet or Job makes none, a CronJob's numbers are
 * those of its Jobs, and a custom kind is known only by its pods. The result does not depend on the order in which
 * objects became known.
 */
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import type * as Kind from "../projection/Kind.ts"
import * as Owner from "../projection/Owner.ts"
import { isFinished, type PodRecord } from "../projection/PodProjection.ts"
import * as PodResources from "../projection/PodResources.ts"
import type { RecordOf } from "../projection/Projection.ts"
import type { WorkloadRow, WorkloadStatus } from "../projection/Row.ts"
import type { WorkloadRecord } from "../projection/WorkloadProjection.ts"

/** The records of one cluster, by uid; a kind that was not read is empty. */
export type Records = { readonly [K in Kind.WorkloadKind]: ReadonlyMap<string, RecordOf[K]> }

const PLAIN = ["Deployment", "StatefulSet", "DaemonSet"] as const
const UNOWNED = ["ReplicaSet", "Job"] as const

/**
 * Derives the rows.
 *
 * **Limits** linear in the objects; a cluster of 20,000 pods takes a few milliseconds.
 */
export const derive = (cluster: ClusterName, records: Records): ReadonlyArray<WorkloadRow> => {
  const rows: Array<WorkloadRow> = []
  for (const kind of PLAIN) {
    for (const { row } of records[kind].values()) rows.push(row)
  }
  for (const kind of UNOWNED) {
    for (const { owner, row } of records[kind].values()) {
      if (owner === undefined) rows.push(row)
    }
  }
  for (const row of cronJobs(records)) rows.push(row)
  const groups = new Map<string, Group>()
  for (const pod of records.Pod.values()) {
    if (pod.row !== undefined) rows.push(pod.row)
    else if (pod.owner !== undefined) collect(groups, pod, pod.owner, records)
  }
  for (const group of groups.values()) rows.push(groupRow(cluster, group))
  return rows
}

interface Group {
  readonly owner: Owner.Owner
  readonly pods: Array<PodRecord>
}

const collect = (groups: Map<string, Group>, pod: PodRecord, owner: Owner.Owner, records: Records): void => {
  const workload = Owner.workloadOf(owner, pod.namespace, records)
  if (workload === undefined || workload.followed !== undefined) return
  // An owner without a namespace may hold pods in several; each namespace has its own row.
  const key = `${pod.namespace}/${workload.uid}`
  const group = groups.get(key)
  if (group === undefined) groups.set(key, { owner: workload, pods: [pod] })
  else group.pods.push(pod)
}

const groupRow = (cluster: ClusterName, { owner, pods }: Group): WorkloadRow => {
  const sorted = pods.toSorted((one, other) => (one.uid < other.uid ? -1 : 1))
  const active = sorted.filter((pod) => !isFinished(pod) && !pod.terminating)
  const ready = active.filter((pod) => pod.ready).length
  const resources = active.reduce<PodResources.PodResources>(PodResources.add, PodResources.none)
  const described = active.length > 0 ? active : sorted
  return {
    id: owner.uid,
    cluster,
    namespace: sorted[0]?.namespace ?? "",
    kind: owner.kind,
    name: owner.name,
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
      sorted[0]?.createdAt ?? ""
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

const cronJobs = (records: Records): ReadonlyArray<WorkloadRow> => {
  const running = new Map<string, Array<WorkloadRecord>>()
  for (const job of records.Job.values()) {
    if (job.owner === undefined || job.row.status === "completed" || job.row.status === "failed") continue
    const key = `${job.row.namespace}/${job.owner.uid}`
    const jobs = running.get(key)
    if (jobs === undefined) running.set(key, [job])
    else jobs.push(job)
  }
  return [...records.CronJob.values()].map(({ row, uid }) =>
    cronJobRow(row, running.get(`${row.namespace}/${uid}`) ?? [])
  )
}

const cronJobRow = (row: WorkloadRow, running: ReadonlyArray<WorkloadRecord>): WorkloadRow => {
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
