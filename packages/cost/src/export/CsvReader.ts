/**
 * Reads comma-separated values as they come.
 *
 * **Source** RFC 4180; the end of a record is CRLF or LF.
 */

/** The fields of one record, and the line on which it begins, counted from 1. */
export interface CsvRecord {
  readonly line: number
  readonly fields: ReadonlyArray<string>
}

/** What is not written as it must be. */
export interface Malformed {
  readonly line: number
  readonly problem: string
}

/** What a part of the text yields: the records that are complete, and what ends the reading, if anything. */
export interface Taken {
  readonly records: ReadonlyArray<CsvRecord>
  readonly malformed?: Malformed
}

export interface CsvReader {
  /** Takes the next part of the text; the last is followed by {@link CsvReader.end}. */
  readonly push: (text: string) => Taken
  readonly end: () => Taken
}

/** Where in a field the reading stands. */
type Place = "start" | "bare" | "quoted" | "quote" | "return"

/**
 * Makes a reader.
 *
 * **Limits** a record of more than `maxLength` characters is malformed; no more than one is held.
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
      // What has no meaning of its own is taken at once.
      const stop = place === "quoted" ? nextOf(text, QUOTED, at) : place === "bare" ? nextOf(text, BARE, at) : at
      field += text.slice(at, stop)
      length += stop - at + 1
      if (length > maxLength) return malformed(records, `a record is longer than ${maxLength} characters`)
      at = stop
      const one = text[at]
      if (one === undefined) break
      if (place === "return" && one !== "\n")
        return malformed(records, "a carriage return is not followed by a line feed")
      if (place === "quoted") {
        if (one === '"') place = "quote"
        else {
          field += one
          line++
        }
      } else if (one === '"') {
        if (place === "bare") return malformed(records, "a quote is within a field that does not begin with one")
        if (place === "quote") field += one
        place = "quoted"
      } else if (one === ",") endField()
      else if (one === "\r") place = "return"
      else if (one === "\n") endRecord(records)
      else if (place === "quote") return malformed(records, "a quoted field goes on after its quote")
      else {
        field += one
        place = "bare"
      }
    }
    return { records }
  }

  const end = (): Taken => {
    if (place === "quoted") return malformed([], "the text ends within a quoted field")
    if (place === "return") return malformed([], "the text ends with a carriage return")
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
