/**
 * The recommended requests of one replica of a workload.
 */
import { Context, Schema } from "effect"

/** Days of usage that a recommendation considers. Older usage weighs almost nothing. */
export const RECOMMENDATION_DAYS = 8

/**
 * The recommended requests of one replica, summed over its containers.
 *
 * **Shape** `recommendationDays` is the time with known usage within the last eight days, in days. 0 means that there is no
 * recommendation; the other fields are 0 then.
 */
export const Recommendation = Schema.Struct({
  cpuRecommendedMillis: Schema.Natural,
  memoryRecommendedBytes: Schema.Natural,
  recommendationDays: Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: RECOMMENDATION_DAYS }))
}).annotate({ identifier: "Recommendation" })
export type Recommendation = typeof Recommendation.Type

/** The recommendation for a workload without known usage. */
export const none: Recommendation = { cpuRecommendedMillis: 0, memoryRecommendedBytes: 0, recommendationDays: 0 }

/**
 * The parameters of recommendations.
 *
 * **Units** shares from 0 to 1; the minimum per replica in millicores and bytes.
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

/** Returns the key of a workload within its cluster. A recreated workload of the same name has the same key. */
export const workloadKey = (workload: {
  readonly namespace: string
  readonly kind: string
  readonly name: string
}): string => `${workload.namespace}/${workload.kind}/${workload.name}`
