/**
 * Fills a fleet with the workloads, nodes and namespaces of an online shop.
 *
 * It writes what the controllers, the scheduler and the kubelets of a living cluster would have written: replica sets and
 * pods with their owners, placement and status. So it is meant for clusters without controllers, which leave it as it is.
 *
 * @since 0.1.0
 */
import { DateTime, Effect } from "effect"
import type { ApiError } from "./ApiError.ts"
import type { Fleet } from "./Fleet.ts"
import type { FleetCluster } from "./FleetCluster.ts"
import { type ClusterPlan, plan, type SeedSize } from "./seed/ClusterPlan.ts"
import { write } from "./seed/Writer.ts"

export interface SeedOptions {
  /** The same number gives the same objects, but for what servers decide: uids, times, resource versions (default 1). */
  readonly seed?: number
  /** `small`, the default: 13 or 14 workloads and 4 nodes a cluster. `medium`: about 50 and 12. */
  readonly size?: SeedSize
}

/**
 * Fills every cluster of a fleet, all at once.
 *
 * **Shape** every cluster has a Deployment of each kind of trouble (degraded, progressing, paused, idle), Jobs that
 * completed and failed, and a pod of its own; which workload is in trouble, versions, replicas, clouds and a third of the
 * workloads differ from cluster to cluster. Gives the plans, in the order of `fleet.clusters`.
 *
 * **Errors** `ApiError`; a fleet that has been seeded already refuses with 409 (AlreadyExists).
 *
 * @since 0.1.0
 */
export const fill = (
  fleet: Fleet["Service"],
  options: SeedOptions = {}
): Effect.Effect<ReadonlyArray<ClusterPlan>, ApiError> =>
  Effect.forEach(fleet.clusters, (cluster, index) => fillCluster(cluster, index, options), { concurrency: "unbounded" })

/** Fills one cluster as the one at `index` of its fleet, where 0 is the parent. */
export const fillCluster = Effect.fn("Seed.fillCluster")(function* (
  cluster: FleetCluster,
  index: number,
  options: SeedOptions = {}
): Effect.fn.Return<ClusterPlan, ApiError> {
  const planned = yield* plan({
    seed: options.seed ?? 1,
    size: options.size ?? "small",
    cluster: cluster.name,
    index
  })
  const now = DateTime.formatIso(DateTime.startOf(yield* DateTime.now, "second"))
  yield* write(planned, { cluster: cluster.name, api: cluster.api, now })
  return planned
})
