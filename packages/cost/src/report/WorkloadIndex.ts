/**
 * Remembers which series are one workload, and what is recommended to it: the same series come again in each report.
 */
import type { HistoryName } from "@quarterdeck/targeting/HistoryName"
import * as Recommendation from "../savings/Recommendation.ts"
import type { ClusterRecommendations } from "../savings/RecommendationStore.ts"
import type { Series } from "../hour/Series.ts"

/** One cluster's workloads, numbered as they are met. */
export interface WorkloadIndex {
  /** Gives the numbers of series' workloads. **Limits** fastest for those that were asked for before, in their order. */
  readonly numbersOf: (series: ReadonlyArray<Series>) => Int32Array
  /** Tells how many workloads have a number. */
  readonly size: () => number
  /** Gives namespace, kind and name, joined by `/`. */
  readonly keyOf: (number: number) => string
  /** Gives what is recommended to all of them, by their numbers. */
  readonly recommended: () => Recommended
}

/** Recommendations as columns. **Shape** a place for each workload that has a number, 0 where nothing is recommended. */
export interface Recommended {
  readonly cpuMillis: Float64Array
  readonly memoryBytes: Float64Array
  readonly days: Float64Array
}

/** Gives the names of a cluster for one report. **Shape** `places` is how many series the report is about to ask for. */
export type WorkloadIndexOf = (
  cluster: HistoryName,
  recommended: ClusterRecommendations | undefined,
  places: number
) => WorkloadIndex

interface Known {
  readonly numbers: Map<Series, number>
  readonly byKey: Map<string, number>
  readonly keys: Array<string>
  recommending: Recommending
  /** What was asked for last, of closed hours and of an open one: most of it is asked for again. */
  lasts: ReadonlyArray<Numbered>
}

interface Numbered {
  readonly series: ReadonlyArray<Series>
  readonly numbers: Int32Array
}

/** What one reading of recommendations came to. Looked up for the numbers below `to`. */
interface Recommending {
  readonly byKey: ClusterRecommendations["byKey"]
  columns: Recommended
  to: number
}

/** Series that a cluster may have been asked for beside those of the present report. */
const SPARE = 20_000

const NOTHING: ClusterRecommendations["byKey"] = new Map()

const NOBODY: Numbered = { series: [], numbers: new Int32Array(0) }

const fresh = (): Known => ({
  numbers: new Map(),
  byKey: new Map(),
  keys: [],
  recommending: nothingOf(NOTHING),
  lasts: []
})

/** The one that is most nearly as long. */
const nearest = (lasts: ReadonlyArray<Numbered>, length: number): Numbered | undefined => {
  const apart = ({ series }: Numbered): number => Math.abs(series.length - length)
  return lasts.toSorted((a, b) => apart(a) - apart(b))[0]
}

/** How many series may be missing, one after the other, of those that were asked for before. */
const MISSING = 8

/** Finds a series among those that were asked for before, from a place on. **Shape** -1 where it is not soon found. */
const soonIn = (last: ReadonlyArray<Series>, series: Series, from: number): number => {
  if (from < last.length && last[from] === series) return from
  for (let at = from + 1; at < Math.min(from + MISSING, last.length); at++) if (last[at] === series) return at
  return -1
}

const nothingOf = (byKey: Recommending["byKey"]): Recommending => ({ byKey, columns: columnsFor(0), to: 0 })

const columnsFor = (size: number): Recommended => ({
  cpuMillis: new Float64Array(size),
  memoryBytes: new Float64Array(size),
  days: new Float64Array(size)
})

const grown = (columns: Recommended, size: number): Recommended => {
  if (size <= columns.days.length) return columns
  const more = columnsFor(Math.max(size, 2 * columns.days.length))
  more.cpuMillis.set(columns.cpuMillis)
  more.memoryBytes.set(columns.memoryBytes)
  more.days.set(columns.days)
  return more
}

/** Looks up what was numbered since the last time. */
const complete = (recommending: Recommending, keys: ReadonlyArray<string>): Recommended => {
  const columns = grown(recommending.columns, keys.length)
  for (let number = recommending.to; number < keys.length; number++) {
    const found = recommending.byKey.get(keys[number] ?? "")
    if (found === undefined) continue
    columns.cpuMillis[number] = found.cpuRecommendedMillis
    columns.memoryBytes[number] = found.memoryRecommendedBytes
    columns.days[number] = found.recommendationDays
  }
  recommending.columns = columns
  recommending.to = keys.length
  return columns
}

/**
 * Makes the index of each cluster, which is kept from one report to the next.
 *
 * **Limits** a cluster's index is dropped once it has over twice the series of the present report plus {@link SPARE}.
 */
export const make = (): WorkloadIndexOf => {
  const clusters = new Map<HistoryName, Known>()
  return (cluster, recommended, places) => {
    const before = clusters.get(cluster)
    // One that was forgotten is still whole for the reports that began with it.
    const known = before === undefined || before.numbers.size > 2 * places + SPARE ? fresh() : before
    clusters.set(cluster, known)
    const byKey = recommended?.byKey ?? NOTHING
    if (known.recommending.byKey !== byKey) known.recommending = nothingOf(byKey)
    const { keys, numbers, recommending } = known
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
    return {
      numbersOf: (series) => {
        const same = known.lasts.find((one) => one.series === series)
        if (same !== undefined) return same.numbers
        const last = nearest(known.lasts, series.length) ?? NOBODY
        const found = new Int32Array(series.length)
        let next = 0
        for (let at = 0; at < series.length; at++) {
          const one = series[at]
          if (one === undefined) continue
          const before = soonIn(last.series, one, next)
          if (before >= 0) next = before + 1
          found[at] = before < 0 ? (numbers.get(one) ?? add(one)) : (last.numbers[before] ?? 0)
        }
        known.lasts = [{ series, numbers: found }, ...known.lasts.filter((one) => one !== last).slice(0, 1)]
        return found
      },
      size: () => keys.length,
      keyOf: (number) => keys[number] ?? "",
      recommended: () => complete(recommending, keys)
    }
  }
}
