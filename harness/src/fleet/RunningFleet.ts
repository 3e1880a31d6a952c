import { Effect } from "effect"
import type { FleetCluster } from "./FleetCluster.ts"
import { HarnessError, InvalidFleet } from "../machine/HarnessError.ts"

/** The clusters of a running fleet, their kubeconfigs and operations on all of them. */
export interface RunningFleet {
  readonly parent: FleetCluster
  readonly children: ReadonlyArray<FleetCluster>
  /** The parent, then the children in the order of the options. */
  readonly clusters: ReadonlyArray<FleetCluster>
  /** Returns the cluster of that name. **Errors** `InvalidFleet` if the fleet has none. */
  readonly cluster: (name: string) => Effect.Effect<FleetCluster, HarnessError>
  /**
   * A kubeconfig of the administrator with one context per cluster, named like the cluster. The parent's context is
   * current.
   */
  readonly kubeconfig: string
  /**
   * Returns a kubeconfig with the same contexts for another user. **Errors** `InvalidFleet` if the fleet has no such
   * user.
   */
  readonly kubeconfigFor: (user: string) => Effect.Effect<string, HarnessError>
  /** Makes the present objects of every cluster the state that `reset` restores. See `ClusterDriver`. */
  readonly checkpoint: Effect.Effect<void, HarnessError>
  /** Restores every cluster to its last checkpoint, in parallel and without a restart. */
  readonly reset: Effect.Effect<void, HarnessError>
  /**
   * Saves the fleet into a new directory, for `FleetOptions.from`.
   *
   * **Errors** `NotSupported` if the driver cannot save clusters.
   */
  readonly save: (directory: string) => Effect.Effect<void, HarnessError>
}

/** Returns a function that finds a cluster by name. **Errors** `InvalidFleet` if no cluster has the name. */
export const byName =
  (clusters: ReadonlyArray<FleetCluster>): RunningFleet["cluster"] =>
  (name) => {
    const found = clusters.find((cluster) => cluster.name === name)
    if (found !== undefined) return Effect.succeed(found)
    return Effect.fail(new HarnessError({ reason: new InvalidFleet({ problem: `no cluster is named ${name}` }) }))
  }
