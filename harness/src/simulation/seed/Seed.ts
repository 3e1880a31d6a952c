/**
 * Fills a fleet with the workloads, nodes and namespaces of an online shop.
 *
 * It writes what the controllers, the scheduler and the kubelets of a living cluster would have written: replica sets and
 * pods with their owners, placement and status. So it is meant for clusters without controllers, which leave it as it is;
 * or it leaves pods to {@link FakeKubelet}, or to controllers altogether.
 */
import { DateTime, Effect } from "effect"
import type { ApiCluster } from "../../client/ApiCluster.ts"
import type { ApiError } from "../../client/ApiError.ts"
import { HarnessError, SeedConflict } from "../../machine/HarnessError.ts"
import { type ClusterPlan, plan } from "./ClusterPlan.ts"
import * as Destination from "./Destination.ts"
import * as SeedCheck from "./SeedCheck.ts"
import type { SeedSize } from "./SeedSize.ts"
import { countOf, type PodMode, write } from "./Writer.ts"

export type { ClusterPlan, PodPlan, WorkloadPlan } from "./ClusterPlan.ts"
export type { NodePlan } from "./NodePlan.ts"
export { plan } from "./ClusterPlan.ts"
export type { SeedProgress } from "./Destination.ts"
export { PRICE_ANNOTATION } from "./NodeManifests.ts"
export type { SeedCounts, SeedSize } from "./SeedSize.ts"
export type { PodMode } from "./Writer.ts"

export interface SeedOptions {
  /** The same number gives the same objects, but for what servers decide: uids, times, resource versions (default 1). */
  readonly seed?: number
  /** How large each cluster is (default `small`): 13 or 14 workloads on 4 nodes. */
  readonly size?: SeedSize
  /** Who tells what becomes of the pods (default `reported`: the seed itself). */
  readonly pods?: PodMode
  /** How many calls at once to each cluster (default 16). */
  readonly concurrency?: number
  /** Called after every hundred objects of a cluster, and after its last. */
  readonly onProgress?: (progress: Destination.SeedProgress) => Effect.Effect<void>
}

const CONCURRENCY = 16

/**
 * Fills every cluster of a fleet, all at once.
 *
 * Every cluster of a named size but `tiny` has a Deployment of each kind of trouble (degraded, progressing,
 * paused, idle), Jobs that completed and failed, and a pod of its own; which workload is in trouble, versions, replicas,
 * clouds and a third of the workloads differ from cluster to cluster. Gives the plans, in the order of `fleet.clusters`.
 *
 * **Errors** `ApiError`; `HarnessError` with `InvalidSeed` before anything is written when the options cannot be, with
 * `SeedConflict` when a cluster has an object of the seed already: its second seed, or a namespace of the same name. What
 * was written until then stays.
 *
 * **Limits** `concurrency` calls at once to each cluster; a plan takes about 0.5 KB a pod.
 *
 * **Example**
 *
 * ```ts
 * yield* Seed.fill(fleet, { size: { pods: 5_000 }, pods: "bound" })
 * yield* FakeKubelet.run(fleet)
 * ```
 */
export const fill = (
  fleet: { readonly clusters: ReadonlyArray<ApiCluster> },
  options: SeedOptions = {}
): Effect.Effect<ReadonlyArray<ClusterPlan>, ApiError | HarnessError> =>
  Effect.forEach(fleet.clusters, (cluster, index) => fillCluster(cluster, index, options), { concurrency: "unbounded" })

/** Fills one cluster as the one at `index` of its fleet, where 0 is the parent. */
export const fillCluster = Effect.fn("Seed.fillCluster")(function* (
  cluster: ApiCluster,
  index: number,
  options: SeedOptions = {}
): Effect.fn.Return<ClusterPlan, ApiError | HarnessError> {
  const {
    concurrency = CONCURRENCY,
    onProgress = () => Effect.void,
    pods = "reported",
    seed = 1,
    size = "small"
  } = options
  yield* SeedCheck.check(cluster.name, { concurrency, pods, seed, size })
  const planned = yield* plan({ seed, size, cluster: cluster.name, index })
  const now = DateTime.formatIso(DateTime.startOf(yield* DateTime.now, "second"))
  const to = yield* Destination.make({
    cluster: cluster.name,
    api: cluster.api,
    now,
    concurrency,
    total: countOf(planned, pods),
    onProgress
  })
  yield* Effect.mapError(write(planned, to, pods), explained)
  return planned
})

const explained = (error: ApiError): ApiError | HarnessError => {
  const { cluster, reason } = error
  if (reason._tag !== "ApiRefused" || reason.reason !== "AlreadyExists") return error
  return new HarnessError({ cluster, reason: new SeedConflict({ text: reason.text, cause: error }) })
}
