/**
 * What a workload would cost less if its replicas requested what they are recommended.
 */
import type { Measure } from "../hour/Measure.ts"
import type { Recommendation } from "./Recommendation.ts"
import { KIB_BYTES } from "../hour/Units.ts"

/** What is asked of a row's sums. **Units** those of the measures. */
export type Spent = {
  readonly [
    M in Extract<
      Measure,
      "cpuCostNanos" | "memoryCostNanos" | "cpuAllocatedMilliSeconds" | "memoryAllocatedKibSeconds" | "replicaSeconds"
    >
  ]: number
}

/**
 * Gives what could be saved of what a window cost.
 *
 * For CPU and memory each, what was allocated beyond the recommendation, at the window's mean price of that
 * resource; never below 0, nor above what the resource cost. A workload without a recommendation saves nothing, and neither
 * does one of which no replica ran: what its init containers had is not what a recommendation is about. Two
 * windows may save more than the window over both: what one of them lacks lessens the whole.
 *
 * **Units** billionths of the currency, whole.
 *
 * **Example**
 *
 * ```ts
 * // Two cores allocated for an hour cost 60 millionths, half a core would do: 45 millionths.
 * nanos(
 *   { cpuCostNanos: 60_000, memoryCostNanos: 0, cpuAllocatedMilliSeconds: 7_200_000, memoryAllocatedKibSeconds: 0, replicaSeconds: 3_600 },
 *   { cpuRecommendedMillis: 500, memoryRecommendedBytes: 262_144_000, recommendationDays: 8 }
 * ) // 45_000
 * ```
 */
export const nanos = (spent: Spent, recommendation: Recommendation): number => {
  if (recommendation.recommendationDays === 0 || spent.replicaSeconds === 0) return 0
  const { cpuRecommendedMillis, memoryRecommendedBytes } = recommendation
  const memoryRecommendedKib = memoryRecommendedBytes / KIB_BYTES
  return (
    ofResource(spent.cpuCostNanos, spent.cpuAllocatedMilliSeconds, cpuRecommendedMillis * spent.replicaSeconds)
    + ofResource(spent.memoryCostNanos, spent.memoryAllocatedKibSeconds, memoryRecommendedKib * spent.replicaSeconds)
  )
}

/**
 * Gives what could be saved of one resource, as {@link nanos} does of both.
 *
 * Of what is recommended to all replicas, in the unit of what was allocated. **Units** billionths, whole.
 */
export const ofResource = (costNanos: number, allocated: number, recommended: number): number =>
  costNanos > 0 && allocated > recommended ? Math.round(costNanos * ((allocated - recommended) / allocated)) : 0
