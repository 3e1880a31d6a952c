/**
 * What a controller is: which changes concern it, and how it takes one object a step nearer to what it should be.
 */
import type { Kernel } from "../core/Kernel.ts"
import type { Resource } from "../core/Resource.ts"
import type { Failure, Outcome } from "../core/Status.ts"
import type { Change } from "../core/Store.ts"
import type { Stored } from "../core/Stored.ts"
import type { PodIndex } from "./PodIndex.ts"

/** What all controllers of a cluster share. */
export interface Cluster {
  readonly kernel: Kernel
  readonly pods: PodIndex
  /** PEM of the authority that verifies the cluster's server. */
  readonly caPem: string
}

/** One look at one object. **Shape** a reconciliation that runs out of time asks for another turn and ends. */
export interface Turn extends Cluster {
  /** Whether the present slice of the event loop still has time. */
  readonly hasTime: () => boolean
  /** Asks for another turn after everybody else's. */
  readonly again: () => void
  /** Asks for another turn after a while; a later call for the same key replaces it. */
  readonly after: (ms: number) => void
  /** Asks for another turn after a pause that doubles with every failure in a row. */
  readonly failed: (failure: Failure) => void
}

/** The keys that a change concerns. */
export type KeysOf = (change: Change, cluster: Cluster) => Iterable<string>

export interface Watch {
  readonly resource: Resource
  readonly keys: KeysOf
}

/**
 * Brings the objects of one kind to what they should be.
 *
 * **Shape** `watches` says which changes concern which keys; `every` sees the changes of all kinds. `reconcile` looks at
 * the present state alone, so it may be called at any time and as often as one likes. It is synchronous: between its
 * first look and its last write nobody else writes.
 */
export interface Controller {
  readonly name: string
  readonly watches: ReadonlyArray<Watch>
  readonly every?: KeysOf
  readonly reconcile: (turn: Turn, key: string) => void
}

/** The key of the object itself. */
export const ownKey: KeysOf = ({ after, before }) => {
  const stored = after ?? before
  return stored === undefined ? [] : [stored.key]
}

/** Who writes, as the field manager of what the controllers write. */
export const MANAGER = { manager: "kube-controller-manager", dryRun: false }

/** The object behind a key, unless it is gone. */
export const living = ({ kernel }: Turn, resource: Resource, key: string): Stored | undefined =>
  kernel.store.get(resource, key)

/** Reports a failed outcome; gives whether it was a success. */
export const settled = <A>(turn: Turn, outcome: Outcome<A>): boolean => {
  if (outcome._tag === "Success") return true
  turn.failed(outcome.failure)
  return false
}
