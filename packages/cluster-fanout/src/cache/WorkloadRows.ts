/**
 * Makes rows from several objects: a CronJob and its Jobs, a workload and further pods, or pods alone.
 */
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import type { Group, OwnedPod } from "./OwnedPods.ts"
import { causeOf, isFinished, type PodRecord, statusOf } from "../projection/PodProjection.ts"
import * as PodResources from "../projection/PodResources.ts"
import type { WorkloadRow, WorkloadStatus } from "../projection/Row.ts"
import * as RowLimit from "../projection/RowLimit.ts"
import type { WorkloadRecord } from "../projection/WorkloadProjection.ts"
import * as WorkloadCause from "../projection/WorkloadCause.ts"
import * as WorkloadTrouble from "./WorkloadTrouble.ts"

/**
 * Makes the row of a workload that is known only by its pods, such as one of a custom kind.
 *
 * **Shape** `undefined` if the cache follows the kind and all pods are being deleted: then their owner was deleted
 * before them.
 *
 * **Limits** sorts the pods.
 */
export const ofPods = (cluster: ClusterName, group: Group): WorkloadRow | undefined => {
  const members = [...group.values()].toSorted((left, right) => (left.pod.uid < right.pod.uid ? -1 : 1))
  const [first] = members
  if (first === undefined) throw new RangeError("a group without pods has no row")
  const sorted = members.map(({ pod }) => pod)
  if (first.workload.followed !== undefined && sorted.every((pod) => pod.terminating)) return undefined
  const active = sorted.filter(isActive)
  const ready = active.filter((pod) => pod.ready).length
  const described = active.length > 0 ? active : sorted
  const status = groupStatus(sorted, active, ready)
  const troubles = (status === "failed" ? sorted : active).flatMap(({ trouble }) => trouble ?? [])
  const { workload } = members.reduce(
    (newest, member) => (member.pod.createdAt > newest.pod.createdAt ? member : newest),
    first
  )
  return {
    // An owner that was created again has another uid. The row has the owner uid that the newest pod reports.
    id: workload.uid,
    cluster,
    namespace: first.pod.namespace,
    kind: workload.kind,
    name: workload.name,
    labels: commonLabels(described),
    images: RowLimit.images([...new Set(described.flatMap((pod) => pod.images))].toSorted()),
    replicas: { desired: active.length, ready, updated: active.length, available: ready },
    status,
    ...WorkloadTrouble.ofPods(status, troubles),
    ...sumOf(active),
    createdAt: sorted.reduce(
      (earliest, pod) => (pod.createdAt < earliest ? pod.createdAt : earliest),
      first.pod.createdAt
    )
  }
}

/** Returns whether a pod counts towards the replicas and requests of its workload. */
const isActive = (pod: PodRecord): boolean => !isFinished(pod) && !pod.terminating

const sumOf = (parts: ReadonlyArray<PodResources.PodResources>): PodResources.PodResources => {
  const { cpuLimitMillis, cpuRequestMillis, memoryLimitBytes, memoryRequestBytes } =
    parts.reduce<PodResources.PodResources>(PodResources.add, PodResources.none)
  return { cpuRequestMillis, memoryRequestBytes, cpuLimitMillis, memoryLimitBytes }
}

const groupStatus = (
  all: ReadonlyArray<PodRecord>,
  active: ReadonlyArray<PodRecord>,
  ready: number
): WorkloadStatus => {
  if (active.length > 0) {
    if (ready === active.length) return "healthy"
    return active.some((pod) => !pod.ready && (pod.phase !== "Pending" || pod.trouble?.level === "blocked"))
      ? "degraded"
      : "progressing"
  }
  const finished = all.filter(isFinished)
  if (finished.length === 0) return "idle"
  return finished.some((pod) => pod.phase === "Failed") ? "failed" : "completed"
}

