/**
 * Exports closed hours as comma-separated values, and imports them into another store.
 *
 * A file starts with a header. Each hour of each cluster has one `hour` record, one `series` record per series in order, and
 * one `sum` record. An `end` record closes the file. The format is lossless: an imported hour equals the exported one, and
 * can be repriced like it.
 *
 * | column | in `hour` records | in `series` records | in `sum` records |
 * |---|---|---|---|
 * | `record` | `hour` | `series` | `sum` |
 * | `cluster`, `hour` | name of the history, and start of the hour as `2026-03-02T00:00:00.000Z` | the same | the same |
 * | `knownSeconds` | how long the cluster was observed | | |
 * | `series` | number of `series` records | | |
 * | `charges` | JSON: `rates`, `shares` and, if present, `storage` and `seen` of an `Hour` | | |
 * | `checksum` | | | SHA-256 of the hour's other records, each ended by CRLF |
 * | `namespace`, `kind`, `name`, `uid` | | the series | |
 * | `labels` | | JSON: an object of strings | |
 * | `rate` | | index into `rates`, -1 for none or several | |
 * | each of `Measure.measures` | | a whole number | |
 *
 * Files of the first releases lack the two measures of requests during known usage. The import estimates them.
 *
 * The `checksum` of the `end` record is the SHA-256 of the concatenated checksums of all hours.
 *
 * **Source** RFC 4180. Texts are written unchanged, without protection against spreadsheet formulas.
 */
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { clusterOf, type HistoryName } from "@quarterdeck/targeting/HistoryName"
import { Effect, Stream } from "effect"
import type { CostError } from "../hour/CostError.ts"
import { CostStore } from "../store/CostStore.ts"
import * as CsvReader from "./CsvReader.ts"
import * as HourCsv from "./HourCsv.ts"
import { HourFile } from "./HourFile.ts"
import { ImportRefused } from "./ImportRefused.ts"
import * as LostHours from "./LostHours.ts"
import * as Checksum from "./Checksum.ts"
import type { Hour } from "../hour/Hour.ts"
import { DAY_MS, dayOf } from "../hour/Units.ts"
import type { Window } from "../hour/Window.ts"

export { ImportRefused } from "./ImportRefused.ts"

export const MEDIA_TYPE = "text/csv; charset=utf-8; header=present"

/** Maximum length of a record. The `hour` record is long if each of its series ran on several price classes. */
const MAX_RECORD = 256 * 1_024 ** 2

interface ExportOptions {
  readonly onLost?: (lost: LostHours.LostHours) => Effect.Effect<void>
  /** Returns the name of a cost history from its key in the store. By default the name is the key. */
  readonly nameOf?: (key: ClusterName) => HistoryName
}

/**
 * Exports the closed hours of clusters as CSV text.
 *
 * **Shape** clusters in the given order, without duplicates; hours ascending. Days of which only the daily sum is stored are
 * left out. `onLost` is called for each day with hours that were lost to damage.
 *
 * **Limits** holds one day of one cluster in memory. Days are read one after the other, without a snapshot. An hour of
 * 10,000 series takes about 3 MB, and compresses well.
 */
export const toCsv = (
  clusters: ReadonlyArray<ClusterName>,
  window: Window,
  { nameOf = (key) => key, onLost = () => Effect.void }: ExportOptions = {}
): Stream.Stream<string, CostError, CostStore> =>
  Stream.unwrap(
    Effect.gen(function* () {
      const store = yield* CostStore
      const extents = yield* store.extents
      const days = [...new Set(clusters)].flatMap((cluster) =>
        extents
          .filter((extent) => extent.cluster === cluster)
          .flatMap(({ fromMs, hoursFromMs = fromMs, toMs }) =>
            daysOf({
              startMs: Math.max(dayOf(fromMs), window.startMs),
              endMs: Math.min(dayOf(toMs - 1) + DAY_MS, window.endMs)
            })
              .filter(({ endMs }) => endMs > hoursFromMs)
              .map((day) => ({ cluster, day }))
          )
      )
      const hoursOf = ({ cluster, day }: { readonly cluster: ClusterName; readonly day: Window }) =>
        Effect.gen(function* () {
          const known = yield* LostHours.knownSeconds(store, cluster, day)
          const hours = yield* store.hours(cluster, day)
          const seconds = known - hours.reduce((sum, { knownSeconds }) => sum + knownSeconds, 0)
          if (seconds > 0) yield* onLost({ cluster, startMs: dayOf(day.startMs), seconds })
          return hours
        })
      const file = Checksum.make()
      const hours = Stream.fromIterable(days).pipe(Stream.flatMap((day) => Stream.fromIterableEffect(hoursOf(day))))
      return Stream.make(HourCsv.line(HourCsv.HEADER)).pipe(
        Stream.concat(
          Stream.flatMap(hours, (hour) =>
            Stream.fromIterable(HourCsv.print({ ...hour, cluster: nameOf(hour.cluster) }, file))
          )
        ),
        Stream.concat(Stream.suspend(() => Stream.make(HourCsv.printEnd(file))))
      )
    })
  )

