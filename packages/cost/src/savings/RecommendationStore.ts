/**
 * The port behind recommendations: what is known of each workload's usage, and what is recommended from it.
 *
 * Adapters: `store/RecommendationMemory`, `store/Sqlite`. Both pass one contract suite.
 */
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Context, type Effect } from "effect"
import type { CostError } from "../hour/CostError.ts"
import type { Recommendation } from "./Recommendation.ts"

/**
 * One workload.
 *
 * **Shape** `key` is {@link Recommendation.workloadKey}'s; `checkpoint` is its history as bytes, which only the
 * recommender reads.
 */
export interface KeptWorkload {
  readonly key: string
  readonly checkpoint: Uint8Array
  readonly recommendation: Recommendation
}

/** What an hour changed. **Units** `foldedToMs` is the end of the newest hour that was taken in. */
export interface Folded {
  readonly cluster: ClusterName
  readonly foldedToMs: number
  readonly changed: ReadonlyArray<KeptWorkload>
  /** Keys of workloads of which nothing is known any more; one that is among the changed ones too, is changed. */
  readonly ended: ReadonlyArray<string>
}

/** All that is kept of a cluster. **Shape** `foldedToMs` is 0 for one of which nothing is. */
export interface KeptCluster {
  readonly foldedToMs: number
  readonly workloads: ReadonlyArray<KeptWorkload>
}

/** What is recommended to a cluster's workloads. */
export interface ClusterRecommendations {
  readonly cluster: ClusterName
  readonly foldedToMs: number
  readonly byKey: ReadonlyMap<string, Recommendation>
}

/**
 * Keeps the histories of workloads between hours, and recommendations for reports.
 */
export class RecommendationStore extends Context.Service<
  RecommendationStore,
  {
    /** Notes what an hour changed, whole or not at all. */
    readonly save: (folded: Folded) => Effect.Effect<void, CostError>
    /** Reads all that is kept of a cluster. */
    readonly load: (cluster: ClusterName) => Effect.Effect<KeptCluster, CostError>
    /**
     * Reads what is recommended, for each cluster in the order asked for.
     *
     * **Limits** meant for every report: a second read of a cluster that has not changed costs next to nothing.
     */
    readonly recommendations: (
      clusters: ReadonlyArray<ClusterName>
    ) => Effect.Effect<ReadonlyArray<ClusterRecommendations>, CostError>
    /** Forgets a cluster. */
    readonly forget: (cluster: ClusterName) => Effect.Effect<void, CostError>
  }
>()("@quarterdeck/cost/RecommendationStore") {}
