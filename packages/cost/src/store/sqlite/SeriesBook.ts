/**
 * Knows the series of each cluster by the ids that the file gave them.
 */
import { Effect } from "effect"
import { CostError, StoreUnreadable } from "../../hour/CostError.ts"
import { keyOf, type Series } from "../../hour/Series.ts"
import type { CostClient } from "./CostClient.ts"
import type { FreshSeries, ReadSeries } from "./CostProtocol.ts"
import { DIGEST_LENGTH, digestOf } from "./SeriesDigest.ts"
import * as SeriesText from "./SeriesText.ts"

/** Series that are told apart before others get their turn: about a millisecond. */
const KEYS_AT_ONCE = 250

/** What is known of the series of one cluster. */
export interface Known {
  /** By id; ids that were swept have none. */
  readonly series: Array<Series | undefined>
  /** Ids of those that hours named; others are asked for again, and answered with the ids that they have. */
  readonly ids: Map<string, number>
  /** The same objects come again each hour, and need no key then. */
  readonly seen: WeakMap<Series, number>
  /** Below it all ids are known. */
  next: number
  /** What was asked for last, by how many they were: one report mostly asks for the same as another. */
  readonly asked: Map<number, Asked>
  /** What the last hour named: the next one mostly names the same in the same places. */
  last: { readonly series: ReadonlyArray<Series>; readonly ids: Int32Array }
}

/** The ids of an hour's series, those of fresh ones still open. */
interface Named {
  readonly ids: Int32Array
  readonly fresh: FreshSeries
}

interface Asked {
  readonly ids: Int32Array
  readonly series: ReadonlyArray<Series>
}

/** Lists of series that a cluster keeps, so that reports of a few windows take turns and still share them. */
const LISTS = 2

export interface SeriesBook {
  /** Gives ids to those that have one, and says which have none. **Limits** leaves the event loop to others. */
  readonly idsOf: (cluster: string, series: ReadonlyArray<Series>) => Effect.Effect<Named>
  /** Notes the ids that fresh series were given. */
  readonly note: (cluster: string, series: ReadonlyArray<Series>, named: Named, given: Int32Array) => void
  /** Reads series until as many are known as ids were given. */
  readonly learn: (cluster: string, given: number) => Effect.Effect<void, CostError>
  /** Gives the series of ids. **Errors** `StoreUnreadable` for one that the file does not name. */
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
  const readPage = (cluster: string, from: number) => call({ operation: "series", cluster, from })

  return {
    idsOf: (cluster, series) => Effect.suspend(() => idsOf(knownOf(cluster), series)),
    note: (cluster, series, named, given) => note(knownOf(cluster), series, named, given),
    learn: (cluster, given) => learn(knownOf(cluster), given, (from) => readPage(cluster, from)),
    seriesOf: (cluster, ids) =>
      Effect.suspend(() => {
        const found = seriesOf(knownOf(cluster), ids)
        if (typeof found !== "number") return Effect.succeed(found)
        const problem = `the cost history of ${cluster} names no series ${found}: check and repair it`
        return Effect.fail(new CostError({ reason: new StoreUnreadable({ problem }) }))
      })
  }
}

/** Knows no series of a cluster yet. */
export const nothingKnown = (): Known => ({
  series: [],
  ids: new Map(),
  asked: new Map(),
  seen: new WeakMap(),
  next: 0,
  last: { series: [], ids: new Int32Array(0) }
})

/** Gives ids to those series that have one, and says which have none. */
export const idsOf = Effect.fnUntraced(function* (known: Known, series: ReadonlyArray<Series>) {
  let keys = 0
  const ids = new Int32Array(series.length)
  const places: Array<number> = []
  const texts: Array<string> = []
  let digests = ""
  for (const place of takeOver(known.last, series, ids)) {
    const one = series[place]
    if (one === undefined) continue
    const seen = known.seen.get(one)
    if (seen !== undefined) {
      ids[place] = seen
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

/** Notes the ids that fresh series were given. */
export const note = (known: Known, series: ReadonlyArray<Series>, { fresh, ids }: Named, given: Int32Array): void => {
  for (const [index, place] of fresh.places.entries()) {
    const digest = fresh.digests.slice(index * DIGEST_LENGTH, (index + 1) * DIGEST_LENGTH)
    const one = series[place]
    const id = given[index]
    if (one === undefined || id === undefined) continue
    ids[place] = id
    known.ids.set(digest, id)
    known.seen.set(one, id)
    known.series[id] = one
  }
  known.last = { series: series.slice(), ids }
}

const learn = Effect.fnUntraced(function* (
  known: Known,
  given: number,
  readPage: (from: number) => Effect.Effect<ReadSeries, CostError>
) {
  const texts = new Map<string, string>()
  while (known.next < given) {
    if (known.series[known.next] !== undefined) {
      known.next++
      continue
    }
    const page = yield* readPage(known.next)
    const read = SeriesText.parse(page.series, texts)
    for (let place = 0; place < read.length; place++) known.series[known.next + place] ??= read[place]
    known.next = page.next
  }
})

/** Gives the series of ids, or the first id that has none. */
const seriesOf = (known: Known, ids: Int32Array): ReadonlyArray<Series> | number => {
  const before = known.asked.get(ids.length)
  if (before !== undefined && isSame(before.ids, ids)) return before.series
  const found: Array<Series> = []
  for (let place = 0; place < ids.length; place++) {
    const id = ids[place] ?? -1
    const one = known.series[id]
    if (one === undefined) return id
    found.push(one)
  }
  keep(known.asked, { ids, series: found })
  return found
}

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

/** Gives ids to those that stand where they stood before. The places of the others. */
const takeOver = (last: Known["last"], series: ReadonlyArray<Series>, ids: Int32Array): ReadonlyArray<number> => {
  const others: Array<number> = []
  for (let place = 0; place < series.length; place++) {
    if (series[place] === last.series[place]) ids[place] = last.ids[place] ?? 0
    else others.push(place)
  }
  return others
}
