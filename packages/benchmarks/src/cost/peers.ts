/**
 * What reports are compared with: one pass over the samples in typed arrays, and rows in SQLite.
 */
import { Hour, Measure } from "@quarterdeck/cost"
import type { CostRow } from "@quarterdeck/cost/CostRow"
import { Effect, type Scope } from "effect"
import { DatabaseSync } from "node:sqlite"
import * as PeerRow from "./peerRow.ts"

/** Samples as columns, a key and one place a sample in each; measures that nobody has take no room. */
export interface Samples {
  readonly keys: Int32Array
  readonly columns: ReadonlyMap<Measure.Measure, Float64Array>
  /** How many samples there are so far. */
  length: number
}

/** Measures that the samples have. */
export const usedMeasures = (hour: Hour.Hour): ReadonlyArray<Measure.Measure> =>
  Measure.measures.filter((measure) => hour.columns[measure].some((value) => value !== 0))

export const emptySamples = (capacity: number, used: ReadonlyArray<Measure.Measure>): Samples => ({
  keys: new Int32Array(capacity),
  columns: new Map(used.map((measure) => [measure, new Float64Array(capacity)])),
  length: 0
})

/** Adds an hour of the workloads from a key on. */
export const addTo = (samples: Samples, hour: Hour.Hour, firstKey: number): void => {
  for (let place = 0; place < hour.series.length; place++) samples.keys[samples.length + place] = firstKey + place
  for (const [measure, column] of samples.columns) column.set(hour.columns[measure], samples.length)
  samples.length += hour.series.length
}

/** Sums samples by group, in one pass of each column. **Shape** one array a measure, a place for each group. */
export const scan = (
  { columns, keys }: Samples,
  from: number,
  to: number,
  groups: number,
  groupOf: Int32Array
): Measure.Columns => {
  const groupAt = new Int32Array(to - from)
  for (let at = from; at < to; at++) groupAt[at - from] = groupOf[keys[at] ?? 0] ?? 0
  const zeros = new Float64Array(groups)
  return Measure.record((measure) => {
    const column = columns.get(measure)
    return column === undefined ? zeros : summed(column, from, groupAt, groups)
  })
}

const summed = (column: Float64Array, from: number, groupAt: Int32Array, groups: number): Float64Array => {
  const sums = new Float64Array(groups)
  for (let at = 0; at < groupAt.length; at++) {
    const group = groupAt[at] ?? 0
    sums[group] = (sums[group] ?? 0) + (column[from + at] ?? 0)
  }
  return sums
}

/** A report as a reply has it: rows by cost, and what all come to. */
export interface Report {
  readonly rows: ReadonlyArray<CostRow>
  readonly totalCost: number
}

/** Ranks what was summed by workload and writes the first rows, with every column that the service's have. */
export const report = (columns: Measure.Columns, named: ReadonlyArray<PeerRow.Named>, limit: number): Report => {
  const totals = PeerRow.totalNanos(columns, named.length)
  const dearer = (a: number, b: number): number =>
    (totals[b] ?? 0) - (totals[a] ?? 0) || ((named[a]?.id ?? "") < (named[b]?.id ?? "") ? -1 : 1)
  const order = Array.from(named.keys()).toSorted(dearer).slice(0, limit)
  const rows = order.flatMap((key) => {
    const one = named[key]
    return one === undefined ? [] : [PeerRow.of(columns, key, one)]
  })
  return { rows, totalCost: PeerRow.money(totals.reduce((sum, nanos) => sum + nanos, 0)) }
}

/** Rows of samples in SQLite, by hour and workload. */
export interface SampleRows {
  /** Inserts an hour's rows in one transaction. */
  readonly insert: (hour: Hour.Hour, firstKey: number) => void
  /** Sums by workload from an hour on. */
  readonly sums: (startMs: number, workloads: number) => Measure.Columns
}

export const sampleRows = (
  path: string,
  used: ReadonlyArray<Measure.Measure>
): Effect.Effect<SampleRows, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => new DatabaseSync(path)),
      (database) => Effect.sync(() => database.close())
    ),
    (database) => {
      database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
        CREATE TABLE samples (ts INTEGER NOT NULL, workload INTEGER NOT NULL,
          ${used.map((measure) => `${measure} INTEGER NOT NULL`).join(", ")},
          PRIMARY KEY (ts, workload)) WITHOUT ROWID`)
      const places = used.map(() => "?").join(", ")
      const insert = database.prepare(`INSERT INTO samples VALUES (?, ?, ${places})`)
      const total = used.map((measure) => `sum(${measure}) AS ${measure}`).join(", ")
      const sums = database.prepare(`SELECT workload, ${total} FROM samples WHERE ts >= ? GROUP BY workload`)
      return {
        insert: ({ columns, series, startMs }, firstKey) => {
          database.exec("BEGIN IMMEDIATE")
          for (let place = 0; place < series.length; place++) {
            insert.run(startMs, firstKey + place, ...used.map((measure) => columns[measure][place] ?? 0))
          }
          database.exec("COMMIT")
        },
        sums: (startMs, workloads) => {
          const columns = Measure.record(() => new Float64Array(workloads))
          for (const row of sums.all(startMs)) {
            for (const measure of used) columns[measure][Number(row["workload"])] = Number(row[measure])
          }
          return columns
        }
      }
    }
  )
