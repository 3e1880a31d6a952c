/**
 * Converts an hour to rows of the tables, and back.
 */
import { Effect } from "effect"
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { CostError, StoreUnreadable } from "../../hour/CostError.ts"
import * as Charges from "../../hour/Charges.ts"
import type { Hour } from "../../hour/Hour.ts"
import { Damaged, number, text } from "../sqlite/SqlValue.ts"
import { digestOf } from "../sqlite/SeriesDigest.ts"
import { type Columns, columns, type Measure, measures } from "../../hour/Measure.ts"
import * as KnownRequest from "../../hour/KnownRequest.ts"
import { keyOf, type Series } from "../../hour/Series.ts"
import { HOUR_MS } from "../../hour/Units.ts"
import { secondsOf } from "./CommitLog.ts"
import { MEASURE_COLUMNS, NOT_KEPT, NOT_KEPT_TEXT } from "./Migrations.ts"

/** Number of series that are hashed before other fibers get a turn: about a millisecond of work. */
const KEYS_AT_ONCE = 250

export const HOUR_COLUMNS = [
  ...(["cluster", "namespace", "kind", "name", "series", "start", "generation", "place", "rate"] as const),
  ...MEASURE_COLUMNS
] as const
export const CHARGES_COLUMNS = ["cluster", "start", "generation", "charges"] as const
export const SERIES_COLUMNS = ["month", "cluster", "id", "namespace", "kind", "name", "uid", "labels"] as const

/**
 * Indexes of the estimated values of each column. If the hour is written again with other prices, these values stay marked as
 * estimates.
 */
const estimates = new WeakMap<Columns["cpuRequestedKnownMilliSeconds"], Set<number>>()
const KNOWN_MEASURES: ReadonlySet<Measure> = new Set(KnownRequest.PAIRS.map(({ known }) => known))

export interface Written {
  readonly hour: Hour
  readonly generation: number
  readonly ids: ReadonlyArray<string>
}

/** Returns the reason why an hour cannot be stored, or `undefined`. */
export const problemOf = ({ columns, knownSeconds, startMs }: Hour): string | undefined => {
  if (startMs % HOUR_MS !== 0 || secondsOf(startMs) * 1_000 !== startMs) return `${startMs} is not the start of an hour`
  if (!Number.isSafeInteger(knownSeconds)) return `${knownSeconds} is not a whole number`
  for (const measure of measures) {
    for (const value of columns[measure]) {
      if (!Number.isInteger(value)) return `${value} is not a whole number`
      if (Math.abs(value) >= TOO_LARGE) return `${value} is too large`
    }
  }
  return undefined
}

/** Values of this magnitude or more do not fit a column. **Source** ClickHouse, "Int64". */
const TOO_LARGE = 2 ** 63

/** Returns the digest of each series. Caches it in `known`. **Limits** Yields to other fibers. */
export const idsOf = Effect.fnUntraced(function* (series: ReadonlyArray<Series>, known: WeakMap<Series, string>) {
  const ids: Array<string> = []
  let keys = 0
  for (const one of series) {
    const cached = known.get(one)
    if (cached !== undefined) {
      ids.push(cached)
      continue
    }
    const id = digestOf(keyOf(one))
    known.set(one, id)
    ids.push(id)
    if (++keys % KEYS_AT_ONCE === 0) yield* Effect.yieldNow
  }
  return ids
})

export function* hourRows(written: ReadonlyArray<Written>): Generator<ReadonlyArray<unknown>> {
  for (const { generation, hour, ids } of written) {
    const start = secondsOf(hour.startMs)
    const values = measures.map((measure) => ({ column: hour.columns[measure], isKnown: KNOWN_MEASURES.has(measure) }))
    const estimated = estimates.get(hour.columns.cpuRequestedKnownMilliSeconds)
    for (const [place, { kind, name, namespace }] of hour.series.entries()) {
      const rate = hour.rateOf[place] ?? -1
      // Adding 0 turns -0 into 0.
      const isEstimated = estimated?.has(place) === true
      const amounts = values.map(({ column, isKnown }) =>
        isKnown && isEstimated ? NOT_KEPT_TEXT : (column[place] ?? 0) + 0
      )
      yield [hour.cluster, namespace, kind, name, ids[place], start, generation, place, rate, ...amounts]
    }
  }
}

export function* chargesRows(written: ReadonlyArray<Written>): Generator<ReadonlyArray<unknown>> {
  for (const { generation, hour } of written) {
    yield [hour.cluster, secondsOf(hour.startMs), generation, Charges.print(hour)]
  }
}

/** Yields the row of each series once for each cluster and month. */
export function* seriesRows(written: ReadonlyArray<Written>): Generator<ReadonlyArray<unknown>> {
  const named = new Set<string>()
  for (const { hour, ids } of written) {
    const month = monthOf(hour.startMs)
    for (const [place, { kind, labels, name, namespace, uid }] of hour.series.entries()) {
      const key = `${month} ${ids[place]} ${hour.cluster}`
      if (named.has(key)) continue
      named.add(key)
      yield [month, hour.cluster, ids[place], namespace, kind, name, uid, labels]
    }
  }
}

const monthOf = (ms: number): number => {
  const date = new Date(ms)
  return date.getUTCFullYear() * 100 + date.getUTCMonth() + 1
}

/** An hour while its rows are read. */
export interface Reading {
  readonly cluster: ClusterName
  readonly startMs: number
  readonly generation: number
  readonly knownSeconds: number
  readonly ids: Array<string>
  readonly rateOf: Int32Array
  readonly columns: Columns
  rows: number
  charges: string
}

export const reading = (
  hour: Pick<Reading, "cluster" | "startMs" | "generation" | "knownSeconds">,
  size: number
): Reading => ({
  ...hour,
  ids: Array.from<string>({ length: size }).fill(""),
  rateOf: new Int32Array(size),
  columns: columns(size),
  rows: 0,
  charges: ""
})

/** Adds a row to an hour. A row has the index in the hour, the series, the index of the rate, and the measures. */
export const takeRow = (hour: Reading, [place, series, rate, ...amounts]: ReadonlyArray<unknown>): void => {
  const at = number(place)
  if (at >= hour.ids.length) throw new Damaged("an hour has more series than it says")
  hour.ids[at] = text(series)
  hour.rateOf[at] = number(rate)
  for (const [column, measure] of measures.entries()) hour.columns[measure][at] = number(amounts[column])
  const known = hour.columns.cpuRequestedKnownMilliSeconds
  if (known[at] === NOT_KEPT) {
    KnownRequest.fill(hour.columns, at)
    const places = estimates.get(known) ?? new Set()
    estimates.set(known, places.add(at))
  }
  hour.rows++
}

/** Builds the hour from its rows. **Errors** `StoreUnreadable` if rows are missing. */
export const toHour = Effect.fnUntraced(function* (
  { charges, cluster, columns, ids, knownSeconds, rateOf, rows, startMs }: Reading,
  series: ReadonlyArray<Series>
) {
  const unreadable = () =>
    new CostError({
      reason: new StoreUnreadable({
        problem: `the hour ${new Date(startMs).toISOString()} of ${cluster} is damaged: it has ${rows} of ${ids.length} series`
      })
    })
  if (rows !== ids.length) return yield* unreadable()
  const { rates, seen, shares, storage } = yield* Effect.mapError(Charges.parse(charges), unreadable)
  return {
    cluster,
    startMs,
    knownSeconds,
    series,
    columns,
    rates,
    rateOf,
    shares,
    ...(storage === undefined ? {} : { storage }),
    ...(seen === undefined ? {} : { seen })
  } satisfies Hour
})
