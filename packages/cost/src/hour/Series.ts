/**
 * A series is a workload from its creation to its deletion with one set of labels, or a cost that belongs to no
 * workload.
 */
import * as KindName from "@quarterdeck/cluster-fanout/KindName"

/**
 * Kinds that mark costs of a cluster outside its workloads. They are no Kubernetes kinds.
 *
 * **Shape** `__idle__` has the name of a node. Its cost is the node's cost minus the allocation on it, possibly negative.
 * `__unmounted__` has the name and namespace of a claim, volume or Service: storage that no pod mounts, and load balancers
 * without pods. `__management__` is the fee of the control plane.
 */
export const IDLE = "__idle__"
export const UNMOUNTED = "__unmounted__"
export const MANAGEMENT = "__management__"

/** Returns true if a series belongs to a workload. */
export const isWorkload = ({ kind }: Pick<Series, "kind">): boolean =>
  kind !== IDLE && kind !== UNMOUNTED && kind !== MANAGEMENT

/**
 * Returns true if an owner can be a workload.
 *
 * **Shape** false for the three kinds above, so that no pod can be charged to them.
 */
export const isOwner: (owner: Pick<Series, "kind" | "name">) => boolean = KindName.isWorkload

/**
 * A workload from its creation to its deletion with one set of labels, or a cost that belongs to no workload.
 *
 * Recreating a workload changes its `uid`, and relabelling changes `labels`. Either starts a new series, so an hour keeps the
 * labels of its time. Reports join series by namespace, kind and name.
 */
export interface Series {
  readonly namespace: string
  readonly kind: string
  readonly name: string
  readonly uid: string
  readonly labels: Readonly<Record<string, string>>
}

/** Returns the key of a series within a cluster. Independent of the order of labels. */
export const keyOf = ({ namespace, kind, name, uid, labels }: Series): string =>
  JSON.stringify([namespace, kind, name, uid, Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : 1))])
