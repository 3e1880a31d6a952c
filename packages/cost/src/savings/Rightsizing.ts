/**
 * Computes the recommended requests of a workload from what its replicas used.
 */
import type { ContainerHistory } from "./ContainerHistory.ts"
import * as DecayingHistogram from "./DecayingHistogram.ts"
import * as RecentHours from "./RecentHours.ts"
import { none, type Recommendation, type RecommendationPolicy } from "./Recommendation.ts"
import type { WorkloadHistory } from "./WorkloadHistory.ts"

const HOURS_A_DAY = 24

/**
 * Returns the recommended request of one replica.
 *
 * The request is the sum over the containers of the newest hour. The policy's minimum per replica is split evenly over these
 * containers. A container with OOM kills but without known usage is left out.
 *
 * **Source** Kubernetes Vertical Pod Autoscaler, `pkg/recommender/logic/recommender.go`, and
 * `pkg/recommender/routines/vpa.go`: `GetContainerNameToAggregateStateMap` (`TotalSamplesCount` counts CPU).
 */
export const fromHistory = ({ containers, hours }: WorkloadHistory, policy: RecommendationPolicy): Recommendation => {
  const current = containers.filter(({ cpu, lastHour }) => lastHour === hours.last && !DecayingHistogram.isEmpty(cpu))
  if (current.length === 0) return none
  let cpuRecommendedMillis = 0
  let memoryRecommendedBytes = 0
  for (const container of current) {
    const { cpuMillis, memoryBytes } = recommendedFor(container, policy, 1 / current.length)
    cpuRecommendedMillis += cpuMillis
    memoryRecommendedBytes += memoryBytes
  }
  return { cpuRecommendedMillis, memoryRecommendedBytes, recommendationDays: RecentHours.count(hours) / HOURS_A_DAY }
}

/**
 * Returns the recommended request of one container of a replica.
 *
 * **Shape** `share` is the container's share of the minimum per replica. **Units** whole millicores and bytes, rounded up.
 */
const recommendedFor = (
  { cpu, memory }: ContainerHistory,
  policy: RecommendationPolicy,
  share: number
): { readonly cpuMillis: number; readonly memoryBytes: number } => {
  const margin = 1 + policy.marginShare
  return {
    cpuMillis: roundedUp(
      Math.max(DecayingHistogram.percentile(cpu, policy.cpuPercentile) * 1_000 * margin, policy.minCpuMillis * share)
    ),
    memoryBytes: roundedUp(
      Math.max(DecayingHistogram.percentile(memory, policy.memoryPercentile) * margin, policy.minMemoryBytes * share)
    )
  }
}

/** Rounds up, but ignores an excess that is only floating-point error. */
const roundedUp = (value: number): number => Math.ceil(value - value * Number.EPSILON * 8)
