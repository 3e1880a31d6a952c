/**
 * LRU cache of series by id, which reads missing ones from the server.
 */
import { Effect } from "effect"
import { CostError, StoreUnreadable } from "../../hour/CostError.ts"
import { make as makeLeastRecent } from "../sqlite/LeastRecent.ts"
import { Damaged, text } from "../sqlite/SqlValue.ts"
import type { Series } from "../../hour/Series.ts"
import type { Client } from "./Client.ts"

/** Size of the cache: about 300,000 series. With more series, each report reads the evicted ones again. */
const KEPT_BYTES = 256 * 1_024 ** 2
/** Size of a cache entry without its strings. */
const BASE_BYTES = 400
/** Number of ids in one statement. */
const IDS_AT_ONCE = 5_000

export interface SeriesCache {
  /** Returns the series of ids. **Errors** `StoreUnreadable` for an id that the server does not have. */
  readonly seriesOf: (
    action: string,
    cluster: string,
    ids: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlyArray<Series>, CostError>
}

export const make = ({ read }: Client): SeriesCache => {
  const kept = makeLeastRecent<Series>(KEPT_BYTES)

  const ask = (action: string, cluster: string, ids: ReadonlyArray<string>, found: Map<string, Series>) =>
    read(
      {
        action,
        sql: `SELECT id, namespace, kind, name, uid, labels FROM series
          WHERE cluster = {cluster:String} AND id IN {ids:Array(String)} LIMIT 1 BY id`,
        params: { cluster, ids }
      },
      ([key, namespace, kind, name, uid, labels]) => {
        const id = text(key)
        const series: Series = {
          namespace: text(namespace),
          kind: text(kind),
          name: text(name),
          uid: text(uid),
          labels: labelsOf(labels)
        }
        found.set(id, series)
        kept.set(`${cluster}/${id}`, series, bytesOf(series))
      }
    )

  return {
    seriesOf: Effect.fnUntraced(function* (action, cluster, ids) {
      const found = new Map<string, Series>()
      const missing: Array<string> = []
      for (const id of new Set(ids)) {
        const one = kept.get(`${cluster}/${id}`)
        if (one === undefined) missing.push(id)
        else found.set(id, one)
      }
      for (let from = 0; from < missing.length; from += IDS_AT_ONCE) {
        yield* ask(action, cluster, missing.slice(from, from + IDS_AT_ONCE), found)
      }
      const series: Array<Series> = []
      for (const id of ids) {
        const one = found.get(id)
        if (one === undefined) {
          const problem = `the cost history of ${cluster} names no series ${id}`
          return yield* new CostError({ reason: new StoreUnreadable({ problem }) })
        }
        series.push(one)
      }
      return series
    })
  }
}

const labelsOf = (value: unknown): Readonly<Record<string, string>> => {
  if (typeof value !== "object" || value === null) throw new Damaged("a series has no labels")
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, text(one)]))
}

const bytesOf = ({ kind, labels, name, namespace, uid }: Series): number => {
  let bytes = BASE_BYTES + namespace.length + kind.length + name.length + uid.length
  for (const [key, value] of Object.entries(labels)) bytes += 64 + key.length + value.length
  return bytes
}
