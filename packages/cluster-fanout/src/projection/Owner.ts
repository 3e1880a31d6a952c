/**
 * Finds the owner of an object: its controller, and the workload at the top of the owner chain.
 */
import type { Interner } from "./Interner.ts"
import * as Kind from "./Kind.ts"
import * as KindName from "./KindName.ts"
import type { KubeObject } from "../kube/KubeObject.ts"
import * as RowLimit from "./RowLimit.ts"

/**
 * The controller of an object, as its owner reference says.
 *
 * **Shape** `kind` is spelled as in rows (`Job.batch.volcano.sh`). `followed` is the kind if the cache follows it, and
 * `undefined` for a custom kind.
 */
export interface Owner {
  readonly kind: string
  readonly name: string
  readonly uid: string
  readonly followed: Kind.WorkloadKind | undefined
}

/**
 * Returns the controller of an object.
 *
 * **Shape** `undefined` without a controller and for a reference that is not a valid workload name. Also `undefined` if
 * the controller is a Node, as for the mirror pods of static pods.
 */
export const controllerOf = (metadata: KubeObject["metadata"], interner: Interner): Owner | undefined => {
  const reference = metadata.ownerReferences?.find((owner) => owner.controller === true)
  if (reference === undefined) return undefined
  const kind = Kind.nameOf(reference.apiVersion, reference.kind)
  if (kind === "Node" || !KindName.isWorkload({ kind, name: reference.name })) return undefined
  return {
    kind: interner.text(kind),
    name: interner.text(reference.name),
    uid: interner.text(RowLimit.word(reference.uid)),
    followed: Kind.ofOwner(reference.apiVersion, reference.kind)
  }
}

/** The kind and name of an owner. */
export type NamedOwner = Pick<Owner, "kind" | "name">

interface Place {
  readonly namespace: string
  readonly name: string
}

/** An object that may be an owner. */
export type Link = { readonly owner: Owner | undefined } & (Place | { readonly row: Place })

/** The objects of one cluster by kind and uid. */
export interface Chain {
  readonly find: (kind: Kind.WorkloadKind, uid: string) => Link | undefined
}

/** The object at which a search starts. */
export interface Owned {
  readonly uid: string
  readonly namespace: string
  readonly owner?: Owner | undefined
}

/**
 * The workload that an object belongs to.
 *
 * **Shape** `between` is the kind of the only object in between, `none` if the workload controls the object directly,
 * and `several` for longer chains.
 */
export interface Outermost {
  readonly workload: Owner
  readonly between: Kind.LinkKind | "none" | "several"
}

/** Longest chain that is followed. Chains of real controllers have up to five owners. */
export const MOST_OWNERS = 64

/**
 * Follows the owners of an object to the outermost known one.
 *
 * **Shape** `undefined` if the object is a workload itself: it has no owner, or more than `MOST_OWNERS`. Deployments,
 * StatefulSets, DaemonSets, CronJobs and custom kinds end a chain. So does an unknown owner; its kind and name come
 * from the reference. In a cycle of owners, each object is a workload itself.
 *
 * **Limits** two lookups for a pod of a Deployment, `MOST_OWNERS` at most.
 *
 * **Source** Kubernetes, "Owners and dependents": a namespaced owner is in the namespace of its dependent, and a
 * reference counts only if its name and uid match the owner.
 */
export const outermost = (object: Owned, chain: Chain): Outermost | undefined => {
  if (object.owner === undefined) return undefined
  let owner: Owner = object.owner
  let between: Outermost["between"] = "none"
  for (let owners = 0; owners < MOST_OWNERS; owners++) {
    if (owner.followed === undefined || !Kind.isLink(owner.followed)) return { workload: owner, between }
    const next: Owner | undefined = find(owner, object.namespace, chain)?.owner
    if (next === undefined) return { workload: owner, between }
    between = between === "none" ? owner.followed : "several"
    owner = next
  }
  return outermostOfCycle(object, chain)
}

/**
 * Finds the object of an owner reference. **Shape** `undefined` for a custom kind, another namespace or an unknown
 * object.
 */
export const find = ({ followed, name, uid }: Owner, namespace: string, chain: Chain): Link | undefined => {
  const link = followed === undefined ? undefined : chain.find(followed, uid)
  if (link === undefined) return undefined
  const place = "row" in link && link.row !== undefined ? link.row : link
  return "namespace" in place && place.namespace === namespace && place.name === name ? link : undefined
}

/** Returns the first object of the cycle that an endless chain leads to; `undefined` if `object` is part of it. */
const outermostOfCycle = (object: Owned, chain: Chain): Outermost | undefined => {
  const visited = new Set([object.uid])
  let owner = object.owner
  while (owner !== undefined && visited.size <= MOST_OWNERS) {
    if (owner.uid === object.uid) return undefined
    if (visited.has(owner.uid)) {
      return { workload: owner, between: owner.uid === object.owner?.uid ? "none" : "several" }
    }
    visited.add(owner.uid)
    owner = find(owner, object.namespace, chain)?.owner
  }
  return undefined
}
