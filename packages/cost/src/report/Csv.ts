/**
 * Writes comma-separated values.
 *
 * **Source** RFC 4180: records end with CRLF, a field is quoted where it has a comma, a quote or the end of a line. OWASP,
 * "CSV Injection": a text that a spreadsheet would take for a formula, or would after blanks, gets an apostrophe in front.
 */
import { Stream } from "effect"

/** What a field holds; `undefined` is an empty field. */
export type Cell = string | number | undefined

/** One column of rows. */
export interface Column<Row> {
  readonly name: string
  readonly of: (row: Row) => Cell
}

/** Blanks of any kind, seen or not, hide nothing: spreadsheets drop them. Full-width signs count as narrow ones. */
const FORMULA = /^[\s\p{Cc}\p{Default_Ignorable_Code_Point}\u2800]*[=+\-@＝＋－＠\t\r\n]/u
const QUOTED = /[",\r\n]/

/** Writes one field; numbers are no formulas: they stay as they are, without an exponent. */
export const cell = (value: Cell): string => {
  if (value === undefined) return ""
  if (typeof value === "number") return decimal(value)
  const safe = FORMULA.test(value) ? `'${value}` : value
  return QUOTED.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** Writes a number in decimal digits. What would need an exponent has twelve decimals at most. */
const decimal = (value: number): string => {
  const text = String(value)
  if (!text.includes("e")) return text
  const fixed = value.toFixed(12)
  return fixed.includes("e") ? BigInt(Math.round(value)).toString() : fixed.replace(/\.?0+$/, "")
}

/** Writes one record. */
const line = (cells: ReadonlyArray<Cell>): string => `${cells.map(cell).join(",")}\r\n`

/**
 * Writes rows, and their names in front.
 *
 * **Shape** `split` gives the records of a row.
 *
 * **Limits** one text for each part of the stream: no more than that is held.
 */
export const of = <Row, Written, E, R>(
  rows: Stream.Stream<Row, E, R>,
  columns: ReadonlyArray<Column<Written>>,
  split: (row: Row) => ReadonlyArray<Written>
): Stream.Stream<string, E, R> =>
  Stream.concat(
    Stream.make(line(columns.map(({ name }) => name))),
    Stream.mapArray(rows, (part) => [
      part
        .flatMap(split)
        .map((record) => line(columns.map(({ of }) => of(record))))
        .join("")
    ])
  )
