/**
 * What hours are kept for: one life of a workload under one set of labels, or a cost that belongs to no workload.
 */

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

/** What an API server takes as a kind is up to it, but every kind that it serves is written so. */
const KIND = /^[A-Z][A-Za-z0-9]{0,62}$/
/** No object's name has a slash, which parts kinds from names elsewhere, or a control character. */
const NAME = /^[^/\p{Cc}]+$/u

/**
 * Tells whether an owner can be a workload.
 *
 * Whoever writes a pod writes its owner as well, and nobody checks it: one with a kind of ours, such as
 * `__idle__`, or with a name that reads as another row's, is none.
 */
export const isOwner = ({ kind, name }: Pick<Series, "kind" | "name">): boolean => KIND.test(kind) && NAME.test(name)

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
