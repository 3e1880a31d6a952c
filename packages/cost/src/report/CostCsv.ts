/**
 * Writes reports as comma-separated values. Columns have the names of the JSON fields.
 *
 * **Source** RFC 4180.
 */
import type { Stream } from "effect"
import type { AggregateBody, AggregateRow, Bucket } from "./Aggregate.ts"
import { CostRow, CostTotals, type SeenHours } from "./CostRow.ts"
import * as Csv from "./Csv.ts"
import * as CoverageColumns from "./CoverageColumns.ts"

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

/** The figures of a row itself, without those of the previous window. */
const ownKeys = keysOf(CostRow.fields).filter((name) => name !== "previous")

/** Column of a report with `compare`. **Shape** empty if the cost is not comparable. */
const comparedColumns = (isCompared: boolean): ReadonlyArray<Csv.Column<Pick<CostRow, "previous">>> =>
  isCompared ? [{ name: "previousTotalCost", of: ({ previous }) => previous?.totalCost }] : []

/** Columns that state for how much of the time the record's cluster was observed. */
const SEEN = { covered: "clusterHoursCovered", inWindow: "clusterHoursInWindow" }

/**
 * Writes workloads as CSV.
 *
 * **Shape** a header, then one record per row: the row's fields, `previousTotalCost` if `isCompared`, `clusterHoursCovered`,
 * `clusterHoursInWindow` and `currency`. Text that starts like a formula (`=`, `+`, `-`, `@`, tab, carriage return) gets a leading apostrophe.
 *
 * **Limits** holds one chunk of the stream.
 */
export const workloads = <E, R>({
  clusters,
  currency,
  isCompared = false,
  rows
}: {
  readonly clusters: ReadonlyArray<SeenHours>
  readonly currency: string
  readonly isCompared?: boolean | undefined
  readonly rows: Stream.Stream<CostRow, E, R>
}): Stream.Stream<string, E, R> =>
  Csv.of(
    rows,
    [
      ...ownKeys.map((name) => named<CostRow>(name)),
      ...comparedColumns(isCompared),
      ...CoverageColumns.make<CostRow>(SEEN, ({ cluster }) => ({ cluster, clusters })),
      { name: "currency", of: () => currency }
    ],
    (row) => [row]
  )

/**
 * Writes groups as CSV.
 *
 * **Shape** `start` and `end` of the step, one column per key of `groupBy`, `beside`, the sums, `previousTotalCost` if
 * `isCompared`, `clusterHoursCovered`, `clusterHoursInWindow` and `currency`. `beside` is `idle`, `unmounted` or `management` for costs that belong to no workload.
 * The two hour columns are those of the group's cluster, or sums over all clusters if the group spans several. Missing values
 * are empty.
 */
export const groups = <E, R>({
  currency,
  groupBy,
  isCompared = false,
  rows
}: {
  readonly currency: string
  readonly groupBy: AggregateBody["groupBy"]
  readonly isCompared?: boolean | undefined
  readonly rows: Stream.Stream<SteppedRow, E, R>
}): Stream.Stream<string, E, R> => Csv.of(rows, columnsOf(groupBy, currency, isCompared), (row) => [row])

type SteppedRow = AggregateRow & Omit<Bucket, "rows">

const columnsOf = (
  groupBy: AggregateBody["groupBy"],
  currency: string,
  isCompared: boolean
): ReadonlyArray<Csv.Column<SteppedRow>> => [
  { name: "start", of: ({ start }) => start },
  { name: "end", of: ({ end }) => end },
  ...groupBy.map((key): Csv.Column<SteppedRow> => ({ name: key, of: ({ group }) => group[key] })),
  { name: "beside", of: besideOf },
  ...keysOf(CostTotals.fields).map((name) => named<SteppedRow>(name)),
  ...comparedColumns(isCompared),
  ...CoverageColumns.make<SteppedRow>(SEEN, ({ clusters, group }) => ({ cluster: group["cluster"], clusters })),
  { name: "currency", of: () => currency }
]

const besideOf = ({ idle, management, unmounted }: AggregateRow): string => {
  if (idle === true) return "idle"
  if (unmounted === true) return "unmounted"
  return management === true ? "management" : ""
}
