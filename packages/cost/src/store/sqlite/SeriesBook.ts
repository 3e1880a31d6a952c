/**
 * Cache of the series of each cluster and of their ids in the file.
 */
import { Effect } from "effect"
import { CostError, StoreUnreadable } from "../../hour/CostError.ts"
import { keyOf, type Series } from "../../hour/Series.ts"
import type { CostClient } from "./CostClient.ts"
import type { FreshSeries } from "./CostProtocol.ts"
import { DIGEST_LENGTH, digestOf } from "./SeriesDigest.ts"
import * as SeriesText from "./SeriesText.ts"

/** Number of series that are hashed before other fibers get a turn: about a millisecond of work. */
const KEYS_AT_ONCE = 250

/** Cache of one cluster. */
export interface Known {
  /** Series by id, from reads and from closed hours. Cleared when there are too many. */
  readonly series: Map<number, Series>
  /**
   * Ids of the series in closed hours, by digest. The worker thread returns the id of any other series with its next
   * hour.
   */
  readonly ids: Map<string, number>
  /** Ids by series object. Most objects recur in each hour, and then need no digest. */
  readonly seen: WeakMap<Series, number>
  /** The last result for each number of ids. Consecutive reports mostly read the same ids. */
  readonly asked: Map<number, Asked>
  /** Series of the last hour. The next hour mostly has the same series in the same order. */
  last: { readonly series: ReadonlyArray<Series>; readonly ids: Int32Array }
}

/** Ids of an hour's series. Fresh series have none yet. */
interface Named {
  readonly ids: Int32Array
  readonly fresh: FreshSeries
}

interface Asked {
  readonly ids: Int32Array
  readonly series: ReadonlyArray<Series>
}

/** Number of series cached for a cluster beyond those of the present report or hour. */
const SPARE = 100_000

/** Number of series in one read: few enough not to block the event loop. */
const PAGE = 250

/**
 * Number of results cached for a cluster. More than one, so that reports that alternate between two windows still find
 * theirs.
 */
const LISTS = 2

export interface SeriesBook {
  /** Returns the cached ids of series, and the series without one. **Limits** Yields to other fibers. */
  readonly idsOf: (cluster: string, series: ReadonlyArray<Series>) => Effect.Effect<Named>
  /** Caches the new ids of fresh series. */
  readonly note: (cluster: string, series: ReadonlyArray<Series>, named: Named, given: Int32Array) => void
  /**
   * Returns the series of ids. Reads only those that are not cached.
   *
   * **Errors** `StoreUnreadable` for an id without a series in the file.
   *
   * **Limits** Caches up to twice the number of `ids` plus 100,000 series.
   */
  readonly seriesOf: (cluster: string, ids: Int32Array) => Effect.Effect<ReadonlyArray<Series>, CostError>
}

export const make = ({ call }: CostClient): SeriesBook => {
  const clusters = new Map<string, Known>()
  const knownOf = (cluster: string): Known => {
    const found = clusters.get(cluster)
    if (found !== undefined) return found
    const known = nothingKnown()
    clusters.set(cluster, known)
    return known
  }

  return {
    idsOf: (cluster, series) => Effect.suspend(() => idsOf(knownOf(cluster), series)),
    note: (cluster, series, named, given) => note(knownOf(cluster), series, named, given),
    seriesOf: Effect.fnUntraced(function* (cluster, ids) {
      const readPage = (page: Int32Array) =>
        Effect.map(call({ operation: "series", cluster, ids: page }), ({ series }) => series)
      const found = yield* seriesOf(knownOf(cluster), ids, readPage)
      if (typeof found !== "number") return found
      const problem = `the cost history of ${cluster} names no series ${found}: check and repair it`
      return yield* new CostError({ reason: new StoreUnreadable({ problem }) })
    })
  }
}

/** Makes an empty cache. */
export const nothingKnown = (): Known => ({
  series: new Map(),
  ids: new Map(),
  asked: new Map(),
  seen: new WeakMap(),
  last: { series: [], ids: new Int32Array(0) }
})

