/**
 * Writes an hour as CSV records, and reads it back.
 */
import { is, type HistoryName } from "@quarterdeck/targeting/HistoryName"
import { Effect, Schema } from "effect"
import type { Hour } from "../hour/Hour.ts"
import { columns, measures } from "../hour/Measure.ts"
import * as KnownRequest from "../hour/KnownRequest.ts"
import { keyOf, type Series } from "../hour/Series.ts"
import { DAY_SECONDS, HOUR_MS } from "../hour/Units.ts"
import * as Charges from "../hour/Charges.ts"
import * as Checksum from "./Checksum.ts"
import * as WholeNumber from "../hour/WholeNumber.ts"

const OF_SERIES = ["namespace", "kind", "name", "uid", "labels", "rate"]
const OF_HOUR = ["record", "cluster", "hour", "knownSeconds", "series", "charges", "checksum"]

/** The columns of a file, in order. */
export const HEADER: ReadonlyArray<string> = [...OF_HOUR, ...OF_SERIES, ...measures]

/**
 * Number of measures in files of the first releases. These files lack the two measures of requests while usage was
 * known.
 */
const FIRST_MEASURES = 22

/** The accepted headers: the present one, and the one of the first releases. */
export const HEADERS: ReadonlyArray<ReadonlyArray<string>> = [
  HEADER,
  HEADER.slice(0, OF_HOUR.length + OF_SERIES.length + FIRST_MEASURES)
]

/** Number of records that are joined into one text. */
const RECORDS_AT_ONCE = 500

