/**
 * The peers in SQL: hourly rows of samples in SQLite, and a daily roll-up of them.
 */
import { Effect, type Scope } from "effect"
import { DatabaseSync, type StatementSync } from "node:sqlite"
import { FACTS } from "./history.ts"
import { noSums, type Sums } from "./samples.ts"

const DAY_MS = 86_400_000

/** A time range of whole hours, without its end. **Units** milliseconds since the epoch. */
export interface Between {
  readonly startMs: number
  readonly endMs: number
}

export interface SqlRows {
  /** Inserts the rows of an hour in one transaction. */
  readonly insert: (startMs: number, columns: Sums, firstKey: number) => void
  /** Sums whole days into the daily table. */
  readonly rollUp: () => void
  /** Sums by workload from hourly rows. */
  readonly hourly: (between: Between, workloads: number) => Sums
  /** Sums by workload from daily rows, and from hourly rows before the first and after the last whole day. */
  readonly daily: (between: Between, workloads: number) => Sums
}

export const open = (path: string): Effect.Effect<SqlRows, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => new DatabaseSync(path)),
      (database) => Effect.sync(() => database.close())
    ),
    rowsIn
  )

const COLUMNS = FACTS.join(", ")
const SUMS = FACTS.map((fact) => `sum(${fact}) AS ${fact}`).join(", ")

const rowsIn = (database: DatabaseSync): SqlRows => {
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
  for (const table of ["samples", "days"]) {
    database.exec(`CREATE TABLE ${table} (ts INTEGER NOT NULL, workload INTEGER NOT NULL,
      ${FACTS.map((fact) => `${fact} INTEGER NOT NULL`).join(", ")}, PRIMARY KEY (ts, workload)) WITHOUT ROWID`)
  }
  const insert = database.prepare(`INSERT INTO samples VALUES (?, ?, ${FACTS.map(() => "?").join(", ")})`)
  const hourly = database.prepare(`SELECT workload, ${SUMS} FROM samples WHERE ts >= ? AND ts < ? GROUP BY workload`)
  const daily = database.prepare(`SELECT workload, ${SUMS} FROM (
      SELECT workload, ${COLUMNS} FROM days WHERE ts >= ? AND ts < ?
      UNION ALL SELECT workload, ${COLUMNS} FROM samples WHERE ts >= ? AND ts < ?
      UNION ALL SELECT workload, ${COLUMNS} FROM samples WHERE ts >= ? AND ts < ?
    ) GROUP BY workload`)
  return {
    insert: (startMs, columns, firstKey) => {
      database.exec("BEGIN IMMEDIATE")
      for (let place = 0; place < columns.replicaSeconds.length; place++) {
        insert.run(startMs, firstKey + place, ...FACTS.map((fact) => columns[fact][place] ?? 0))
      }
      database.exec("COMMIT")
    },
    rollUp: () =>
      database.exec(`INSERT INTO days SELECT ts - ts % ${DAY_MS} AS day, workload, ${SUMS} FROM samples
        GROUP BY day, workload HAVING count(*) = 24`),
    hourly: ({ endMs, startMs }, workloads) => sumsOf(hourly, [startMs, endMs], workloads),
    daily: ({ endMs, startMs }, workloads) => {
      const firstMs = Math.ceil(startMs / DAY_MS) * DAY_MS
      const lastMs = Math.max(firstMs, Math.floor(endMs / DAY_MS) * DAY_MS)
      const before = [startMs, Math.min(firstMs, endMs)] as const
      return sumsOf(daily, [firstMs, lastMs, ...before, lastMs, endMs], workloads)
    }
  }
}

const sumsOf = (statement: StatementSync, bounds: ReadonlyArray<number>, workloads: number): Sums => {
  const sums = noSums(workloads)
  for (const row of statement.all(...bounds)) {
    const place = Number(row["workload"])
    for (const fact of FACTS) sums[fact][place] = Number(row[fact])
  }
  return sums
}
