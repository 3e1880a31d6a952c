/**
 * Finds the workload that a pod is charged to, using the cluster cache.
 */
import { type ClusterStore, Kind, Owner } from "@quarterdeck/cluster-fanout"
import type { WorkloadRow } from "@quarterdeck/cluster-fanout/Row"
import { isOwner, type Series } from "../hour/Series.ts"

/** The properties of a pod that determine its workload. A pod without an owner is its own workload. */
export interface Owned {
  readonly uid: string
  readonly namespace: string
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly owner?: Owner.Owner | undefined
}

/**
 * Finds the workloads of pods.
 *
 * **Limits** pods of one workload share one series object while its labels do not change.
 */
export interface WorkloadSeries {
  /** Returns the workload. **Shape** `undefined` while an owner between the pod and the workload is unknown. */
  readonly find: (pod: Owned) => Series | undefined
  /** Like `find`, but only for kinds that the cache watches. **Limits** a few lookups. */
  readonly findFollowed: (pod: Owned) => Series | undefined
  /** Like `find`, but also returns a workload that the cache lacks, if an owner between pod and workload is known. */
  readonly findNamed: (pod: Owned) => Series | undefined
}

/** Maximum number of shared series objects. Beyond it the cache is cleared. */
const CAPACITY = 65_536

/** Creates the finder over one cluster's cache. */
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

  /** Returns true if an owner is the workload. An unknown ReplicaSet, for example, may have an owner itself. */
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

/** Returns the pod's direct owner, or the pod itself. Used if the workload was never found. */
export const nearest = (pod: Owned): Series => {
  if (pod.owner === undefined || !isOwner(pod.owner)) return ofPod(pod)
  const { kind, name, uid } = pod.owner
  return { namespace: pod.namespace, kind, name, uid, labels: NO_LABELS }
}

/** Returns a lookup of custom workloads. Their labels are those that their pods have in common. */
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