const QUOTED = /[",\r\n]/

const cell = (text: string): string => (QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

export const line = (fields: ReadonlyArray<string>): string => `${fields.map(cell).join(",")}\r\n`

const LACKING = HEADER.slice(OF_HOUR.length).map(() => "")

/**
 * Returns the record that closes an hour (`sum`) or the file (`end`).
 *
 * `checksum` covers all records before it; `width` is the number of fields of the file's records.
 */
const closing = (
  record: "sum" | "end",
  named: ReadonlyArray<string>,
  checksum: string,
  width: number = HEADER.length
): string => line([record, ...named, "", "", "", checksum, ...LACKING].slice(0, width))

/** Returns the `end` record. **Shape** `file` must already have the checksums of all hours. */
export const printEnd = (file: Checksum.Seal, width?: number): string => closing("end", ["", ""], file.close(), width)

/** An hour in a file. **Shape** `cluster` is the name of its history, not the key in the store. */
export interface NamedHour extends Omit<Hour, "cluster"> {
  readonly cluster: HistoryName
}

/** Writes an hour: its own record, one per series, and one with their checksum, which is added to `file`. */
export function* print(hour: NamedHour, file: Checksum.Seal): Generator<string> {
  const seal = Checksum.make()
  const { cluster, columns, knownSeconds, rateOf, series, startMs } = hour
  const named = [cluster, new Date(startMs).toISOString()]
  const values = measures.map((measure) => columns[measure])
  let text = line(["hour", ...named, String(knownSeconds), String(series.length), Charges.print(hour), "", ...LACKING])
  for (const [place, { kind, labels, name, namespace, uid }] of series.entries()) {
    if (place % RECORDS_AT_ONCE === RECORDS_AT_ONCE - 1) {
      seal.add(text)
      yield text
      text = ""
    }
    const amounts = values.map((column) => WholeNumber.print(column[place] ?? 0))
    const subject = [namespace, kind, name, uid, JSON.stringify(labels), String(rateOf[place] ?? -1)]
    text += line(["series", ...named, "", "", "", "", ...subject, ...amounts])
  }
  seal.add(text)
  const checksum = seal.close()
  file.add(checksum)
  yield text + closing("sum", named, checksum)
}

/** An hour whose series are not all read yet. */
export interface PartialHour {
  readonly line: number
  readonly named: string
  readonly hour: NamedHour
  readonly keys: Set<string>
  readonly seal: Checksum.Seal
}

/** A record is invalid. */
export class InvalidRecord extends Schema.TaggedError<InvalidRecord>()("InvalidRecord", { problem: Schema.String }) {}

/** Returns true if all series of an hour are read. */
export const isWhole = ({ hour, keys }: PartialHour): boolean => keys.size === hour.rateOf.length

/** Maximum number of series of an hour: more than any real hour has, but few enough to fit into memory. */
const MAX_SERIES = 1_000_000

/** Parses an `hour` record. */
export const begin = Effect.fnUntraced(function* (lineOfFile: number, fields: ReadonlyArray<string>) {
  const [, name = "", start = "", known = "", count = "", text = "", ...rest] = fields
  if (rest.some((field) => field !== ""))
    return yield* new InvalidRecord({ problem: "an hour record must not fill series columns" })
  const cluster = yield* clusterOf(name)
  const startMs = yield* startOf(start)
  const knownSeconds = yield* whole("knownSeconds", known, 0, DAY_SECONDS)
  const size = yield* whole("series", count, 0, MAX_SERIES)
  const charges = yield* Effect.mapError(
    Charges.parse(text),
    () => new InvalidRecord({ problem: "cannot parse charges" })
  )
  const { rates, shares, storage = [] } = charges
  if ([...shares, ...storage].some(({ series }) => series >= size) || shares.some(({ rate }) => rate >= rates.length)) {
    return yield* new InvalidRecord({ problem: "charges refer to a missing series or rate" })
  }
  const series: Array<Series> = []
  const hour: NamedHour = {
    cluster,
    startMs,
    knownSeconds,
    series,
    columns: columns(size),
    rateOf: new Int32Array(size),
    ...charges
  }
  const seal = Checksum.make()
  seal.add(line(fields))
  return { begun: { line: lineOfFile, named: `${name} ${start}`, hour, keys: new Set<string>(), seal }, series }
})

/** Parses the next `series` record of an hour. */
export const add = Effect.fnUntraced(function* (
  { hour, keys, named, seal }: PartialHour,
  series: Array<Series>,
  fields: ReadonlyArray<string>
) {
  const [, cluster = "", start = "", known, size, charges, checksum, ...seriesFields] = fields
  const [namespace = "", kind = "", name = "", uid = "", written = "", rate = "", ...amounts] = seriesFields
  if (`${cluster} ${start}` !== named) return yield* new InvalidRecord({ problem: `expected a series of ${named}` })
  if (known !== "" || size !== "" || charges !== "" || checksum !== "") {
    return yield* new InvalidRecord({ problem: "a series record must not fill hour columns" })
  }
  const place = series.length
  if (place >= hour.rateOf.length)
    return yield* new InvalidRecord({ problem: `${named} has more series than its hour record states` })
  const labels = yield* Effect.mapError(labelsOf(written), () => new InvalidRecord({ problem: "cannot parse labels" }))
  const next: Series = { namespace, kind, name, uid, labels }
  keys.add(keyOf(next))
  series.push(next)
  if (keys.size !== series.length) return yield* new InvalidRecord({ problem: `${named} contains this series twice` })
  hour.rateOf[place] = yield* whole("rate", rate, -1, hour.rates.length - 1)
  for (const [index, text] of amounts.entries()) {
    const measure = measures[index]
    if (measure !== undefined) hour.columns[measure][place] = yield* amount(measure, text)
  }
  if (amounts.length < measures.length) KnownRequest.fill(hour.columns, place)
  seal.add(line(fields))
})

/** Parses the `sum` record of an hour. **Shape** its checksum is added to `file`. */
export const close = Effect.fnUntraced(function* (
  begun: PartialHour,
  fields: ReadonlyArray<string>,
  file: Checksum.Seal
) {
  const [, cluster = "", start = ""] = fields
  const { named, seal } = begun
  if (!isWhole(begun))
    return yield* new InvalidRecord({ problem: `${named} has fewer series than its hour record states` })
  if (`${cluster} ${start}` !== named)
    return yield* new InvalidRecord({ problem: `expected the sum record of ${named}` })
  const checksum = seal.close()
  file.add(checksum)
  if (line(fields) !== closing("sum", [cluster, start], checksum, fields.length)) {
    return yield* new InvalidRecord({ problem: `${named} was modified: its checksum does not match` })
  }
})

/** Returns true if a record is the valid `end` record of the file. */
export const isEnd = (fields: ReadonlyArray<string>, file: Checksum.Seal): boolean =>
  line(fields) === printEnd(file, fields.length)

const labelsOf = Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Record(Schema.String, Schema.String)))

const clusterOf = (name: string): Effect.Effect<HistoryName, InvalidRecord> =>
  is(name)
    ? Effect.succeed(name)
    : Effect.fail(new InvalidRecord({ problem: `${JSON.stringify(name)} is not a valid history name` }))

const startOf = (text: string): Effect.Effect<number, InvalidRecord> => {
  const ms = Date.parse(text)
  const isHour = Number.isFinite(ms) && ms % HOUR_MS === 0 && new Date(ms).toISOString() === text
  return isHour
    ? Effect.succeed(ms)
    : Effect.fail(
        new InvalidRecord({ problem: `${JSON.stringify(text)} is not a whole hour such as 2026-03-02T00:00:00.000Z` })
      )
}

const amount = (column: string, text: string): Effect.Effect<number, InvalidRecord> => {
  const value = WholeNumber.parse(text)
  return value === undefined
    ? Effect.fail(new InvalidRecord({ problem: `${column} is ${JSON.stringify(text)}, not a whole number` }))
    : Effect.succeed(value)
}

const whole = (column: string, text: string, least: number, most: number): Effect.Effect<number, InvalidRecord> => {
  const value = WholeNumber.parse(text) ?? Number.NaN
  return value >= least && value <= most
    ? Effect.succeed(value)
    : Effect.fail(
        new InvalidRecord({
          problem: `${column} is ${JSON.stringify(text)}, not a whole number from ${least} to ${most}`
        })
      )
}