/** Returns the cached ids of series, and the series without one. */
export const idsOf = Effect.fnUntraced(function* (known: Known, series: ReadonlyArray<Series>) {
  let keys = 0
  const ids = new Int32Array(series.length)
  const places: Array<number> = []
  const texts: Array<string> = []
  let digests = ""
  for (const place of takeOver(known.last, series, ids)) {
    const one = series[place]
    if (one === undefined) continue
    const cached = known.seen.get(one)
    if (cached !== undefined) {
      ids[place] = cached
      continue
    }
    const text = keyOf(one)
    const digest = digestOf(text)
    const id = known.ids.get(digest)
    if (++keys % KEYS_AT_ONCE === 0) yield* Effect.yieldNow
    if (id === undefined) {
      places.push(place)
      texts.push(text)
      digests += digest
    } else {
      ids[place] = id
      known.seen.set(one, id)
    }
  }
  const named: Named = { ids, fresh: { places: Int32Array.from(places), digests, texts: texts.join("\n") } }
  return named
})

/** Caches the new ids of fresh series, and the series of the hour. */
export const note = (known: Known, series: ReadonlyArray<Series>, { fresh, ids }: Named, given: Int32Array): void => {
  // Evicted series are read again when needed.
  const most = 2 * series.length + SPARE
  if (known.series.size + given.length > most) known.series.clear()
  if (known.ids.size + given.length > most) known.ids.clear()
  for (const [index, place] of fresh.places.entries()) {
    const digest = fresh.digests.slice(index * DIGEST_LENGTH, (index + 1) * DIGEST_LENGTH)
    const one = series[place]
    const id = given[index]
    if (one === undefined || id === undefined) continue
    ids[place] = id
    known.ids.set(digest, id)
    known.seen.set(one, id)
    known.series.set(id, one)
  }
  known.last = { series: series.slice(), ids }
}

/** Returns the series of ids, or the first id without a series. */
export const seriesOf = Effect.fnUntraced(function* <E>(
  known: Known,
  ids: Int32Array,
  readPage: (ids: Int32Array) => Effect.Effect<string, E>
) {
  const before = known.asked.get(ids.length)
  if (before !== undefined && isSame(before.ids, ids)) return before.series
  // Another report may clear the cache during the reads below, so found series are copied first.
  const missing = ids.filter((id) => !known.series.has(id)).toSorted()
  const found = Array.from(ids, (id) => known.series.get(id))
  const learnt = new Map<number, Series>()
  const texts = new Map<string, string>()
  for (let from = 0; from < missing.length; from += PAGE) {
    const page = missing.slice(from, from + PAGE)
    const read = SeriesText.parse(yield* readPage(page), texts)
    for (const [place, id] of page.entries()) {
      const one = known.series.get(id) ?? read[place]
      if (one !== undefined) learnt.set(id, one)
    }
  }
  const series: Array<Series> = []
  for (const [place, id] of ids.entries()) {
    const one = found[place] ?? learnt.get(id)
    if (one === undefined) return id
    series.push(one)
  }
  if (known.series.size + learnt.size > 2 * ids.length + SPARE) known.series.clear()
  for (const [id, one] of learnt) known.series.set(id, one)
  keep(known.asked, { ids, series })
  return series
})

const isSame = (one: Int32Array, other: Int32Array): boolean => {
  for (let place = 0; place < one.length; place++) if (one[place] !== other[place]) return false
  return true
}

const keep = (asked: Known["asked"], one: Asked): void => {
  asked.delete(one.ids.length)
  asked.set(one.ids.length, one)
  for (const length of asked.keys()) {
    if (asked.size <= LISTS) return
    asked.delete(length)
  }
}

/** Copies ids of series that have the same index as in the last hour. Returns the indexes of the other series. */
const takeOver = (last: Known["last"], series: ReadonlyArray<Series>, ids: Int32Array): ReadonlyArray<number> => {
  const others: Array<number> = []
  for (let place = 0; place < series.length; place++) {
    if (series[place] === last.series[place]) ids[place] = last.ids[place] ?? 0
    else others.push(place)
  }
  return others
}
