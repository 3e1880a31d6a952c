/**
 * Reads the records of an exported file in order, and returns each hour when it is complete.
 */
import type { HistoryName } from "@quarterdeck/targeting/HistoryName"
import { Effect } from "effect"
import type { Series } from "../hour/Series.ts"
import type { CsvRecord } from "./CsvReader.ts"
import * as HourCsv from "./HourCsv.ts"
import { ImportRefused } from "./ImportRefused.ts"
import * as Checksum from "./Checksum.ts"

/** The state of an import. */
export class HourFile {
  readonly #seal = Checksum.make()
  /** Start of the last hour of each cluster. */
  readonly #lastStarts = new Map<HistoryName, number>()
  #place: "start" | "hours" | "end" = "start"
  #width = HourCsv.HEADER.length
  #lastLine = 1
  #lastCluster: HistoryName | undefined
  #open: { readonly begun: HourCsv.PartialHour; readonly series: Array<Series> } | undefined

  /**
   * Takes the next record, and returns the hour that it completes, if any.
   *
   * **Errors** `ImportRefused` if the record is invalid or out of order.
   */
  take({ fields, line }: CsvRecord): Effect.Effect<HourCsv.NamedHour | undefined, ImportRefused> {
    this.#lastLine = line
    if (this.#place === "end") return refuse(line, "a record follows the end record")
    if (this.#place === "start") return this.#begin(line, fields)
    if (fields.length !== this.#width) return refuse(line, `it has ${fields.length} fields, not ${this.#width}`)
    switch (fields[0]) {
      case "hour":
        return this.#beginHour(line, fields)
      case "series":
        return this.#addSeries(line, fields)
      case "sum":
        return this.#closeHour(line, fields)
      case "end":
        return this.#close(line, fields)
      default:
        return refuse(line, UNKNOWN_RECORD)
    }
  }

  /** Checks the end of the text. **Errors** `ImportRefused` if something is missing. */
  end(): Effect.Effect<void, ImportRefused> {
    if (this.#place === "start") return refuse(1, "the file is empty; expected a header")
    if (this.#open !== undefined) {
      const { line, named } = this.#open.begun
      return refuse(line, `the file ends before all series of ${named} and their checksum`)
    }
    if (this.#place === "end") return Effect.void
    return refuse(this.#lastLine, "the file ends here, without an end record: hours are missing")
  }

  #begin(line: number, fields: ReadonlyArray<string>): Effect.Effect<undefined, ImportRefused> {
    this.#place = "hours"
    const isHeader = (header: ReadonlyArray<string>) =>
      fields.length === header.length && fields.every((name, at) => name === header[at])
    if (!HourCsv.HEADERS.some(isHeader)) return refuse(line, "expected the header of a supported export version")
    this.#width = fields.length
    return NOTHING
  }

  #beginHour(line: number, fields: ReadonlyArray<string>): Effect.Effect<undefined, ImportRefused> {
    if (this.#open !== undefined) return refuse(line, unclosed(this.#open.begun))
    return Effect.flatMap(refusing(line, HourCsv.begin(line, fields)), (open) => {
      this.#open = open
      const { cluster, startMs } = open.begun.hour
      const lastStart = this.#lastStarts.get(cluster)
      const isNext = lastStart === undefined || (cluster === this.#lastCluster && startMs > lastStart)
      if (!isNext) return refuse(line, "the hours of a cluster must be adjacent and ascending")
      this.#lastStarts.set(cluster, startMs)
      this.#lastCluster = cluster
      return NOTHING
    })
  }

  #addSeries(line: number, fields: ReadonlyArray<string>): Effect.Effect<undefined, ImportRefused> {
    if (this.#open === undefined) return refuse(line, "expected an hour record before this series record")
    const { begun, series } = this.#open
    return Effect.as(refusing(line, HourCsv.add(begun, series, fields)), undefined)
  }

  #closeHour(line: number, fields: ReadonlyArray<string>): Effect.Effect<HourCsv.NamedHour, ImportRefused> {
    if (this.#open === undefined) return refuse(line, "expected an hour record before this sum record")
    const { begun } = this.#open
    return Effect.map(refusing(begun.line, HourCsv.close(begun, fields, this.#seal)), () => {
      this.#open = undefined
      return begun.hour
    })
  }

  #close(line: number, fields: ReadonlyArray<string>): Effect.Effect<undefined, ImportRefused> {
    if (this.#open !== undefined) return refuse(line, unclosed(this.#open.begun))
    if (!HourCsv.isEnd(fields, this.#seal)) {
      return refuse(line, "the checksum of the file does not match: hours were removed or added")
    }
    this.#place = "end"
    return NOTHING
  }
}

const NOTHING: Effect.Effect<undefined> = Effect.succeed(undefined)

const UNKNOWN_RECORD = "unknown record; expected hour, series, sum or end"

const refuse = (line: number, problem: string): Effect.Effect<never, ImportRefused> =>
  Effect.fail(new ImportRefused({ line, problem }))

const refusing = <A>(line: number, reading: Effect.Effect<A, HourCsv.InvalidRecord>): Effect.Effect<A, ImportRefused> =>
  Effect.mapError(reading, ({ problem }) => new ImportRefused({ line, problem }))

const unclosed = (begun: HourCsv.PartialHour): string =>
  HourCsv.isWhole(begun)
    ? `the checksum of ${begun.named} is missing`
    : `${begun.named} has fewer series than its hour record states`
