/**
 * Schema of the cost history in ClickHouse, and its migrations.
 */
import { Effect } from "effect"
import { CostError, StoreUnreadable } from "../../hour/CostError.ts"
import { number } from "../sqlite/SqlValue.ts"
import { type Measure, measures } from "../../hour/Measure.ts"
import * as KnownRequest from "../../hour/KnownRequest.ts"
import type { Client } from "./Client.ts"

const columnOf = (measure: Measure): string => measure.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** Column names of all measures, in the order of `measures`. */
export const MEASURE_COLUMNS: ReadonlyArray<string> = measures.map(columnOf)

const ACTION = "bring the tables of the cost history up to date"

/** Pairs of columns: how much was requested while usage was known, and how much in total. */
export const KNOWN_COLUMNS = KnownRequest.PAIRS.map(({ known, requested }) => ({
  known: columnOf(known),
  requested: columnOf(requested)
}))

/** Number of measure columns in the first version. Later columns come after them. */
const FIRST_COLUMNS = 22
const MEASURES = MEASURE_COLUMNS.slice(0, FIRST_COLUMNS)
  .map((column) => `${column} Int64`)
  .join(", ")

/**
 * Marks rows of older programs, which did not store how much was requested while usage was known. Reads estimate this
 * quantity for these rows.
 *
 * The mark is the smallest value of the column type. No stored hour has this value.
 */
export const NOT_KEPT = -(2 ** 63)
/** {@link NOT_KEPT} as text, for inserts and SQL. JSON would round the number to one outside the range of the column. */
export const NOT_KEPT_TEXT = "-9223372036854775808"
export const NOT_KEPT_SQL = `toInt64('${NOT_KEPT_TEXT}')`
const KNOWN = KNOWN_COLUMNS.map(({ known }) => `ADD COLUMN IF NOT EXISTS ${known} Int64 DEFAULT ${NOT_KEPT_SQL}`).join(
  ", "
)

/**
 * Migrations, one per schema version. A released one is never edited.
 *
 * `ledger` lists closed hours (`span` hour) and days that are kept only as daily totals (`span` day). For each hour or day the
 * row with the highest `commit` counts, and its `generation` names its rows in `hours`, `days` and `charges`. Rows of any other
 * generation do not count. A commit is one insertion into the ledger. The ledger has no partitions, so all rows of a commit
 * appear at once.
 *
 * `hours` is sorted by day, then by workload: a window reads only its days, and the hours of a workload compress well.
 * `histories` maps each value of `cluster` in the other tables to a cluster, as JSON. The newest record of a key counts.
 * `recommendations` has a row with an empty key for each save of a cluster. Rows of versions up to its `since` do not count.
 */
const MIGRATIONS: ReadonlyArray<ReadonlyArray<string>> = [
  [
    `CREATE TABLE IF NOT EXISTS ledger (
      cluster LowCardinality(String),
      span Enum8('hour' = 1, 'day' = 2),
      start DateTime('UTC'),
      commit UInt64,
      state Enum8('closed' = 1, 'folded' = 2, 'gone' = 3),
      generation UInt64,
      size UInt32,
      known_seconds UInt32,
      written_at DateTime('UTC') DEFAULT now()
    ) ENGINE = MergeTree ORDER BY (cluster, span, start, commit)
    SETTINGS non_replicated_deduplication_window = 10000`,
    `CREATE TABLE IF NOT EXISTS hours (
      cluster LowCardinality(String),
      namespace LowCardinality(String),
      kind LowCardinality(String),
      name String,
      series FixedString(16),
      start DateTime('UTC'),
      generation UInt64,
      place UInt32,
      rate Int32,
      ${MEASURES},
      written_at DateTime('UTC') DEFAULT now()
    ) ENGINE = MergeTree PARTITION BY toYYYYMM(start)
    ORDER BY (cluster, toStartOfDay(start), namespace, kind, name, series, start)`,
    `CREATE TABLE IF NOT EXISTS days (
      cluster LowCardinality(String),
      namespace LowCardinality(String),
      kind LowCardinality(String),
      name String,
      series FixedString(16),
      start DateTime('UTC'),
      generation UInt64,
      ${MEASURES},
      written_at DateTime('UTC') DEFAULT now()
    ) ENGINE = MergeTree PARTITION BY toYYYYMM(start)
    ORDER BY (cluster, namespace, kind, name, series, start)`,
    `CREATE TABLE IF NOT EXISTS charges (
      cluster LowCardinality(String),
      start DateTime('UTC'),
      generation UInt64,
      charges String,
      written_at DateTime('UTC') DEFAULT now()
    ) ENGINE = MergeTree PARTITION BY toYYYYMM(start)
    ORDER BY (cluster, start, generation)`,
    `CREATE TABLE IF NOT EXISTS series (
      month UInt32,
      cluster LowCardinality(String),
      id FixedString(16),
      namespace LowCardinality(String),
      kind LowCardinality(String),
      name String,
      uid String,
      labels Map(String, String),
      written_at DateTime('UTC') DEFAULT now()
    ) ENGINE = ReplacingMergeTree PARTITION BY month
    ORDER BY (cluster, id)`,
    `CREATE TABLE IF NOT EXISTS recommendations (
      cluster LowCardinality(String),
      key String,
      version UInt64,
      since UInt64,
      mark UInt64,
      folded_to Int64,
      ended UInt8,
      cpu_millis UInt64,
      memory_bytes UInt64,
      hours UInt32,
      checkpoint String CODEC(ZSTD(1))
    ) ENGINE = ReplacingMergeTree(version) ORDER BY (cluster, key)
    SETTINGS non_replicated_deduplication_window = 10000`
  ],
  [`ALTER TABLE hours ${KNOWN}`, `ALTER TABLE days ${KNOWN}`],
  [
    `CREATE TABLE IF NOT EXISTS histories (
      key String,
      version UInt64,
      record String
    ) ENGINE = ReplacingMergeTree(version) ORDER BY key`
  ]
]

/**
 * Creates the tables or migrates them. Several processes may do so at once.
 *
 * **Errors** `StoreUnreadable` for tables of a newer program.
 */
export const migrate = Effect.fnUntraced(function* ({ insert, read, run }: Client) {
  yield* run({
    action: ACTION,
    sql: "CREATE TABLE IF NOT EXISTS schema_version (version UInt32, at DateTime('UTC') DEFAULT now()) ENGINE = MergeTree ORDER BY version"
  })
  let found = 0
  yield* read({ action: ACTION, sql: "SELECT max(version) FROM schema_version" }, ([version]) => {
    found = number(version)
  })
  if (found > MIGRATIONS.length) {
    return yield* new CostError({
      reason: new StoreUnreadable({
        problem: `the cost history has schema version ${found}, this program knows ${MIGRATIONS.length}: run the newer program, or restore a backup`
      })
    })
  }
  for (const [index, step] of MIGRATIONS.entries()) {
    if (index < found) continue
    for (const sql of step) yield* run({ action: ACTION, sql })
    yield* insert({ action: ACTION, table: "schema_version", columns: ["version"], rows: [[index + 1]] })
  }
})
