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
 * The `checksum` of the `end` record is the SHA-256 of those of all hours, one after the other.
 *
 * **Source** RFC 4180. Texts stand as they are: what a spreadsheet would take for a formula has no guard.
 *
 * @since 0.1.0
 */
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Effect, Schema, Stream } from "effect"
import { CostError } from "../hour/CostError.ts"
import { CostStore } from "../store/CostStore.ts"
import * as CsvReader from "./CsvReader.ts"
import * as HourCsv from "./HourCsv.ts"
import * as LostHours from "./LostHours.ts"
import * as Seal from "./Seal.ts"
import type { Hour } from "../hour/Hour.ts"
import type { Series } from "../hour/Series.ts"
import { DAY_MS, dayOf } from "../hour/Units.ts"
import type { Window } from "../hour/Window.ts"

/** The media type of what is written. */
export const MEDIA_TYPE = "text/csv; charset=utf-8; header=present"

/** The longest record that is read: an hour whose every series ran in several price classes has a long one. */
const MAX_RECORD = 256 * 1_024 ** 2

/**
 * What is read is no export. **Shape** `line` is where the record begins, from 1.
 *
 * @since 0.1.0
 */
export class ImportRefused extends Schema.TaggedError<ImportRefused>()("ImportRefused", {
  line: Schema.Int,
  problem: Schema.String
}) {
  override get message(): string {
    return `line ${this.line}: ${this.problem}`
  }
}

/**
 * Writes the closed hours of clusters.
 *
 * **Shape** clusters in the order given, each once; hours rising. Hours that are kept within their days only are not
 * in it: `onLost` is told of those that damage made so.
 *
 * **Limits** holds a day of one cluster. Days are read one after the other: what is rewritten between two of them shows
 * in the later. An hour of 10,000 series takes about 3 MB; the text packs well.
 *
 * @since 0.1.0
 */
export const toCsv = (
  clusters: ReadonlyArray<ClusterName>,
  window: Window,
  { onLost = () => Effect.void }: { readonly onLost?: (lost: LostHours.LostHours) => Effect.Effect<void> } = {}
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
      const file = Seal.make()
      const hours = Stream.fromIterable(days).pipe(Stream.flatMap((day) => Stream.fromIterableEffect(hoursOf(day))))
      return Stream.make(HourCsv.line(HourCsv.HEADER)).pipe(
        Stream.concat(Stream.flatMap(hours, (hour) => Stream.fromIterable(HourCsv.print(hour, file)))),
        Stream.concat(Stream.suspend(() => Stream.make(HourCsv.printEnd(file))))
      )
    })
  )

/** Cuts a window at days. **Shape** none of an empty one. */
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
 *
 * @since 0.1.0
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
 *
 * @since 0.1.0
 */
