/** Runs the recommender over hours. */
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Effect, Layer } from "effect"
import type { ContainerUsage, HourUsage } from "../../src/savings/HourUsage.ts"
import { none } from "../../src/savings/Recommendation.ts"
import { RecommendationStore } from "../../src/savings/RecommendationStore.ts"
import { Recommender } from "../../src/savings/Recommender.ts"
import { layerMemory } from "../../src/store/RecommendationMemory.ts"
import { hourOf, keyOf, prod } from "./usage.ts"

export const layer = Recommender.layer.pipe(Layer.provideMerge(layerMemory))

export const foldAll = Effect.fnUntraced(function* (hours: ReadonlyArray<HourUsage>) {
  const recommender = yield* Recommender
  for (const hour of hours) yield* recommender.fold(hour)
})

export const recommendedTo = Effect.fnUntraced(function* (name: string, cluster: ClusterName = prod) {
  const [found] = yield* (yield* RecommendationStore).recommendations([cluster])
  return found?.byKey.get(keyOf(name)) ?? none
})

/** Computes recommendations from hours, starting without history. */
export const recommendedFrom = (hours: ReadonlyArray<HourUsage>, name = "api") =>
  foldAll(hours).pipe(Effect.andThen(recommendedTo(name)), Effect.provide(Layer.fresh(layer)))

export const hours = (count: number, rows: (hour: number) => ReadonlyArray<ContainerUsage>, from = 0) =>
  Array.from({ length: count }, (_, index) => hourOf(from + index, rows(from + index)))
