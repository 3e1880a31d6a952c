/**
 * Writes reports as comma-separated values, under the names that the JSON has.
 *
 * **Source** RFC 4180.
 */
import type { Stream } from "effect"
import type { AggregateBody, AggregateRow, Bucket } from "./Aggregate.ts"
import { CostRow, CostTotals, type SeenHours } from "./CostRow.ts"
import * as Csv from "./Csv.ts"
import * as CoverageColumns from "./CoverageColumns.ts"

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

/** The names of the columns that tell for how much of the time the record's cluster was seen. */
const SEEN = { covered: "clusterHoursCovered", inWindow: "clusterHoursInWindow" }

/**
 * Writes workloads.
 *
 * **Shape** a header, then a record a row with the row's fields, for how much of the window the row's cluster was seen
 * (`clusterHoursCovered` of `clusterHoursInWindow`), and `currency` at last. A text that begins as a formula does (`=`, `+`,
 * `-`, `@`, tab, carriage return) has an apostrophe in front.
 *
 * **Limits** one part of the stream is held.
 */
export const workloads = <E, R>({
  clusters,
  currency,
  rows
}: {
  readonly clusters: ReadonlyArray<SeenHours>
  readonly currency: string
  readonly rows: Stream.Stream<CostRow, E, R>
}): Stream.Stream<string, E, R> =>
  Csv.of(
    rows,
    [
      ...keysOf(CostRow.fields).map((name) => named<CostRow>(name)),
      ...CoverageColumns.make<CostRow>(SEEN, ({ cluster }) => ({ cluster, clusters })),
      { name: "currency", of: () => currency }
    ],
    (row) => [row]
  )

/**
 * Writes groups.
 *
 * **Shape** `start` and `end` of the step, a column for each of `groupBy`, `idle`, `unmounted` or `management` under
 * `beside` for costs that no workload has, then the sums, for how much of the step the group's cluster was seen, or all
 * clusters together where a group is not of one (`clusterHoursCovered` of `clusterHoursInWindow`), and `currency`. What a
 * group lacks is empty.
 */
export const groups = <E, R>({
  currency,
  groupBy,
  rows
}: {
  readonly currency: string
  readonly groupBy: AggregateBody["groupBy"]
  readonly rows: Stream.Stream<SteppedRow, E, R>
}): Stream.Stream<string, E, R> => Csv.of(rows, columnsOf(groupBy, currency), (row) => [row])

type SteppedRow = AggregateRow & Omit<Bucket, "rows">

const columnsOf = (groupBy: AggregateBody["groupBy"], currency: string): ReadonlyArray<Csv.Column<SteppedRow>> => [
  { name: "start", of: ({ start }) => start },
  { name: "end", of: ({ end }) => end },
  ...groupBy.map((key): Csv.Column<SteppedRow> => ({ name: key, of: ({ group }) => group[key] })),
  { name: "beside", of: besideOf },
  ...keysOf(CostTotals.fields).map((name) => named<SteppedRow>(name)),
  ...CoverageColumns.make<SteppedRow>(SEEN, ({ clusters, group }) => ({ cluster: group["cluster"], clusters })),
  { name: "currency", of: () => currency }
]

const besideOf = ({ idle, management, unmounted }: AggregateRow): string => {
  if (idle === true) return "idle"
  if (unmounted === true) return "unmounted"
  return management === true ? "management" : ""
}
