/**
 * Moves closed hours from one store to another, or keeps them elsewhere, as comma-separated values.
 *
 * A file holds the header and then, for each hour of each cluster, one `hour` record, one `series` record for each of
 * its series, in their order, and one `sum` record; an `end` record closes it. Nothing is lost: an hour that was exported
 * and imported is equal to what it was, and a changed price changes it alike.
 *
 * | column | in `hour` records | in `series` records | in `sum` records |
 * |---|---|---|---|
 * | `record` | `hour` | `series` | `sum` |
 * | `cluster`, `hour` | whose hour it is, and its start, as `2026-03-02T00:00:00.000Z` | the same | the same |
 * | `knownSeconds` | how long the cluster was seen | | |
 * | `series` | how many series follow | | |
 * | `charges` | JSON: `rates`, `shares`, and `storage` where there is one, as an `Hour` has them | | |
 * | `checksum` | | | SHA-256 of the hour's other records, each ended by CRLF |
 * | `namespace`, `kind`, `name`, `uid` | | the series | |
 * | `labels` | | JSON: an object of texts | |
 * | `rate` | | the place in `rates`, -1 where there is none or several | |
 * | each of `Measure.measures` | | a whole number | |
 *
 * Files of programs that did not keep what was requested while usage was known lack those two measures; they are estimated
 * where such a file is read.
 *
 * The `checksum` of the `end` record is the SHA-256 of those of all hours, one after the other.
 *
 * **Source** RFC 4180. Texts stand as they are: what a spreadsheet would take for a formula has no guard.
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

/** The media type of what is written. */
export const MEDIA_TYPE = "text/csv; charset=utf-8; header=present"

/** The longest record that is read: an hour whose every series ran in several price classes has a long one. */
const MAX_RECORD = 256 * 1_024 ** 2

interface ExportOptions {
  readonly onLost?: (lost: LostHours.LostHours) => Effect.Effect<void>
  /** Names the history of a key; the key itself where it is left out. */
  readonly nameOf?: (key: ClusterName) => HistoryName
}

/**
 * Writes the closed hours of clusters.
 *
 * **Shape** clusters in the order given, each once; hours rising. Hours that are kept within their days only are not
 * in it: `onLost` is told of those that damage made so.
 *
 * **Limits** holds a day of one cluster. Days are read one after the other: what is rewritten between two of them shows
 * in the later. An hour of 10,000 series takes about 3 MB; the text packs well.
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

/** Cuts a window at days; an empty one gives none. */
const daysOf = ({ endMs, startMs }: Window): ReadonlyArray<Window> => {
  const days: Array<Window> = []
  for (let from = startMs; from < endMs; from = dayOf(from) + DAY_MS) {
    days.push({ startMs: from, endMs: Math.min(dayOf(from) + DAY_MS, endMs) })
  }
  return days
}

/**
 * What became of the hours that were read.
 *
 * **Shape** `written` were closed, or replaced; `skipped` were closed before, and left as they are; `forgotten` are of
 * days that the store keeps as a whole only, and could not be taken.
 */
export interface Imported {
  readonly written: number
  readonly skipped: number
  readonly forgotten: number
}

/**
 * Reads what {@link toCsv} wrote into the store.
 *
 * **Shape** `closed` says what becomes of hours that the store has: they are left as they are, or replaced.
 *
 * **Errors** `ImportRefused` at the first record that is not as it must be, at an hour that was changed, and at the end
 * of a file that lacks hours or its `end`. Hours before it have been taken in, each whole; reading the mended file again
 * skips or replaces those.
 *
 * **Limits** holds one hour, or a day of one cluster where hours are replaced. The hours of a cluster stand one after
 * the other, rising.
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
  /** What becomes of hours that the store has. */
  readonly closed: "skip" | "replace"
  /** Finds the key of a history that is taken in; without it there are clusters alone. */
  readonly adopt?: (name: HistoryName) => Effect.Effect<ClusterName, CostError>
}

const ownKey = (name: HistoryName): Effect.Effect<ClusterName> => Effect.succeed(clusterOf(name))

/** Where hours go, and how many of them went there. */
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
      // Whole days are forgotten, and these are of one.
      Effect.catchReason("CostError", "HourForgotten", () =>
        Effect.sync(() => void (destination.forgotten += hours.length))
      )
    )
  })
