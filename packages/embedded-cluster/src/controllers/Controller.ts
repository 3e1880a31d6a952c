/**
 * The interface of controllers: which changes concern them, and how they reconcile one object.
 */
import type { Kernel } from "../core/Kernel.ts"
import type { Resource } from "../core/Resource.ts"
import type { Failure, Outcome } from "../core/Status.ts"
import type { Change } from "../core/Store.ts"
import type { Stored } from "../core/Stored.ts"
import type { PodIndex } from "./PodIndex.ts"

/** State that all controllers of a cluster share. */
export interface Cluster {
  readonly kernel: Kernel
  readonly pods: PodIndex
  /** PEM of the certificate authority of the cluster's server. */
  readonly caPem: string
}

/**
 * Context of one reconciliation. **Shape** when `hasTime` returns false, the reconciliation calls `again` and
 * returns.
 */
export interface Turn extends Cluster {
  /** Returns whether the current time slice has time left. */
  readonly hasTime: () => boolean
  /** Queues the key again, behind all queued keys. */
  readonly again: () => void
  /** Queues the key again after a delay. A later call for the same key replaces an earlier one. */
  readonly after: (ms: number) => void
  /** Queues the key again after a delay that doubles with each consecutive failure. */
  readonly failed: (failure: Failure) => void
}

/** Returns the keys of the objects to reconcile after a change of an object. */
export type KeysOf = (change: Change, cluster: Cluster) => Iterable<string>

export interface Watch {
  readonly resource: Resource
  readonly keys: KeysOf
}

/**
 * Reconciles the objects of one kind with their desired state.
 *
 * **Shape** `watches` maps changes of some kinds to the keys of the objects to reconcile; `every` maps changes of all
 * kinds. `reconcile` depends only on the current state, so it may run at any time and any number of times. It is
 * synchronous, so no other write occurs between its first read and its last write.
 */
export interface Controller {
  readonly name: string
  readonly watches: ReadonlyArray<Watch>
  readonly every?: KeysOf
  readonly reconcile: (turn: Turn, key: string) => void
}

/** Maps a change to the key of the changed object. */
export const ownKey: KeysOf = ({ after, before }) => {
  const stored = after ?? before
  return stored === undefined ? [] : [stored.key]
}

/** Field manager of the controllers' writes. */
export const MANAGER = { manager: "kube-controller-manager", dryRun: false }

/** Returns the object with a key, if it exists. */
export const existing = ({ kernel }: Turn, resource: Resource, key: string): Stored | undefined =>
  kernel.store.get(resource, key)

/** Returns whether an outcome is a success. A failure is queued for a retry. */
export const succeeded = <A>(turn: Turn, outcome: Outcome<A>): boolean => {
  if (outcome._tag === "Success") return true
  turn.failed(outcome.failure)
  return false
}
