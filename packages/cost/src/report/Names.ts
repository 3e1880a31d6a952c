/**
 * Remembers which series are one workload, and what is recommended to it: the same series come again in each report.
 */
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import * as Recommendation from "../Recommendation.ts"
import type { ClusterRecommendations } from "../RecommendationStore.ts"
import type { Series } from "../Series.ts"

/** One cluster's workloads, numbered as they are met. */
export interface Names {
  /** Gives the number of a series' workload. */
  readonly numberOf: (series: Series) => number
  /** Gives namespace, kind and name, joined by `/`. */
  readonly keyOf: (number: number) => string
  /** Gives what is recommended to a workload. */
  readonly recommendationOf: (number: number) => Recommendation.Recommendation
  /** How many there are: numbers are less. */
  readonly size: () => number
}

/** Gives the names of a cluster for one report. **Shape** `places` is how many series the report is about to ask for. */
export type NamesOf = (cluster: ClusterName, recommended: ClusterRecommendations | undefined, places: number) => Names

interface Known {
  readonly numbers: Map<Series, number>
  readonly byKey: Map<string, number>
  readonly keys: Array<string>
  recommended: ClusterRecommendations["byKey"]
  recommendations: Array<Recommendation.Recommendation | undefined>
}

/** Series that a cluster may have been asked for beside those of the present report. */
const SPARE = 20_000

const NOTHING: ClusterRecommendations["byKey"] = new Map()

const fresh = (): Known => ({
  ...{ numbers: new Map(), byKey: new Map(), keys: [], recommended: NOTHING, recommendations: [] }
})

/** **Limits** for each cluster as many series as its latest report had, and {@link SPARE} more. */
export const make = (): NamesOf => {
  const clusters = new Map<ClusterName, Known>()
  return (cluster, recommended, places) => {
    const before = clusters.get(cluster)
    // One that was forgotten is still whole for the reports that began with it.
    const known = before === undefined || before.numbers.size > 2 * places + SPARE ? fresh() : before
    clusters.set(cluster, known)
    const byKey = recommended?.byKey ?? NOTHING
    if (known.recommended !== byKey) {
      known.recommended = byKey
      known.recommendations = []
    }
    const { keys, numbers, recommendations } = known
    const add = (series: Series): number => {
      const key = Recommendation.workloadKey(series)
      const number = known.byKey.get(key) ?? keys.length
      if (number === keys.length) {
        known.byKey.set(key, number)
        keys.push(key)
      }
      numbers.set(series, number)
      return number
    }
    const look = (number: number): Recommendation.Recommendation => {
      const found = byKey.get(keys[number] ?? "") ?? Recommendation.none
      recommendations[number] = found
      return found
    }
    return {
      numberOf: (series) => numbers.get(series) ?? add(series),
      keyOf: (number) => keys[number] ?? "",
      recommendationOf: (number) => recommendations[number] ?? look(number),
      size: () => keys.length
    }
  }
}
