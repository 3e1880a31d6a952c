/**
 * Rows as a table, as CSV, as JSON or as YAML.
 */
import { CliOutput } from "effect/cli"
import { Document, visit } from "yaml"
import * as PlainText from "./PlainText.ts"

export type Format = "table" | "json" | "yaml" | "csv"

/** The formats of a list. **Shape** `wide` is a table with more columns. `name` prints one name a line. */
export type ListFormat = Format | "wide" | "name"

/**
 * One column.
 *
 * **Shape** CSV never quotes numbers. `align` applies to tables; the default is left. A table has a rare column only if one of
 * its cells is not empty.
 */
export interface Column<Row> {
  readonly title: string
  readonly align?: "right"
  readonly isRare?: true
  readonly cell: (row: Row) => string | number
}

export interface Columns<Row> {
  readonly table: ReadonlyArray<Column<Row>>
  readonly csv: ReadonlyArray<Column<Row>>
}

/** The columns of a list. **Shape** `wide` adds columns to those of the table. `name` identifies a row. */
export interface ListColumns<Row> extends Columns<Row> {
  readonly wide: ReadonlyArray<Column<Row>>
  readonly name: (row: Row) => string
}

/**
 * Renders aligned columns under their titles, two spaces apart, without trailing spaces.
 */
export const table = <Row>(all: ReadonlyArray<Column<Row>>, rows: ReadonlyArray<Row>): string => {
  const columns = all.filter(({ cell, isRare = false }) => !isRare || rows.some((row) => cell(row) !== ""))
  return aligned(columns, [titlesOf(columns), ...cellsOf(columns, rows)], []).text
}

/** A table that is printed in parts. **Shape** columns grow and never shrink. The titles precede the first row. */
export class AppendedTable {
  #widths: ReadonlyArray<number> = []

  append<Row>(columns: ReadonlyArray<Column<Row>>, rows: ReadonlyArray<Row>): string {
    if (rows.length === 0) return ""
    const titles = this.#widths.length === 0 ? [titlesOf(columns)] : []
    const { text, widths } = aligned(columns, [...titles, ...cellsOf(columns, rows)], this.#widths)
    this.#widths = widths
    return text
  }
}

const titlesOf = <Row>(columns: ReadonlyArray<Column<Row>>) => columns.map(({ title }) => title)

const cellsOf = <Row>(columns: ReadonlyArray<Column<Row>>, rows: ReadonlyArray<Row>) =>
  rows.map((row) => columns.map(({ cell }) => PlainText.oneLine(String(cell(row)))))

/** Pads cells into columns, each at least as wide as `least` says. */
const aligned = <Row>(
  columns: ReadonlyArray<Column<Row>>,
  lines: ReadonlyArray<ReadonlyArray<string>>,
  least: ReadonlyArray<number>
) => {
  const widths = columns.map((_, index) =>
    lines.reduce((widest, line) => Math.max(widest, CliOutput.displayWidth(line[index] ?? "")), least[index] ?? 0)
  )
  const pad = (text: string, index: number) => {
    const space = " ".repeat(Math.max(0, (widths[index] ?? 0) - CliOutput.displayWidth(text)))
    return columns[index]?.align === "right" ? space + text : text + space
  }
  return { widths, text: lines.map((line) => `${line.map(pad).join("  ").trimEnd()}\n`).join("") }
}

/**
 * Renders CSV with a line of titles.
 *
 * **Shape** a text that a spreadsheet would run as a formula gets a leading `'`. Invisible characters become escapes, as in a
 * table. Lines end with a line feed.
 *
 * **Source** RFC 4180; OWASP, "CSV Injection".
 */
export const csv = <Row>(columns: ReadonlyArray<Column<Row>>, rows: ReadonlyArray<Row>): string =>
  [columns.map(({ title }) => title), ...rows.map((row) => columns.map(({ cell }) => cell(row)))]
    .map((line) => `${line.map(field).join(",")}\n`)
    .join("")

/** Renders a value as indented JSON. Invisible characters become JSON escapes. */
export const json = (value: unknown): string =>
  `${JSON.stringify(value, null, 2).replace(/(?!\n)[\p{C}\u2028\u2029]/gu, escaped)}\n`

/** Renders a value as one line of JSON, with the escapes of {@link json}. */
export const jsonLine = (value: unknown): string => `${JSON.stringify(value).replace(UNSEEN_EACH, escaped)}\n`

/**
 * Renders a value as YAML 1.2 that parsers of YAML 1.1 read alike. Invisible characters become escapes, as in JSON.
 */
export const yaml = (value: unknown): string => {
  const document = new Document(value, { compat: "yaml-1.1" })
  visit(document, {
    Scalar: (_, scalar) => {
      if (typeof scalar.value === "string" && UNSEEN.test(scalar.value)) scalar.type = "QUOTE_DOUBLE"
    }
  })
  return document.toString({ lineWidth: 0 }).replace(/(?!\n)[\p{C}\u2028\u2029]/gu, escaped)
}

/** Renders a whole value as JSON or YAML. */
export const document = (format: "json" | "yaml", value: unknown): string =>
  format === "json" ? json(value) : yaml(value)

const UNSEEN = /[\p{C}\u2028\u2029]/u
const UNSEEN_EACH = /[\p{C}\u2028\u2029]/gu

const escaped = (character: string): string =>
  [...Array(character.length).keys()]
    .map((index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, "0")}`)
    .join("")

/** Characters that start a formula, and their full-width forms. `oneLine` has escaped the characters that spreadsheets skip. */
const FORMULA = /^[=+\-@＝＋－＠]/

const field = (value: string | number): string => {
  if (typeof value === "number") return String(value)
  const seen = PlainText.oneLine(value)
  const text = FORMULA.test(seen) ? `'${seen}` : seen
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
