/** The clusters of a platform, which are added and removed at run time. */
import { RegistrySnapshot } from "@quarterdeck/cluster-fanout"
import type { Connection } from "@quarterdeck/cluster-fanout/Cluster"
import type { ClusterRegistry, RegistrySnapshot as Snapshot } from "@quarterdeck/cluster-fanout/ClusterRegistry"
import { Effect, SubscriptionRef } from "effect"

export class Inventory {
  readonly #parent: string
  readonly #clusters: Map<string, { readonly connection: Connection }>
  readonly #snapshots: SubscriptionRef.SubscriptionRef<Snapshot>
  /** The registry for Quarterdeck. */
  readonly registry: ClusterRegistry["Service"]

  /** **Shape** `parent` is the cluster that a request addresses if it names no cluster. It cannot be removed. */
  constructor(parent: string, connection: Connection) {
    this.#parent = parent
    this.#clusters = new Map([[parent, { connection }]])
    this.#snapshots = Effect.runSync(SubscriptionRef.make(this.#snapshot()))
    this.registry = {
      snapshot: SubscriptionRef.get(this.#snapshots),
      changes: SubscriptionRef.changes(this.#snapshots)
    }
  }

  register(name: string, connection: Connection): void {
    this.#clusters.set(name, { connection })
    this.#publish()
  }

  remove(name: string): void {
    if (name === this.#parent) throw new Error(`${name} is the parent and cannot be removed`)
    this.#clusters.delete(name)
    this.#publish()
  }

  #publish(): void {
    Effect.runSync(SubscriptionRef.set(this.#snapshots, this.#snapshot()))
  }

  #snapshot() {
    return RegistrySnapshot.make({ parent: this.#parent, clusters: Object.fromEntries(this.#clusters) })
  }
}
