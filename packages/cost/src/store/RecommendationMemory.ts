/**
 * In-memory adapter of `RecommendationStore`, for tests and for trying the service without a disk.
 */
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Effect, Layer } from "effect"
import type { Recommendation } from "../savings/Recommendation.ts"
import { type Folded, type KeptWorkload, RecommendationStore } from "../savings/RecommendationStore.ts"

interface Kept {
  readonly foldedToMs: number
  readonly workloads: ReadonlyMap<string, KeptWorkload>
  readonly byKey: ReadonlyMap<string, Recommendation>
}

const NOTHING: Kept = { foldedToMs: 0, workloads: new Map(), byKey: new Map() }

const make = Effect.sync(() => {
  const clusters = new Map<ClusterName, Kept>()
  const keptOf = (cluster: ClusterName): Kept => clusters.get(cluster) ?? NOTHING

  const save = ({ changed, cluster, ended, foldedToMs }: Folded) =>
    Effect.sync(() => {
      const workloads = new Map(keptOf(cluster).workloads)
      for (const key of ended) workloads.delete(key)
      for (const one of changed) workloads.set(one.key, { ...one, checkpoint: one.checkpoint.slice() })
      const byKey = new Map([...workloads].map(([key, { recommendation }]) => [key, recommendation]))
      clusters.set(cluster, { foldedToMs, workloads, byKey })
    })

  const load = (cluster: ClusterName) =>
    Effect.sync(() => {
      const { foldedToMs, workloads } = keptOf(cluster)
      return { foldedToMs, workloads: [...workloads.values()] }
    })

  const recommendations = (names: ReadonlyArray<ClusterName>) =>
    Effect.sync(() =>
      names.map((cluster) => {
        const { byKey, foldedToMs } = keptOf(cluster)
        return { cluster, foldedToMs, byKey }
      })
    )

  const forget = (cluster: ClusterName) => Effect.sync(() => void clusters.delete(cluster))

  return RecommendationStore.of({ save, load, recommendations, forget })
})

/** Keeps recommendations for as long as the layer lives. */
export const layerMemory: Layer.Layer<RecommendationStore> = Layer.effect(RecommendationStore, make)
