/**
 * What hours are kept for: one life of a workload under one set of labels, or a cost that belongs to no workload.
 */
import * as KindName from "@quarterdeck/cluster-fanout/KindName"

/**
 * Kinds that are no Kubernetes kind: what a cluster costs beside its workloads.
 *
 * **Shape** `__idle__` has a node's name: what the node costs less what is allocated on it, which may be negative.
 * `__unmounted__` has the name and namespace of a claim, volume or Service: storage that no pod mounts, and load balancers
 * without pods. `__management__` is the
 * control plane's own fee.
 */
export const IDLE = "__idle__"
export const UNMOUNTED = "__unmounted__"
export const MANAGEMENT = "__management__"

/** Tells whether a series is a workload's, not a cost beside them. */
export const isWorkload = ({ kind }: Pick<Series, "kind">): boolean =>
  kind !== IDLE && kind !== UNMOUNTED && kind !== MANAGEMENT

/** Tells whether an owner can be a workload. **Shape** the kinds of this module are refused: no author of a pod is charged to them. */
export const isOwner: (owner: Pick<Series, "kind" | "name">) => boolean = KindName.isWorkload

/**
 * One life of a workload under one set of labels.
 *
 * A recreated workload has another `uid`, and one whose labels changed other `labels`: each is a series of its
 * own, so that an hour keeps the labels it had. Rows of reports join them by namespace, kind and name.
 */
export interface Series {
  readonly namespace: string
  readonly kind: string
  readonly name: string
  readonly uid: string
  readonly labels: Readonly<Record<string, string>>
}

/** Tells series apart, within one cluster. **Limits** equal for equal series, whatever the order of their labels. */
export const keyOf = ({ namespace, kind, name, uid, labels }: Series): string =>
  JSON.stringify([namespace, kind, name, uid, Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : 1))])