export const fromCsv = Effect.fn("CostExport.fromCsv")(function* <E, R>(
  text: Stream.Stream<string, E, R>,
  { closed }: { readonly closed: "skip" | "replace" }
) {
  const store = yield* CostStore
  const imported = { written: 0, skipped: 0, forgotten: 0 }
  const reader = CsvReader.make(MAX_RECORD)
  const file = Seal.make()
  let place: "start" | "hours" | "end" = "start"
  let lastLine = 1
  let open: { readonly begun: HourCsv.Begun; readonly series: Array<Series> } | undefined
  let day: Array<Hour> = []
  const seen = new Map<ClusterName, number>()
  let before: ClusterName | undefined

  const refused = (line: number) => (problem: string) => new ImportRefused({ line, problem })

  const close = (hour: Hour) =>
    store.close(hour).pipe(
      Effect.tap(() => Effect.sync(() => void imported.written++)),
      Effect.catchReason("CostError", "HourClosed", () => Effect.sync(() => void imported.skipped++)),
      Effect.catchReason("CostError", "HourForgotten", () => Effect.sync(() => void imported.forgotten++))
    )
  const replaceDay = Effect.suspend(() => {
    const hours = day
    day = []
    if (hours.length === 0) return Effect.void
    return store.rewrite(hours).pipe(
      Effect.tap(() => Effect.sync(() => void (imported.written += hours.length))),
      // Whole days are forgotten, and these are of one.
      Effect.catchReason("CostError", "HourForgotten", () =>
        Effect.sync(() => void (imported.forgotten += hours.length))
      )
    )
  })
  const replace = Effect.fnUntraced(function* (hour: Hour) {
    const [first] = day
    if (first !== undefined && (first.cluster !== hour.cluster || dayOf(first.startMs) !== dayOf(hour.startMs))) {
      yield* replaceDay
    }
    day.push(hour)
  })

  const take = Effect.fnUntraced(function* ({ fields, line }: CsvReader.CsvRecord) {
    const wrong = refused(line)
    lastLine = line
    if (place === "end") return yield* wrong("it stands behind the record that closes the file")
    if (place === "start") {
      place = "hours"
      const isHeader =
        fields.length === HourCsv.HEADER.length && fields.every((name, at) => name === HourCsv.HEADER[at])
      return isHeader ? undefined : yield* wrong("it is not the header of an export of this version")
    }
    if (fields.length !== HourCsv.HEADER.length) {
      return yield* wrong(`it has ${fields.length} fields, not ${HourCsv.HEADER.length}`)
    }
    const told = Effect.mapError(({ problem }: HourCsv.Wrong) => wrong(problem))
    const [record] = fields
    if (record === "hour") {
      if (open !== undefined) return yield* wrong(unclosed(open.begun))
      open = yield* told(HourCsv.begin(line, fields))
      const { cluster, startMs } = open.begun.hour
      const isNext = seen.has(cluster) ? cluster === before && startMs > (seen.get(cluster) ?? 0) : true
      if (!isNext) return yield* wrong("the hours of a cluster do not stand one after the other, rising")
      seen.set(cluster, startMs)
      before = cluster
      return undefined
    }
    if (record === "series") {
      if (open === undefined) return yield* wrong("a series stands before its hour")
      return yield* told(HourCsv.add(open.begun, open.series, fields))
    }
    if (record === "sum" && open !== undefined) {
      const { begun } = open
      yield* Effect.mapError(HourCsv.close(begun, fields, file), ({ problem }) => refused(begun.line)(problem))
      open = undefined
      return yield* closed === "skip" ? close(begun.hour) : replace(begun.hour)
    }
    if (record !== "end") return yield* wrong("it is no record of an hour, of a series or of a checksum")
    if (open !== undefined) return yield* wrong(unclosed(open.begun))
    if (!HourCsv.isEnd(fields, file)) {
      return yield* wrong("the checksum of the file is another: hours were taken out of it, or put into it")
    }
    place = "end"
  })

  const takeAll = Effect.fnUntraced(function* ({ malformed, records }: CsvReader.Taken) {
    for (const record of records) yield* take(record)
    if (malformed !== undefined) return yield* refused(malformed.line)(malformed.problem)
  })

  const takeEnd = Effect.gen(function* () {
    yield* takeAll(reader.end())
    if (place === "start") return yield* refused(1)("there is nothing, not even a header")
    if (open !== undefined) {
      const { line, named } = open.begun
      return yield* refused(line)(`the text ends before all series of ${named} and their checksum`)
    }
    if (place !== "end") {
      return yield* refused(lastLine)(
        "the text ends behind it, without the record that closes the file: hours are missing"
      )
    }
  })

  yield* Stream.runForEach(text, (part) => takeAll(reader.push(part))).pipe(
    Effect.andThen(takeEnd),
    Effect.tapErrorTag("ImportRefused", () => replaceDay)
  )
  yield* replaceDay
  const result: Imported = imported
  return result
})

const unclosed = (begun: HourCsv.Begun): string =>
  HourCsv.isWhole(begun) ? `the checksum of ${begun.named} is missing` : `${begun.named} has fewer series than it says`
