/**
 * Writes comma-separated values.
 *
 * **Source** RFC 4180: records end with CRLF; a field with a comma, a quote or a line break is quoted. OWASP, "CSV Injection":
 * text that a spreadsheet would read as a formula gets a leading apostrophe.
 */
import { Stream } from "effect"

/** The value of a field; `undefined` is an empty field. */
export type Cell = string | number | undefined

/** One column of rows. */
export interface Column<Row> {
  readonly name: string
  readonly of: (row: Row) => Cell
}

/** Matches after leading blanks, even invisible ones, because spreadsheets drop them. Full-width signs count too. */
const FORMULA = /^[\s\p{Cc}\p{Default_Ignorable_Code_Point}\u2800]*[=+\-@＝＋－＠\t\r\n]/u
const QUOTED = /[",\r\n]/

/** Writes one field. Numbers need no apostrophe, and are written without an exponent. */
export const cell = (value: Cell): string => {
  if (value === undefined) return ""
  if (typeof value === "number") return decimal(value)
  const safe = FORMULA.test(value) ? `'${value}` : value
  return QUOTED.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** Writes a number in decimal digits. A number below 1e-6 gets at most twelve decimals. */
const decimal = (value: number): string => {
  const text = String(value)
  if (!text.includes("e")) return text
  const fixed = value.toFixed(12)
  return fixed.includes("e") ? BigInt(Math.round(value)).toString() : fixed.replace(/\.?0+$/, "")
}

const line = (cells: ReadonlyArray<Cell>): string => `${cells.map(cell).join(",")}\r\n`

/**
 * Writes a header and the records of all rows.
 *
 * **Shape** `split` returns the records of a row.
 *
 * **Limits** emits one text per chunk of `rows`, and holds no more than that.
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