/** Returns the labels that all pods share. A label of only some pods does not describe their owner. */
const commonLabels = (pods: ReadonlyArray<PodRecord>): Readonly<Record<string, string>> => {
  const [first, ...others] = pods
  if (first === undefined || others.every((pod) => pod.labels === first.labels)) return first?.labels ?? {}
  return Object.fromEntries(
    Object.entries(first.labels).filter(([key, value]) => others.every((pod) => pod.labels[key] === value))
  )
}

/** A Job or pod that a row includes. */
interface Part extends PodResources.PodResources, WorkloadCause.Cause {
  readonly replicas: WorkloadRow["replicas"]
  readonly status: WorkloadStatus
}

/**
 * Adds to a workload's own row the Jobs and pods that the figures of the row do not include.
 *
 * **Shape** `lacking` is the number of a Deployment's replicas that its ReplicaSets do not have. That many of the pods
 * that the Deployment controls directly are not added, because they count as these replicas. The row of a CronJob or
 * Pod has the replicas and status of everything that runs for it. Other kinds keep the replicas and status that their
 * controller reports. Returns the same row if nothing is added.
 */
export const withPods = (
  row: WorkloadRow,
  lacking: number,
  running: ReadonlyArray<WorkloadRecord>,
  group: Group | undefined
): WorkloadRow => {
  const members = group === undefined ? [] : [...group.values()].filter(({ pod }) => isActive(pod))
  if (row.kind === "CronJob" || row.kind === "Pod") {
    return withParts(row, [...running.map((job) => job.row), ...members.map(({ pod }) => partOf(pod))])
  }
  const beyond = beyondTemplate(members, lacking)
  return beyond.length === 0 ? row : { ...row, ...sumOf([row, ...beyond.map(({ pod }) => pod)]) }
}

/**
 * Returns the pods that are not among the replicas that a Deployment wants.
 *
 * `lacking` of these replicas are not in its ReplicaSets. The same number of pods that the Deployment controls
 * directly, the oldest first, count as these replicas, so they are left out.
 */
const beyondTemplate = (members: ReadonlyArray<OwnedPod>, lacking: number): ReadonlyArray<OwnedPod> => {
  if (lacking <= 0) return members
  const direct = members.filter(({ isDirect }) => isDirect).toSorted(byAge)
  const replicas = new Set(direct.slice(0, lacking))
  return members.filter((member) => !replicas.has(member))
}

const byAge = ({ pod: left }: OwnedPod, { pod: right }: OwnedPod): number =>
  left.createdAt === right.createdAt ? (left.uid < right.uid ? -1 : 1) : left.createdAt < right.createdAt ? -1 : 1

const partOf = (pod: PodRecord): Part => {
  const ready = pod.ready ? 1 : 0
  const status = statusOf(pod)
  const replicas = { desired: 1, ready, updated: 1, available: ready }
  return { ...sumOf([pod]), replicas, status, ...causeOf(pod, status) }
}

const withParts = (row: WorkloadRow, parts: ReadonlyArray<Part>): WorkloadRow => {
  if (parts.length === 0) return row
  const all = [row, ...parts]
  const sum = (field: keyof WorkloadRow["replicas"]) => all.reduce((total, { replicas }) => total + replicas[field], 0)
  // A workload that wants no replicas of its own has ended, or runs only through its Jobs and pods. Its own status does
  // not count then.
  const running = row.replicas.desired === 0 ? parts : all
  const status = row.status === "paused" ? "paused" : worst(running.map((part) => part.status))
  const degraded = status === "degraded" ? running.filter((part) => part.status === "degraded") : []
  return {
    ...WorkloadTrouble.withCause(row, status, WorkloadCause.worstOf(degraded)),
    replicas: { desired: sum("desired"), ready: sum("ready"), updated: sum("updated"), available: sum("available") },
    ...sumOf(all)
  }
}

const BY_CONCERN = ["degraded", "progressing", "healthy"] as const

const worst = (statuses: ReadonlyArray<WorkloadStatus>): WorkloadStatus =>
  BY_CONCERN.find((status) => statuses.includes(status)) ?? "idle"
