/**
 * The owner of an object: the controller among its owner references, and up the chain the workload that a pod counts to.
 */
import type { Interner } from "./Interner.ts"
import * as Kind from "./Kind.ts"
import * as KindName from "./KindName.ts"
import type { KubeObject } from "../kube/KubeObject.ts"
import * as RowLimit from "./RowLimit.ts"

/**
 * The object that controls another, as the owner reference names it.
 *
 * **Shape** `kind` is written as rows have it (`Job.batch.volcano.sh`); `followed` is the kind if the cache follows it, and
 * `undefined` for a custom kind.
 */
export interface Owner {
  readonly kind: string
  readonly name: string
  readonly uid: string
  readonly followed: Kind.WorkloadKind | undefined
}

/**
 * Returns the owner that controls an object.
 *
 * **Shape** `undefined` without a controller, for a Node, which controls the mirrors of its static pods, and for a reference
 * that names no workload.
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

/** An object that another may name as its owner. */
export type Link = { readonly owner: Owner | undefined } & (Place | { readonly row: Place })

/** The objects of one cluster by kind and uid. */
export interface Chain {
  readonly find: (kind: Kind.WorkloadKind, uid: string) => Link | undefined
}

/** The object that a search starts from. */
export interface Owned {
  readonly uid: string
  readonly namespace: string
  readonly owner?: Owner | undefined
}

/**
 * The workload that an object counts to.
 *
 * **Shape** `between` has the kind of the only object between, `none` if the workload controls the object itself, and
 * `several` beyond that.
 */
export interface Outermost {
  readonly workload: Owner
  readonly between: Kind.LinkKind | "none" | "several"
}

/** The longest chain that is followed. Chains of real controllers have up to five owners. */
export const MOST_OWNERS = 64

/**
 * Follows the owners of an object up to the outermost one that is known.
 *
 * **Shape** `undefined` for an object that is a workload itself: one without owner, or with more than `MOST_OWNERS` of them.
 * Deployments, StatefulSets, DaemonSets, CronJobs and custom kinds end a chain. So does an owner that is not in the chain:
 * it is named as the reference names it. In a circle of owners each is a workload itself.
 *
 * **Limits** two look-ups for a pod of a Deployment, `MOST_OWNERS` for any object.
 *
 * **Source** Kubernetes, "Owners and dependents": a namespaced owner is in the namespace of its dependent, and a reference
 * counts only if name and uid are the owner's.
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
  return ofCircle(object, chain)
}

/** Finds an owner by its reference. **Shape** `undefined` for one of a custom kind, of another namespace, or that is not known. */
export const find = ({ followed, name, uid }: Owner, namespace: string, chain: Chain): Link | undefined => {
  const link = followed === undefined ? undefined : chain.find(followed, uid)
  if (link === undefined) return undefined
  const place = "row" in link && link.row !== undefined ? link.row : link
  return "namespace" in place && place.namespace === namespace && place.name === name ? link : undefined
}

/** Follows a chain without end to the first object of its circle. */
const ofCircle = (object: Owned, chain: Chain): Outermost | undefined => {
  const passed = new Set([object.uid])
  let owner = object.owner
  while (owner !== undefined && passed.size <= MOST_OWNERS) {
    if (owner.uid === object.uid) return undefined
    if (passed.has(owner.uid)) {
      return { workload: owner, between: owner.uid === object.owner?.uid ? "none" : "several" }
    }
    passed.add(owner.uid)
    owner = find(owner, object.namespace, chain)?.owner
  }
  return undefined
}
