/** What a fleet offers while it runs. */
import { Effect } from "effect"
import type { FleetCluster } from "./FleetCluster.ts"
import { HarnessError, InvalidFleet } from "../machine/HarnessError.ts"

/** The clusters of a fleet, and how to enter them. */
export interface RunningFleet {
  readonly parent: FleetCluster
  readonly children: ReadonlyArray<FleetCluster>
  /** The parent, then the children in the order in which they were named. */
  readonly clusters: ReadonlyArray<FleetCluster>
  /** Gets the cluster of that name. **Errors** `InvalidFleet` when the fleet has none. */
  readonly cluster: (name: string) => Effect.Effect<FleetCluster, HarnessError>
  /** A kubeconfig of the administrator: one context a cluster, named like it; the parent is current. */
  readonly kubeconfig: string
  /** The same for another user. **Errors** `InvalidFleet` when the fleet has no such user. */
  readonly kubeconfigFor: (user: string) => Effect.Effect<string, HarnessError>
  /** Takes the present objects of every cluster as those that `reset` goes back to; see `ClusterDriver`. */
  readonly checkpoint: Effect.Effect<void, HarnessError>
  /** Takes every cluster back to its last checkpoint, all at once, while they run on. */
  readonly reset: Effect.Effect<void, HarnessError>
  /**
   * Saves the whole fleet into a directory, which is made, for `FleetOptions.from`.
   *
   * **Errors** `NotSupported` where the driver cannot.
   */
  readonly save: (directory: string) => Effect.Effect<void, HarnessError>
}

/** Gives the way to find one of some clusters by its name. **Errors** `InvalidFleet` when none has it. */
export const byName =
  (clusters: ReadonlyArray<FleetCluster>): RunningFleet["cluster"] =>
  (name) => {
    const found = clusters.find((cluster) => cluster.name === name)
    if (found !== undefined) return Effect.succeed(found)
    return Effect.fail(new HarnessError({ reason: new InvalidFleet({ problem: `no cluster is named ${name}` }) }))
  }