/** Splits a window at day boundaries. An empty window returns no days. */
const daysOf = ({ endMs, startMs }: Window): ReadonlyArray<Window> => {
  const days: Array<Window> = []
  for (let from = startMs; from < endMs; from = dayOf(from) + DAY_MS) {
    days.push({ startMs: from, endMs: Math.min(dayOf(from) + DAY_MS, endMs) })
  }
  return days
}

/**
 * Counts of imported hours.
 *
 * **Shape** `written` were closed or replaced. `skipped` were already closed and left unchanged. `forgotten` belong to days of
 * which the store keeps only the daily sum, and were not imported.
 */
export interface Imported {
  readonly written: number
  readonly skipped: number
  readonly forgotten: number
}

/**
 * Imports the output of {@link toCsv} into the store.
 *
 * **Errors** `ImportRefused` at the first invalid record or wrong checksum, and at the end of a file that lacks hours or its
 * `end` record. Earlier hours stay imported. Importing the corrected file again skips or replaces them.
 *
 * **Limits** holds one hour in memory, or with `closed: "replace"` one day of one cluster. The hours of a cluster must
 * be adjacent and ascending.
 */
export const fromCsv = Effect.fn("CostExport.fromCsv")(function* <E, R>(
  text: Stream.Stream<string, E, R>,
  { adopt = ownKey, closed }: ImportOptions
) {
  const destination: Destination = {
    store: yield* CostStore,
    adopt,
    keys: new Map(),
    closed,
    day: [],
    written: 0,
    skipped: 0,
    forgotten: 0
  }
  const reader = CsvReader.make(MAX_RECORD)
  const file = new HourFile()

  const takeAll = Effect.fnUntraced(function* ({ malformed, records }: CsvReader.Taken) {
    for (const record of records) {
      const hour = yield* file.take(record)
      if (hour !== undefined) yield* put(destination, hour)
    }
    if (malformed !== undefined) return yield* new ImportRefused(malformed)
  })

  yield* Stream.runForEach(text, (part) => takeAll(reader.push(part))).pipe(
    Effect.andThen(Effect.suspend(() => takeAll(reader.end()))),
    Effect.andThen(Effect.suspend(() => file.end())),
    Effect.tapErrorTag("ImportRefused", () => replaceDay(destination))
  )
  yield* replaceDay(destination)
  const { forgotten, skipped, written } = destination
  const imported: Imported = { written, skipped, forgotten }
  return imported
})

interface ImportOptions {
  /** Treatment of hours that the store already has. */
  readonly closed: "skip" | "replace"
  /**
   * Returns the store's key for an imported cost history, from its name in the file. By default the key is the
   * cluster's name, without the date of a renamed history.
   */
  readonly adopt?: (name: HistoryName) => Effect.Effect<ClusterName, CostError>
}

const ownKey = (name: HistoryName): Effect.Effect<ClusterName> => Effect.succeed(clusterOf(name))

/** The target of an import, and its counts so far. */
interface Destination {
  readonly store: CostStore["Service"]
  readonly adopt: (name: HistoryName) => Effect.Effect<ClusterName, CostError>
  readonly keys: Map<HistoryName, ClusterName>
  readonly closed: "skip" | "replace"
  /** Hours of one day of one cluster, which are replaced together. */
  day: Array<Hour>
  written: number
  skipped: number
  forgotten: number
}

const put = Effect.fnUntraced(function* (destination: Destination, named: HourCsv.NamedHour) {
  const { adopt, closed, keys } = destination
  const key = keys.get(named.cluster) ?? (yield* adopt(named.cluster))
  keys.set(named.cluster, key)
  const hour: Hour = { ...named, cluster: key }
  yield* closed === "skip" ? close(destination, hour) : replace(destination, hour)
})

const close = (destination: Destination, hour: Hour): Effect.Effect<void, CostError> =>
  destination.store.close(hour).pipe(
    Effect.tap(() => Effect.sync(() => void destination.written++)),
    Effect.catchReason("CostError", "HourClosed", () => Effect.sync(() => void destination.skipped++)),
    Effect.catchReason("CostError", "HourForgotten", () => Effect.sync(() => void destination.forgotten++))
  )

const replace = Effect.fnUntraced(function* (destination: Destination, hour: Hour) {
  const [first] = destination.day
  if (first !== undefined && (first.cluster !== hour.cluster || dayOf(first.startMs) !== dayOf(hour.startMs))) {
    yield* replaceDay(destination)
  }
  destination.day.push(hour)
})

const replaceDay = (destination: Destination): Effect.Effect<void, CostError> =>
  Effect.suspend(() => {
    const hours = destination.day
    destination.day = []
    if (hours.length === 0) return Effect.void
    return destination.store.rewrite(hours).pipe(
      Effect.tap(() => Effect.sync(() => void (destination.written += hours.length))),
      // Only whole days are reduced to daily sums. These hours are of one day, so all of them are refused.
      Effect.catchReason("CostError", "HourForgotten", () =>
        Effect.sync(() => void (destination.forgotten += hours.length))
      )
    )
  })
