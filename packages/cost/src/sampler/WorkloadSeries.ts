/**
 * Finds the workload that a pod is charged to, as the cache knows it.
 */
import { ClusterStore, Owner } from "@quarterdeck/cluster-fanout"
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
  /** Finds the workload: the pod itself if its owner cannot be one; `undefined` while what stands between pod and workload is not known. */
  readonly find: (pod: Owned) => Series | undefined
  /** The same for pods of kinds that the cache follows, as soon as they are told. **Limits** a few look-ups. */
  readonly findFollowed: (pod: Owned) => Series | undefined
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

  const labelsOf = (workload: Owner.Owner, pod: Owned): Series["labels"] => {
    if (workload.followed === undefined) return custom(pod.namespace, workload.uid)?.labels ?? pod.labels
    const record = store.table(workload.followed).records.get(workload.uid)
    if (record === undefined) return known.get(`${pod.namespace}/${workload.uid}`)?.labels ?? NO_LABELS
    return "row" in record && record.row?.namespace === pod.namespace ? record.row.labels : NO_LABELS
  }

  const seriesOf = (pod: Owned, workload: Owner.Owner): Series => {
    if (!isOwner(workload)) return ofPod(pod)
    const { kind, name, uid } = workload
    return share({ namespace: pod.namespace, kind, name, uid, labels: labelsOf(workload, pod) })
  }

  const workloadOf = (owner: Owner.Owner, namespace: string): Owner.Owner | undefined =>
    Owner.workloadOf(owner, namespace, {
      ReplicaSet: store.table("ReplicaSet").records,
      Job: store.table("Job").records
    })

  const find = (pod: Owned): Series | undefined => {
    if (pod.owner === undefined) return ofPod(pod)
    const workload = workloadOf(pod.owner, pod.namespace)
    return workload === undefined ? undefined : seriesOf(pod, workload)
  }

  const findFollowed = (pod: Owned): Series | undefined => {
    if (pod.owner === undefined) return ofPod(pod)
    const workload = workloadOf(pod.owner, pod.namespace)
    if (workload !== undefined && !isOwner(workload)) return ofPod(pod)
    return workload?.followed === undefined ? undefined : seriesOf(pod, workload)
  }

  return { find, findFollowed }
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
): ((namespace: string, uid: string) => WorkloadRow | undefined) => {
  let rows: ReadonlyArray<WorkloadRow> = []
  let index: ReadonlyMap<string, WorkloadRow> = new Map()
  return (namespace, uid) => {
    const present = store.workloads()
    if (present !== rows) {
      rows = present
      index = new Map(present.map((row) => [`${row.namespace}/${row.id}`, row]))
    }
    return index.get(`${namespace}/${uid}`)
  }
}
