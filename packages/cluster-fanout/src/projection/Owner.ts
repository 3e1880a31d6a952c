/**
 * Who holds an object: the controller among its owner references, and up the chain the workload.
 */
import type { Interner } from "./Interner.ts"
import * as Kind from "./Kind.ts"
import type { KubeObject } from "../kube/KubeObject.ts"

/**
 * The object that controls another; `followed` names its kind when it is one that the cache follows itself, and custom
 * kinds have none.
 */
export interface Owner {
  readonly kind: string
  readonly name: string
  readonly uid: string
  readonly followed: Kind.WorkloadKind | undefined
}

/** Gives the owner that controls an object; a reference that only ties its lifetime is no owner in this sense. */
export const controllerOf = (metadata: KubeObject["metadata"], interner: Interner): Owner | undefined => {
  const reference = metadata.ownerReferences?.find((owner) => owner.controller === true)
  if (reference === undefined) return undefined
  return {
    kind: interner.text(reference.kind),
    name: interner.text(reference.name),
    uid: interner.text(reference.uid),
    followed: Kind.ofOwner(reference.apiVersion, reference.kind)
  }
}

/** What is told of an owner. */
export type NamedOwner = Pick<Owner, "kind" | "name">

/** Something between a pod and its workload. */
interface Link {
  readonly owner: Owner | undefined
  readonly row: { readonly namespace: string }
}

/** What holds pods in between: ReplicaSets and Jobs, by uid. */
export interface Chain {
  readonly ReplicaSet: ReadonlyMap<string, Link>
  readonly Job: ReadonlyMap<string, Link>
}

/**
 * Follows the owner of a pod up to the workload: through a ReplicaSet or Job to what owns that.
 *
 * **Shape** `undefined` when the namespace has no such ReplicaSet or Job that is known (yet, or any more). One of another
 * namespace owns nothing here, whatever a pod says of itself.
 *
 * **Source** Kubernetes, "Owners and dependents": a namespaced owner is in the namespace of what it owns.
 */
export const workloadOf = (owner: Owner, namespace: string, chain: Chain): Owner | undefined => {
  if (owner.followed !== "ReplicaSet" && owner.followed !== "Job") return owner
  const link = chain[owner.followed].get(owner.uid)
  return link?.row.namespace === namespace ? (link.owner ?? owner) : undefined
}

/** Gives the workload of a pod's owner, or the owner itself while what stands between is not known. */
export const nearestWorkload = (owner: Owner, namespace: string, chain: Chain): Owner =>
  workloadOf(owner, namespace, chain) ?? owner
