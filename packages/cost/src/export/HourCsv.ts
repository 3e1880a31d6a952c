/**
 * An hour as records of comma-separated values, there and back.
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

/** The columns, in their order. */
export const HEADER: ReadonlyArray<string> = [...OF_HOUR, ...OF_SERIES, ...measures]

/** Measures of the first files: what was requested while usage was known is estimated of their hours. */
const FIRST_MEASURES = 22

/** The columns that files may have: those of programs before this one lack measures that were added since. */
export const HEADERS: ReadonlyArray<ReadonlyArray<string>> = [
  HEADER,
  HEADER.slice(0, OF_HOUR.length + OF_SERIES.length + FIRST_MEASURES)
]

/** Records that are written out as text at once. */
const RECORDS_AT_ONCE = 500

const QUOTED = /[",\r\n]/

const cell = (text: string): string => (QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

/** Writes one record. */
export const line = (fields: ReadonlyArray<string>): string => `${fields.map(cell).join(",")}\r\n`

const LACKING = HEADER.slice(OF_HOUR.length).map(() => "")

/**
 * Writes the record that closes an hour, or without one the file.
 *
 * The checksum is that of all records before; `width` is how many fields the file's records have.
 */
const closing = (
  record: "sum" | "end",
  named: ReadonlyArray<string>,
  checksum: string,
  width: number = HEADER.length
): string => line([record, ...named, "", "", "", checksum, ...LACKING].slice(0, width))

/** Writes the record that closes a file. **Shape** `file` has taken the checksum of each hour. */
export const printEnd = (file: Checksum.Seal, width?: number): string => closing("end", ["", ""], file.close(), width)

/** An hour as a file has it. **Shape** `cluster` is the name of its history, whatever key a store knows that by. */
export interface NamedHour extends Omit<Hour, "cluster"> {
  readonly cluster: HistoryName
}

/** Writes an hour: a record of itself, one for each of its series, and one with their checksum, which `file` takes. */
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

/** An hour of which not all series may be there yet. */
export interface Begun {
  readonly line: number
  readonly named: string
  readonly hour: NamedHour
  readonly keys: Set<string>
  readonly seal: Checksum.Seal
}

/** What is wrong with a record. */
export class Wrong extends Schema.TaggedError<Wrong>()("Wrong", { problem: Schema.String }) {}

/** Tells whether all series of an hour are there. */
export const isWhole = ({ hour, keys }: Begun): boolean => keys.size === hour.rateOf.length

/** How many records an hour may have: more than any has, and few enough to make room for. */
const MAX_SERIES = 1_000_000

/** Reads the record of an hour itself. */
export const begin = Effect.fnUntraced(function* (lineOfFile: number, fields: ReadonlyArray<string>) {
  const [, name = "", start = "", known = "", count = "", text = "", ...rest] = fields
  if (rest.some((field) => field !== "")) return yield* new Wrong({ problem: "a record of an hour tells of a series" })
  const cluster = yield* clusterOf(name)
  const startMs = yield* startOf(start)
  const knownSeconds = yield* whole("knownSeconds", known, 0, DAY_SECONDS)
  const size = yield* whole("series", count, 0, MAX_SERIES)
  const charges = yield* Effect.mapError(Charges.parse(text), () => new Wrong({ problem: "charges are not readable" }))
  const { rates, shares, storage = [] } = charges
  if ([...shares, ...storage].some(({ series }) => series >= size) || shares.some(({ rate }) => rate >= rates.length)) {
    return yield* new Wrong({ problem: "charges name a series or a rate that is not there" })
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

/** Reads the record of the next series of an hour. */
export const add = Effect.fnUntraced(function* (
  { hour, keys, named, seal }: Begun,
  series: Array<Series>,
  fields: ReadonlyArray<string>
) {
  const [, cluster = "", start = "", known, size, charges, checksum, ...own] = fields
  const [namespace = "", kind = "", name = "", uid = "", written = "", rate = "", ...amounts] = own
  if (`${cluster} ${start}` !== named)
    return yield* new Wrong({ problem: `it is not of ${named}, whose series come here` })
  if (known !== "" || size !== "" || charges !== "" || checksum !== "") {
    return yield* new Wrong({ problem: "a record of a series tells of its hour" })
  }
  const place = series.length
  if (place >= hour.rateOf.length) return yield* new Wrong({ problem: `${named} has more series than it says` })
  const labels = yield* Effect.mapError(labelsOf(written), () => new Wrong({ problem: "labels are not readable" }))
  const one: Series = { namespace, kind, name, uid, labels }
  keys.add(keyOf(one))
  series.push(one)
  if (keys.size !== series.length) return yield* new Wrong({ problem: `${named} has this series twice` })
  hour.rateOf[place] = yield* whole("rate", rate, -1, hour.rates.length - 1)
  for (const [index, text] of amounts.entries()) {
    const measure = measures[index]
    if (measure !== undefined) hour.columns[measure][place] = yield* amount(measure, text)
  }
  if (amounts.length < measures.length) KnownRequest.fill(hour.columns, place)
  seal.add(line(fields))
})

/** Reads the record that closes an hour. **Shape** `file` takes the checksum. */
export const close = Effect.fnUntraced(function* (begun: Begun, fields: ReadonlyArray<string>, file: Checksum.Seal) {
  const [, cluster = "", start = ""] = fields
  const { named, seal } = begun
  if (!isWhole(begun)) return yield* new Wrong({ problem: `${named} has fewer series than it says` })
  if (`${cluster} ${start}` !== named) return yield* new Wrong({ problem: `it is not of ${named}, which ends here` })
  const checksum = seal.close()
  file.add(checksum)
  if (line(fields) !== closing("sum", [cluster, start], checksum, fields.length)) {
    return yield* new Wrong({ problem: `${named} was changed: its checksum is another` })
  }
})

/** Tells whether a record closes the file that has these hours. */
export const isEnd = (fields: ReadonlyArray<string>, file: Checksum.Seal): boolean =>
  line(fields) === printEnd(file, fields.length)

const labelsOf = Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Record(Schema.String, Schema.String)))

const clusterOf = (name: string): Effect.Effect<HistoryName, Wrong> =>
  is(name) ? Effect.succeed(name) : Effect.fail(new Wrong({ problem: `${JSON.stringify(name)} is no cluster's name` }))

const startOf = (text: string): Effect.Effect<number, Wrong> => {
  const ms = Date.parse(text)
  const isHour = Number.isFinite(ms) && ms % HOUR_MS === 0 && new Date(ms).toISOString() === text
  return isHour
    ? Effect.succeed(ms)
    : Effect.fail(new Wrong({ problem: `${JSON.stringify(text)} is no hour like 2026-03-02T00:00:00.000Z` }))
}

const amount = (column: string, text: string): Effect.Effect<number, Wrong> => {
  const value = WholeNumber.parse(text)
  return value === undefined
    ? Effect.fail(new Wrong({ problem: `${column} is ${JSON.stringify(text)}, not a whole number` }))
    : Effect.succeed(value)
}

const whole = (column: string, text: string, least: number, most: number): Effect.Effect<number, Wrong> => {
  const value = WholeNumber.parse(text) ?? Number.NaN
  return value >= least && value <= most
    ? Effect.succeed(value)
    : Effect.fail(
        new Wrong({ problem: `${column} is ${JSON.stringify(text)}, not a whole number from ${least} to ${most}` })
      )
}
