/**
 * Writes the costs that the demo's clusters have behind them, by the same rules by which the service charges living ones.
 */
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
 * Writes the history up to an hour, which is the one that goes on now.
 *
 * **Limits** one batch a cluster; while one is written, the next is reckoned.
 */
export const write = (pasts: ReadonlyArray<Past>, endMs: number) =>
  Effect.forEach(pasts, (past) => writeOne(past, endMs), { concurrency: "unbounded", discard: true })

const writeOne = Effect.fnUntraced(function* (past: Past, endMs: number) {
  const recommendations = yield* RecommendationStore
  const { hours, usages } = reckon(past, endMs)
  yield* CostStore.use((store) => store.rewrite(hours))
  const { foldedToMs, workloads } = yield* learnt(past, usages)
  yield* recommendations.save({ cluster: past.cluster, foldedToMs, changed: workloads, ended: [] })
})

/** An hour that has the shape of another comes to the same sums: it is reckoned once. */
const reckon = (past: Past, endMs: number) => {
  const factsOf = PastHours.make(past)
  const reckoned = new Map<string, { readonly hour: Hour.Hour; readonly usage: HourUsage.HourUsage }>()
  const hours: Array<Hour.Hour> = []
  const usages: Array<HourUsage.HourUsage> = []
  for (let hour = 0; hour < HOURS; hour++) {
    const startMs = endMs - (HOURS - hour) * HOUR_MS
    if (!past.wasSeen(startMs)) continue
    const shape = PastHours.shapeOf(past, startMs)
    const known = reckoned.get(shape) ?? chargedWithUsage(factsOf(startMs))
    reckoned.set(shape, known)
    hours.push({ ...known.hour, startMs })
    if (hour >= RECOMMENDED_FROM_HOUR) usages.push({ ...known.usage, startMs })
  }
  return { hours, usages }
}

const ratesOver = PriceHistory.ratesOver(PriceHistory.initial)

/** At the prices that a new service has. */
const chargedWithUsage = (facts: HourFacts.HourFacts) => {
  const window = { startMs: facts.startMs, endMs: facts.startMs + HOUR_MS }
  const hour = HourCosts.reprice(HourBuilder.build(facts), (subject) => ratesOver(subject, window))
  return { hour, usage: HourBuilder.usageOf(facts) }
}

/** What is to be recommended, kept at once when all of it is known. */
const learnt = (past: Past, usages: ReadonlyArray<HourUsage.HourUsage>) =>
  Effect.gen(function* () {
    const recommender = yield* Recommender.Recommender
    for (const usage of usages) yield* recommender.fold(usage)
    return yield* (yield* RecommendationStore).load(past.cluster)
  }).pipe(
    Effect.provide(
      Recommender.Recommender.layer.pipe(Layer.provideMerge(Layer.fresh(RecommendationMemory.layerMemory)))
    )
  )

/** Opens the history of a data directory. */
export const layer = (directory: string) => layerSqlite({ directory })
