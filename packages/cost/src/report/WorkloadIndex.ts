/**
 * Maps series to their workloads and recommendations. The mapping is kept between reports, because most series repeat.
 */
import type { HistoryName } from "@quarterdeck/targeting/HistoryName"
import * as Recommendation from "../savings/Recommendation.ts"
import type { ClusterRecommendations } from "../savings/RecommendationStore.ts"
import type { Series } from "../hour/Series.ts"

/** The workloads of one cluster, numbered in order of first use. */
export interface WorkloadIndex {
  /** Returns the workload number of each series. **Limits** fastest for series in the order of an earlier call. */
  readonly numbersOf: (series: ReadonlyArray<Series>) => Int32Array
  /** Returns how many workloads have a number. */
  readonly size: () => number
  /** Returns namespace, kind and name of a workload, joined by `/`. */
  readonly keyOf: (number: number) => string
  /** Returns the recommendations of all numbered workloads. */
  readonly recommended: () => Recommended
}

/** Recommendations as columns. **Shape** one value per workload number; 0 if nothing is recommended. */
export interface Recommended {
  readonly cpuMillis: Float64Array
  readonly memoryBytes: Float64Array
  readonly days: Float64Array
}

/** Returns the index of a cluster for one report. **Shape** `places` is the number of series in the report. */
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
  /** Results of the last two `numbersOf` calls, normally one for closed hours and one for the open hour. */
  lasts: ReadonlyArray<Numbered>
}

interface Numbered {
  readonly series: ReadonlyArray<Series>
  readonly numbers: Int32Array
}

/** Recommendations as columns, filled for the workload numbers below `to`. */
interface Recommending {
  readonly byKey: ClusterRecommendations["byKey"]
  columns: Recommended
  to: number
}

/** Number of series that an index may hold in addition to twice the series of the present report. */
const SPARE = 20_000

const NOTHING: ClusterRecommendations["byKey"] = new Map()

const NO_SERIES: Numbered = { series: [], numbers: new Int32Array(0) }

const fresh = (): Known => ({
  numbers: new Map(),
  byKey: new Map(),
  keys: [],
  recommending: nothingOf(NOTHING),
  lasts: []
})

/** Returns the earlier call whose number of series is closest to `length`. */
const nearest = (lasts: ReadonlyArray<Numbered>, length: number): Numbered | undefined => {
  const apart = ({ series }: Numbered): number => Math.abs(series.length - length)
  return lasts.toSorted((a, b) => apart(a) - apart(b))[0]
}

/** Positions to search ahead for a series of an earlier call. */
const LOOK_AHEAD = 8

/**
 * Returns the position of a series among those of an earlier call, starting at `from`.
 *
 * **Shape** -1 if the series is not within the next {@link LOOK_AHEAD} positions.
 */
const soonIn = (last: ReadonlyArray<Series>, series: Series, from: number): number => {
  if (from < last.length && last[from] === series) return from
  for (let at = from + 1; at < Math.min(from + LOOK_AHEAD, last.length); at++) if (last[at] === series) return at
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

/** Fills in the recommendations of workloads numbered since the last call. */
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
 * Creates the lookup of cluster indexes. An index is reused from one report to the next.
 *
 * **Limits** an index is replaced once it has over twice the series of the present report plus {@link SPARE}.
 */
export const make = (): WorkloadIndexOf => {
  const clusters = new Map<HistoryName, Known>()
  return (cluster, recommended, places) => {
    const before = clusters.get(cluster)
    // Reports that started with a replaced index keep using it.
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
        const same = known.lasts.find((call) => call.series === series)
        if (same !== undefined) return same.numbers
        const last = nearest(known.lasts, series.length) ?? NO_SERIES
        const found = new Int32Array(series.length)
        let next = 0
        for (let at = 0; at < series.length; at++) {
          const subject = series[at]
          if (subject === undefined) continue
          const before = soonIn(last.series, subject, next)
          if (before >= 0) next = before + 1
          found[at] = before < 0 ? (numbers.get(subject) ?? add(subject)) : (last.numbers[before] ?? 0)
        }
        known.lasts = [{ series, numbers: found }, ...known.lasts.filter((call) => call !== last).slice(0, 1)]
        return found
      },
      size: () => keys.length,
      keyOf: (number) => keys[number] ?? "",
      recommended: () => complete(recommending, keys)
    }
  }
}
