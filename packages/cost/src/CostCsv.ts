/**
 * Writes reports as comma-separated values, under the names that the JSON has.
 *
 * **Source** RFC 4180.
 *
 * @since 0.1.0
 */
import type { Stream } from "effect"
import type { AggregateBody, AggregateRow } from "./Aggregate.ts"
import { CostRow, CostTotals, type ReportWindow } from "./CostRow.ts"
import * as Csv from "./report/Csv.ts"

/** The media type of what is written. */
export const MEDIA_TYPE = "text/csv; charset=utf-8"

const named = <Row extends object>(name: keyof Row & string): Csv.Column<Row> => ({
  name,
  of: (row) => {
    const value = row[name]
    return typeof value === "number" ? value : typeof value === "string" ? value : undefined
  }
})

const keysOf = <Fields extends object>(fields: Fields): ReadonlyArray<keyof Fields & string> => {
  const isKey = (key: string): key is keyof Fields & string => Object.hasOwn(fields, key)
  return Object.keys(fields).filter(isKey)
}

/**
 * Writes workloads.
 *
 * **Shape** a header, then a record a row with the row's fields and `currency` at last. A text that begins as a formula
 * does (`=`, `+`, `-`, `@`, tab, carriage return) has an apostrophe in front.
 *
 * **Limits** one part of the stream is held.
 *
 * @since 0.1.0
 */
export const workloads = <E, R>({
  currency,
  rows
}: {
  readonly currency: string
  readonly rows: Stream.Stream<CostRow, E, R>
}): Stream.Stream<string, E, R> =>
  Csv.of(
    rows,
    [...keysOf(CostRow.fields).map((name) => named<CostRow>(name)), { name: "currency", of: () => currency }],
    (row) => [row]
  )

/**
 * Writes groups.
 *
 * **Shape** `start` and `end` of the step, a column for each of `groupBy`, `idle`, `unmounted` or `management` under
 * `beside` for costs that no workload has, then the sums and `currency`. What a group lacks is empty.
 */
export const groups = <E, R>({
  currency,
  groupBy,
  rows
}: {
  readonly currency: string
  readonly groupBy: AggregateBody["groupBy"]
  readonly rows: Stream.Stream<AggregateRow & ReportWindow, E, R>
}): Stream.Stream<string, E, R> => Csv.of(rows, columnsOf(groupBy, currency), (row) => [row])

type SteppedRow = AggregateRow & ReportWindow

const columnsOf = (groupBy: AggregateBody["groupBy"], currency: string): ReadonlyArray<Csv.Column<SteppedRow>> => [
  { name: "start", of: ({ start }) => start },
  { name: "end", of: ({ end }) => end },
  ...groupBy.map((key): Csv.Column<SteppedRow> => ({ name: key, of: ({ group }) => group[key] })),
  { name: "beside", of: besideOf },
  ...keysOf(CostTotals.fields).map((name) => named<SteppedRow>(name)),
  { name: "currency", of: () => currency }
]

const besideOf = ({ idle, management, unmounted }: AggregateRow): string => {
  if (idle === true) return "idle"
  if (unmounted === true) return "unmounted"
  return management === true ? "management" : ""
}
