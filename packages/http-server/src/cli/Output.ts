/**
 * Rows as a table for people, as CSV for a spreadsheet, as JSON for a program.
 */
import { CliOutput } from "effect/cli"
import * as PlainText from "./PlainText.ts"

export type Format = "table" | "json" | "csv"

/** One column. **Shape** a number is written as it is, everything else as text; `align` is of tables, left unless given. */
export interface Column<Row> {
  readonly title: string
  readonly align?: "right"
  readonly cell: (row: Row) => string | number
}

/**
 * Renders aligned columns under their titles; two spaces apart, nothing after the last.
 */
export const table = <Row>(columns: ReadonlyArray<Column<Row>>, rows: ReadonlyArray<Row>): string => {
  const lines = [
    columns.map(({ title }) => title),
    ...rows.map((row) => columns.map(({ cell }) => PlainText.oneLine(String(cell(row)))))
  ]
  const widths = columns.map((_, index) =>
    lines.reduce((widest, line) => Math.max(widest, CliOutput.displayWidth(line[index] ?? "")), 0)
  )
  const pad = (text: string, index: number) => {
    const space = " ".repeat(Math.max(0, (widths[index] ?? 0) - CliOutput.displayWidth(text)))
    return columns[index]?.align === "right" ? space + text : text + space
  }
  return lines.map((line) => `${line.map(pad).join("  ").trimEnd()}\n`).join("")
}

/**
 * Renders CSV with a line of titles.
 *
 * **Shape** a text that a spreadsheet would run as a formula gets a leading `'`; what cannot be seen becomes an escape, as
 * in a table; lines end with a line feed.
 *
 * **Source** RFC 4180; OWASP, "CSV Injection".
 */
export const csv = <Row>(columns: ReadonlyArray<Column<Row>>, rows: ReadonlyArray<Row>): string =>
  [columns.map(({ title }) => title), ...rows.map((row) => columns.map(({ cell }) => cell(row)))]
    .map((line) => `${line.map(field).join(",")}\n`)
    .join("")

/** Renders a value as indented JSON. **Shape** what cannot be seen stands there as JSON's own escapes. */
export const json = (value: unknown): string =>
  `${JSON.stringify(value, null, 2).replace(/(?!\n)[\p{C}\u2028\u2029]/gu, escaped)}\n`

const escaped = (character: string): string =>
  [...Array(character.length).keys()]
    .map((index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, "0")}`)
    .join("")

/** Characters that start a formula, and their full-width forms; those that spreadsheets skip before one cannot stand here. */
const FORMULA = /^[=+\-@＝＋－＠]/

const field = (value: string | number): string => {
  if (typeof value === "number") return String(value)
  const seen = PlainText.oneLine(value)
  const text = FORMULA.test(seen) ? `'${seen}` : seen
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
