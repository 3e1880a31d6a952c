/** Writes the cost history of the demo's clusters, with the service's own cost calculation. */
import {
  Hour,
  HourBuilder,
  HourFacts,
  HourUsage,
  PriceHistory,
  Recommendation,
  RecommendationMemory,
  Recommender,
  HourCosts
} from "@quarterdeck/cost"
import { CostStore } from "@quarterdeck/cost/CostStore"
import { RecommendationStore } from "@quarterdeck/cost/RecommendationStore"
import { layerSqlite } from "@quarterdeck/cost/store/Sqlite"
import { HOUR_MS } from "@quarterdeck/cost/Units"
import { Effect, Layer } from "effect"
import * as PastHours from "./PastHours.ts"
import type { Past } from "./Pasts.ts"
import { HISTORY_DAYS } from "./Story.ts"

const HOURS = HISTORY_DAYS * 24
const RECOMMENDED_FROM_HOUR = HOURS - Recommendation.RECOMMENDATION_DAYS * 24

/**
 * Writes the history up to `endMs`, the start of the present hour.
 *
 * **Limits** one batch per cluster. While one is written, the next is computed.
 */
export const write = (pasts: ReadonlyArray<Past>, endMs: number) =>
  Effect.forEach(pasts, (past) => writeCluster(past, endMs), { concurrency: "unbounded", discard: true })

const writeCluster = Effect.fnUntraced(function* (past: Past, endMs: number) {
  const recommendations = yield* RecommendationStore
  const { hours, usages } = compute(past, endMs)
  yield* CostStore.use((store) => store.rewrite(hours))
  const { foldedToMs, workloads } = yield* recommend(past, usages)
  yield* recommendations.save({ cluster: past.cluster, foldedToMs, changed: workloads, ended: [] })
})

/** Computes the hours of a cluster. Hours of the same shape have the same costs, so each shape is computed once. */
const compute = (past: Past, endMs: number) => {
  const factsOf = PastHours.make(past)
  const byShape = new Map<string, { readonly hour: Hour.Hour; readonly usage: HourUsage.HourUsage }>()
  const hours: Array<Hour.Hour> = []
  const usages: Array<HourUsage.HourUsage> = []
  for (let hour = 0; hour < HOURS; hour++) {
    const startMs = endMs - (HOURS - hour) * HOUR_MS
    if (!past.wasSeen(startMs)) continue
    const shape = PastHours.shapeOf(past, startMs)
    const known = byShape.get(shape) ?? chargedWithUsage(factsOf(startMs))
    byShape.set(shape, known)
    hours.push({ ...known.hour, startMs })
    if (hour >= RECOMMENDED_FROM_HOUR) usages.push({ ...known.usage, startMs })
  }
  return { hours, usages }
}

const ratesOver = PriceHistory.ratesOver(PriceHistory.initial)

/** Computes an hour with the prices of a new service. */
const chargedWithUsage = (facts: HourFacts.HourFacts) => {
  const window = { startMs: facts.startMs, endMs: facts.startMs + HOUR_MS }
  const hour = HourCosts.reprice(HourBuilder.build(facts), (subject) => ratesOver(subject, window))
  return { hour, usage: HourBuilder.usageOf(facts) }
}

/** Returns the recommendations after all usage, computed in memory. */
const recommend = (past: Past, usages: ReadonlyArray<HourUsage.HourUsage>) =>
  Effect.gen(function* () {
    const recommender = yield* Recommender.Recommender
    for (const usage of usages) yield* recommender.fold(usage)
    return yield* (yield* RecommendationStore).load(past.cluster)
  }).pipe(
    Effect.provide(
      Recommender.Recommender.layer.pipe(Layer.provideMerge(Layer.fresh(RecommendationMemory.layerMemory)))
    )
  )

/** The cost store in a data directory. */
export const layer = (directory: string) => layerSqlite({ directory })
