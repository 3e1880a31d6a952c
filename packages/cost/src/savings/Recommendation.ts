/**
 * What one replica of a workload is recommended to request.
 */
import { Context, Schema } from "effect"

/** How many days of usage a recommendation looks back upon; older ones weigh next to nothing. */
export const RECOMMENDATION_DAYS = 8

/**
 * What one replica is recommended, all its containers together.
 *
 * **Shape** `recommendationDays` is the time of the last eight days in which usage was known, in days: 0 tells that there
 * is no recommendation, and the other two are 0 then.
 */
export const Recommendation = Schema.Struct({
  cpuRecommendedMillis: Schema.Natural,
  memoryRecommendedBytes: Schema.Natural,
  recommendationDays: Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: RECOMMENDATION_DAYS }))
}).annotate({ identifier: "Recommendation" })
export type Recommendation = typeof Recommendation.Type

/** What is said of a workload whose usage nobody knows. */
export const none: Recommendation = { cpuRecommendedMillis: 0, memoryRecommendedBytes: 0, recommendationDays: 0 }

/**
 * How a recommendation is drawn from usage.
 *
 * **Units** shares from 0 to 1; the least of a replica in thousandths of a core and in bytes.
 *
 * **Source** Kubernetes Vertical Pod Autoscaler, `pkg/recommender/config/config.go`: target-cpu-percentile 0.9,
 * target-memory-percentile 0.9, recommendation-margin-fraction 0.15, pod-recommendation-min-cpu-millicores 25,
 * pod-recommendation-min-memory-mb 250 (counted in MiB).
 */
export const RecommendationPolicy = Context.Reference<{
  readonly cpuPercentile: number
  readonly memoryPercentile: number
  readonly marginShare: number
  readonly minCpuMillis: number
  readonly minMemoryBytes: number
}>("@quarterdeck/cost/Recommendation/RecommendationPolicy", {
  defaultValue: () => ({
    cpuPercentile: 0.9,
    memoryPercentile: 0.9,
    marginShare: 0.15,
    minCpuMillis: 25,
    minMemoryBytes: 250 * 1_024 * 1_024
  })
})
export type RecommendationPolicy = (typeof RecommendationPolicy)["Service"]

/** Names a workload within its cluster, whatever was recreated under that name. */
export const workloadKey = (workload: {
  readonly namespace: string
  readonly kind: string
  readonly name: string
}): string => `${workload.namespace}/${workload.kind}/${workload.name}`
