/**
 * SQLite adapter of `RecommendationStore`. Caches the recommendations that reports read.
 */
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Effect } from "effect"
import type { Recommendation } from "../../savings/Recommendation.ts"
import { type ClusterRecommendations, type Folded, RecommendationStore } from "../../savings/RecommendationStore.ts"
import type { CostClient } from "./CostClient.ts"
import type { ReadRecommendations, SavedRecommendations } from "./CostProtocol.ts"

const HOURS_A_DAY = 24

/**
 * Makes the adapter. Once it has read the recommendations of a cluster, it answers reports from memory.
 *
 * **Limits** One map per cluster, with one entry per workload.
 */
export const make = ({ call }: CostClient): RecommendationStore["Service"] => {
  const read = new Map<ClusterName, ClusterRecommendations>()
  /** End of the last saved hour. A read that returns an older state is not cached. */
  const savedTo = new Map<ClusterName, number>()

  const note = (cluster: ClusterName, foldedToMs: number, byKey: ReadonlyMap<string, Recommendation>) => {
    const found: ClusterRecommendations = { cluster, foldedToMs, byKey }
    if (foldedToMs >= (savedTo.get(cluster) ?? 0)) read.set(cluster, found)
    return found
  }

  const loadRows = Effect.fnUntraced(function* (cluster: ClusterName, what: { readonly withCheckpoints: boolean }) {
    const { read: rows } = yield* call({ operation: "recommendations", cluster, ...what })
    const byKey = new Map<string, Recommendation>()
    for (let at = 0; at < rows.keys.length; at++) byKey.set(rows.keys[at] ?? "", figuresAt(rows, at))
    return { rows, found: note(cluster, rows.foldedToMs, byKey) }
  })

  const save = Effect.fn("RecommendationStore.save")(function* (folded: Folded) {
    const { changed, cluster, ended, foldedToMs } = folded
    yield* Effect.annotateCurrentSpan({ cluster })
    // A failed call may have been carried out, so the next report reads the file.
    yield* Effect.onError(call({ operation: "recommend", saved: messageOf(folded) }), () =>
      Effect.sync(() => read.delete(cluster))
    )
    savedTo.set(cluster, foldedToMs)
    const before = read.get(cluster)
    if (before === undefined) return
    const byKey = new Map(before.byKey)
    for (const key of ended) byKey.delete(key)
    for (const { key, recommendation } of changed) byKey.set(key, recommendation)
    note(cluster, foldedToMs, byKey)
  })

  const load = Effect.fn("RecommendationStore.load")(function* (cluster: ClusterName) {
    const { found, rows } = yield* loadRows(cluster, { withCheckpoints: true })
    const { checkpoints, ends, foldedToMs, keys } = rows
    const workloads = keys.map((key, at) => ({
      key,
      recommendation: found.byKey.get(key) ?? figuresAt(rows, at),
      checkpoint: checkpoints.subarray(ends[at - 1] ?? 0, ends[at])
    }))
    return { foldedToMs, workloads }
  })

  const recommendations = Effect.fn("RecommendationStore.recommendations")((clusters: ReadonlyArray<ClusterName>) =>
    Effect.forEach(clusters, (cluster) => {
      const known = read.get(cluster)
      if (known !== undefined) return Effect.succeed(known)
      return Effect.map(loadRows(cluster, { withCheckpoints: false }), ({ found }) => found)
    })
  )

  const forget = Effect.fn("RecommendationStore.forget")(function* (cluster: ClusterName) {
    yield* call({ operation: "forgetRecommendations", cluster })
    savedTo.delete(cluster)
    read.delete(cluster)
  })

  return RecommendationStore.of({ save, load, recommendations, forget })
}

const messageOf = ({ changed, cluster, ended, foldedToMs }: Folded): SavedRecommendations => {
  const ends = new Uint32Array(changed.length)
  const figures = new Float64Array(changed.length * 3)
  let end = 0
  for (const [place, { checkpoint, recommendation }] of changed.entries()) {
    ends[place] = end += checkpoint.length
    figures[place * 3] = recommendation.cpuRecommendedMillis
    figures[place * 3 + 1] = recommendation.memoryRecommendedBytes
    figures[place * 3 + 2] = Math.round(recommendation.recommendationDays * HOURS_A_DAY)
  }
  const checkpoints = new Uint8Array(end)
  for (const [place, { checkpoint }] of changed.entries()) checkpoints.set(checkpoint, ends[place - 1] ?? 0)
  return { cluster, foldedToMs, keys: changed.map(({ key }) => key), ended, figures, checkpoints, ends }
}

const figuresAt = ({ figures }: ReadRecommendations, place: number): Recommendation => ({
  cpuRecommendedMillis: figures[place * 3] ?? 0,
  memoryRecommendedBytes: figures[place * 3 + 1] ?? 0,
  recommendationDays: (figures[place * 3 + 2] ?? 0) / HOURS_A_DAY
})
