/**
 * Finds the workload that a pod is charged to, as the cache knows it.
 */
import { type ClusterStore, Kind, Owner } from "@quarterdeck/cluster-fanout"
import type { WorkloadRow } from "@quarterdeck/cluster-fanout/Row"
import { isOwner, type Series } from "../hour/Series.ts"

/** What of a pod decides its workload. A pod without an owner is a workload itself. */
export interface Owned {
  readonly uid: string
  readonly namespace: string
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly owner?: Owner.Owner | undefined
}

/**
 * Finds the workloads that pods belong to.
 *
 * **Limits** one object for all pods of a workload, as long as its labels stay.
 */
export interface WorkloadSeries {
  /** Finds the workload. **Shape** `undefined` while an owner between the pod and the workload is not known. */
  readonly find: (pod: Owned) => Series | undefined
  /** The same for pods of kinds that the cache follows, as soon as they are told. **Limits** a few look-ups. */
  readonly findFollowed: (pod: Owned) => Series | undefined
  /** Finds the workload as the last known owner names it, known or not. **Shape** `undefined` where the pod itself names it. */
  readonly findNamed: (pod: Owned) => Series | undefined
}

/** Beyond so many workloads, names are made anew. */
const CAPACITY = 65_536

/** Makes the finder over one cluster's records. */
export const make = (store: ClusterStore.ClusterStore): WorkloadSeries => {
  const known = new Map<string, Series>()
  const custom = customRows(store)

  const share = (series: Series): Series => {
    const key = `${series.namespace}/${series.uid}`
    const before = known.get(key)
    if (before?.labels === series.labels && before.name === series.name) return before
    if (known.size >= CAPACITY) known.clear()
    known.set(key, series)
    return series
  }

  const labelsOf = (pod: Owned, workload: Owner.Owner): Series["labels"] => {
    if (workload.followed === undefined) return custom(pod.namespace, workload)?.labels ?? pod.labels
    const record = store.table(workload.followed).records.get(workload.uid)
    if (record === undefined) return known.get(`${pod.namespace}/${workload.uid}`)?.labels ?? NO_LABELS
    const isOwner = Owner.find(workload, pod.namespace, store.chain) !== undefined
    return isOwner && "row" in record ? ("labels" in record ? record.labels : record.row.labels) : NO_LABELS
  }

  const seriesOf = (pod: Owned, workload: Owner.Owner): Series => {
    const { kind, name, uid } = workload
    return share({ namespace: pod.namespace, kind, name, uid, labels: labelsOf(pod, workload) })
  }

  /** Owners of these kinds have owners of their own, so that one that is not there is no workload yet, or no more. */
  const isSettled = ({ namespace }: Owned, workload: Owner.Owner): boolean =>
    workload.followed === undefined
    || !Kind.isLink(workload.followed)
    || Owner.find(workload, namespace, store.chain) !== undefined

  const find = (pod: Owned): Series | undefined => {
    const workload = Owner.outermost(pod, store.chain)?.workload
    if (workload === undefined) return ofPod(pod)
    return isSettled(pod, workload) ? seriesOf(pod, workload) : undefined
  }

  const findFollowed = (pod: Owned): Series | undefined => {
    const workload = Owner.outermost(pod, store.chain)?.workload
    if (workload === undefined) return ofPod(pod)
    return workload.followed !== undefined && isSettled(pod, workload) ? seriesOf(pod, workload) : undefined
  }

  const findNamed = (pod: Owned): Series | undefined => {
    const found = Owner.outermost(pod, store.chain)
    return found === undefined || found.between === "none" ? undefined : seriesOf(pod, found.workload)
  }

  return { find, findFollowed, findNamed }
}

const NO_LABELS: Series["labels"] = {}

const ofPod = ({ labels, name, namespace, uid }: Owned): Series => ({ namespace, kind: "Pod", name, uid, labels })

/** Stands for a workload that was never found: what holds the pod directly. */
export const nearest = (pod: Owned): Series => {
  if (pod.owner === undefined || !isOwner(pod.owner)) return ofPod(pod)
  const { kind, name, uid } = pod.owner
  return { namespace: pod.namespace, kind, name, uid, labels: NO_LABELS }
}

/** Looks up the rows of custom kinds, whose labels are those that their pods have in common. */
const customRows = (
  store: ClusterStore.ClusterStore
): ((namespace: string, workload: Owner.NamedOwner) => WorkloadRow | undefined) => {
  let rows: ReadonlyArray<WorkloadRow> = []
  let index: ReadonlyMap<string, WorkloadRow> = new Map()
  return (namespace, { kind, name }) => {
    const present = store.workloads()
    if (present !== rows) {
      rows = present
      index = new Map(present.map((row) => [`${row.namespace}/${row.kind}/${row.name}`, row]))
    }
    return index.get(`${namespace}/${kind}/${name}`)
  }
}
