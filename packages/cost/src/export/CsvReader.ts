/**
 * An incremental parser for comma-separated values.
 *
 * **Source** RFC 4180. Records may end with CRLF or LF.
 */

/** The fields of one record, and the line on which it starts, counted from 1. */
export interface CsvRecord {
  readonly line: number
  readonly fields: ReadonlyArray<string>
}

/** A syntax error. */
export interface Malformed {
  readonly line: number
  readonly problem: string
}

/** The result of parsing a chunk: its complete records, and the error that ends parsing, if any. */
export interface Taken {
  readonly records: ReadonlyArray<CsvRecord>
  readonly malformed?: Malformed
}

export interface CsvReader {
  /** Parses the next chunk. Call {@link CsvReader.end} after the last one. */
  readonly push: (text: string) => Taken
  readonly end: () => Taken
}

/** Position of the parser within a field. */
type Place = "start" | "bare" | "quoted" | "quote" | "return"

/**
 * Creates a parser. **Limits** holds one record in memory; a record of more than `maxLength` characters is an error.
 */
export const make = (maxLength: number): CsvReader => {
  let place: Place = "start"
  let line = 1
  let began = 1
  let field = ""
  let fields: Array<string> = []
  let length = 0

  const malformed = (records: ReadonlyArray<CsvRecord>, problem: string): Taken => ({
    records,
    malformed: { line, problem }
  })
  const endField = () => {
    fields.push(field)
    field = ""
    place = "start"
  }
  const endRecord = (records: Array<CsvRecord>) => {
    endField()
    records.push({ line: began, fields })
    fields = []
    length = 0
    line++
    began = line
  }

  const push = (text: string): Taken => {
    const records: Array<CsvRecord> = []
    for (let at = 0; at < text.length; at++) {
      // All characters up to the next one with a special meaning are taken in one step.
      const stop = place === "quoted" ? nextOf(text, QUOTED, at) : place === "bare" ? nextOf(text, BARE, at) : at
      field += text.slice(at, stop)
      length += stop - at + 1
      if (length > maxLength) return malformed(records, `a record is longer than ${maxLength} characters`)
      at = stop
      const character = text[at]
      if (character === undefined) break
      if (place === "return" && character !== "\n")
        return malformed(records, "a carriage return is not followed by a line feed")
      if (place === "quoted") {
        if (character === '"') place = "quote"
        else {
          field += character
          line++
        }
      } else if (character === '"') {
        if (place === "bare") return malformed(records, "a quote within an unquoted field")
        if (place === "quote") field += character
        place = "quoted"
      } else if (character === ",") endField()
      else if (character === "\r") place = "return"
      else if (character === "\n") endRecord(records)
      else if (place === "quote") return malformed(records, "text after the closing quote of a field")
      else {
        field += character
        place = "bare"
      }
    }
    return { records }
  }

  const end = (): Taken => {
    if (place === "quoted") return malformed([], "the file ends within a quoted field")
    if (place === "return") return malformed([], "the file ends with a carriage return")
    if (place === "start" && fields.length === 0) return { records: [] }
    const records: Array<CsvRecord> = []
    endRecord(records)
    return { records }
  }

  return { push, end }
}

const QUOTED = /["\n]/g
const BARE = /[",\r\n]/g

const nextOf = (text: string, what: RegExp, from: number): number => {
  what.lastIndex = from
  const found = what.exec(text)
  return found === null ? text.length : found.index
}
