/**
 * Makes the rows of pods when they are shown.
 */
import * as Owner from "./Owner.ts"
import { isFinished, type PodRecord } from "./PodProjection.ts"
import * as PodResources from "./PodResources.ts"
import type { PodRow } from "./Row.ts"

/** Rows by record. The row of an unchanged record keeps its identity, because other caches use rows as keys. */
const rows = new WeakMap<PodRecord, PodRow>()

/**
 * Returns the row of a pod.
 *
 * **Shape** `owner` is the outermost known workload. A finished pod requests nothing.
 */
export const of = (pod: PodRecord, chain: Owner.Chain | undefined): PodRow => {
  const owner = ownerOf(pod, chain)
  const known = rows.get(pod)
  if (known !== undefined && known.owner?.kind === owner?.kind && known.owner?.name === owner?.name) return known
  const row = make(pod, owner)
  rows.set(pod, row)
  return row
}

const ownerOf = (pod: PodRecord, chain: Owner.Chain | undefined): PodRow["owner"] => {
  const owner = chain === undefined ? pod.owner : Owner.outermost(pod, chain)?.workload
  return owner === undefined ? null : { kind: owner.kind, name: owner.name }
}

const make = (pod: PodRecord, owner: PodRow["owner"]): PodRow => {
  const { cpuLimitMillis, cpuRequestMillis, memoryLimitBytes, memoryRequestBytes } = isFinished(pod)
    ? PodResources.none
    : pod
  return {
    id: pod.uid,
    cluster: pod.cluster,
    namespace: pod.namespace,
    name: pod.name,
    labels: pod.labels,
    owner,
    phase: pod.phase,
    status: pod.status,
    readyContainers: pod.readyContainers,
    containers: pod.containers.reduce((count, { role }) => (role === "init" ? count : count + 1), 0),
    restarts: pod.restarts,
    ...pod.containerState,
    ...(pod.lastRestartSeconds === 0 ? {} : { lastRestartAt: timestamp(pod.lastRestartSeconds) }),
    node: pod.node === "" ? null : pod.node,
    images: pod.images,
    cpuRequestMillis,
    memoryRequestBytes,
    cpuLimitMillis,
    memoryLimitBytes,
    ...(pod.startedAt === "" ? {} : { startedAt: pod.startedAt }),
    createdAt: pod.createdAt
  }
}

const timestamp = (seconds: number): string => `${new Date(seconds * 1_000).toISOString().slice(0, 19)}Z`

/**
 * Returns the row for a reader.
 *
 * **Shape** the message of a terminated container may be log text, so a reader who may not read logs does not get it.
 */
export const readable = (row: PodRow, mayReadLogs: boolean | undefined): PodRow => {
  if (mayReadLogs === true || row.lastTermination?.message === undefined) return row
  const known = shortened.get(row)
  if (known !== undefined) return known
  const { message: _message, ...lastTermination } = row.lastTermination
  const made = { ...row, lastTermination }
  shortened.set(row, made)
  return made
}

/** Rows without log text, by their whole row. The text of an unchanged row is cached by its identity. */
const shortened = new WeakMap<PodRow, PodRow>()
