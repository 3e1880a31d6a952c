/**
 * The store of usage histories and recommendations.
 *
 * Adapters: `store/RecommendationMemory`, `store/Sqlite`, `store/ClickHouse`. All pass one contract suite.
 */
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Context, type Effect } from "effect"
import type { CostError } from "../hour/CostError.ts"
import type { Recommendation } from "./Recommendation.ts"

/**
 * A stored workload.
 *
 * **Shape** `key` comes from {@link Recommendation.workloadKey}. `checkpoint` is its encoded history, which only the
 * recommender decodes.
 */
export interface KeptWorkload {
  readonly key: string
  readonly checkpoint: Uint8Array
  readonly recommendation: Recommendation
}

/**
 * The changes that one hour makes to a cluster's usage histories. **Units** `foldedToMs` is the end of the newest hour
 * included.
 */
export interface Folded {
  readonly cluster: ClusterName
  readonly foldedToMs: number
  readonly changed: ReadonlyArray<KeptWorkload>
  /** Keys of workloads to delete. A key that is also in `changed` is not deleted. */
  readonly ended: ReadonlyArray<string>
}

/** All stored workloads of a cluster. **Shape** `foldedToMs` is 0 if there are none. */
export interface KeptCluster {
  readonly foldedToMs: number
  readonly workloads: ReadonlyArray<KeptWorkload>
}

/**
 * A cluster's recommendations by workload key.
 *
 * **Shape** `foldedToMs` is the end of the newest hour that they include, 0 if there are none.
 */
export interface ClusterRecommendations {
  readonly cluster: ClusterName
  readonly foldedToMs: number
  readonly byKey: ReadonlyMap<string, Recommendation>
}

export class RecommendationStore extends Context.Service<
  RecommendationStore,
  {
    /** Saves the changes of an hour atomically. */
    readonly save: (folded: Folded) => Effect.Effect<void, CostError>
    /** Reads all workloads of a cluster. */
    readonly load: (cluster: ClusterName) => Effect.Effect<KeptCluster, CostError>
    /**
     * Reads the recommendations of clusters, in the given order.
     *
     * **Limits** every report calls this, so an unchanged cluster is read from a cache.
     */
    readonly recommendations: (
      clusters: ReadonlyArray<ClusterName>
    ) => Effect.Effect<ReadonlyArray<ClusterRecommendations>, CostError>
    /** Deletes all workloads of a cluster. */
    readonly forget: (cluster: ClusterName) => Effect.Effect<void, CostError>
  }
>()("@quarterdeck/cost/RecommendationStore") {}
