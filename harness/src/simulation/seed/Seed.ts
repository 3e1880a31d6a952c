/**
 * Fills a fleet with the workloads, nodes and namespaces of an online shop.
 *
 * It writes the objects that controllers, scheduler and kubelets would create: ReplicaSets and pods with owners, nodes
 * and statuses. It is meant for clusters without controllers, because controllers would change these objects. Pods can
 * be left to {@link FakeKubelet}, or to controllers.
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
  /** The same number creates the same objects, except for uids, times and resource versions (default 1). */
  readonly seed?: number
  /** Size of each cluster (default `small`: 13 or 14 workloads on 4 nodes). */
  readonly size?: SeedSize
  /** Component that reports the pods' status (default `reported`: the seed itself). */
  readonly pods?: PodMode
  /** Maximum number of parallel calls to each cluster (default 16). */
  readonly concurrency?: number
  /** Called after every hundred objects of a cluster, and after the last one. */
  readonly onProgress?: (progress: Destination.SeedProgress) => Effect.Effect<void>
}

const CONCURRENCY = 16

/**
 * Fills every cluster of a fleet, in parallel. Returns the plans in the order of `fleet.clusters`.
 *
 * In every named size other than `tiny`, each cluster has a degraded, a progressing, a paused and an idle Deployment.
 * It also has completed and failed Jobs, and a pod without an owner. A third of the workloads differs between clusters,
 * and so do clouds, versions, replicas and the choice of unhealthy workloads.
 *
 * **Errors** `ApiError`; `HarnessError` with `InvalidSeed` for invalid options, before anything is written;
 * `HarnessError` with `SeedConflict` if an object of the seed exists, for example from an earlier seed. Objects written
 * before the error remain.
 *
 * **Limits** `concurrency` parallel calls to each cluster. A plan takes about 0.5 KB per pod.
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

/** Fills one cluster with the content for position `index` of a fleet. Position 0 is the parent. */
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
