/**
 * Forgets old hours and days, and deletes rows that no longer count.
 */
import { Context, Duration, Effect } from "effect"
import type { CostError } from "../../hour/CostError.ts"
import { number, text } from "../sqlite/SqlValue.ts"
import { dayOf, SECOND_MS } from "../../hour/Units.ts"
import type { Client } from "./Client.ts"
import {
  type Entry,
  generation,
  type CommitLog,
  secondsOf,
  type Span,
  spanOf,
  type State,
  stateOf
} from "./CommitLog.ts"
import { KNOWN_COLUMNS, MEASURE_COLUMNS, NOT_KEPT_SQL } from "./Migrations.ts"

const ACTION = "forget old hours"
const CLEAR = "clear away what was forgotten"

/**
 * Minimum age of a row that is deleted. Younger rows may wait for their commit, or be read as of an earlier commit.
 */
export const GracePeriod = Context.Reference<Duration.Duration>("@quarterdeck/cost/store/clickhouse/GracePeriod", {
  defaultValue: () => Duration.days(1)
})

interface Limits {
  readonly hoursBeforeMs: number
  readonly daysBeforeMs: number
}

interface Standing {
  readonly span: Span
  readonly startMs: number
  readonly state: State
  readonly knownSeconds: number
}

const isKnownColumn = (column: string): boolean => KNOWN_COLUMNS.some(({ known }) => known === column)
/** Sums of a day. If an hour lacks the quantity that was requested while usage was known, the day lacks it too. */
const SUMS = MEASURE_COLUMNS.map((column) =>
  isKnownColumn(column)
    ? `if(min(${column}) = ${NOT_KEPT_SQL}, ${NOT_KEPT_SQL}, sum(${column})) AS ${column}`
    : `sum(${column}) AS ${column}`
).join(", ")
const ANY = MEASURE_COLUMNS.filter((column) => !isKnownColumn(column))
  .map((column) => `${column} != 0`)
  .join(" OR ")

/**
 * Limits of a pruning. `hoursDay` is the start of the first day that keeps its hours, `daysDay` that of the first day that
 * keeps its total. **Units** milliseconds since the epoch.
 */
interface DayLimits {
  readonly hoursDay: number
  readonly daysDay: number
}

/** Makes the function behind `CostStore.prune`. */
export const make = (client: Client, ledger: CommitLog): ((limits: Limits) => Effect.Effect<void, CostError>) =>
  Effect.fnUntraced(function* ({ daysBeforeMs, hoursBeforeMs }) {
    const [hoursDay, daysDay] = [dayOf(hoursBeforeMs), dayOf(daysBeforeMs)]
    for (const cluster of yield* clustersBefore(client, Math.max(hoursDay, daysDay))) {
      yield* forgetOf(client, ledger, cluster, { hoursDay, daysDay })
    }
    yield* clear(client)
  })

const clustersBefore = Effect.fnUntraced(function* ({ read }: Client, beforeMs: number) {
  const found: Array<string> = []
  const sql = "SELECT DISTINCT cluster FROM ledger WHERE start < toDateTime({before:UInt32}) ORDER BY cluster"
  yield* read({ action: ACTION, sql, params: { before: secondsOf(beforeMs) } }, ([cluster]) => {
    found.push(text(cluster))
  })
  return found
})

const standingBefore = Effect.fnUntraced(function* ({ read }: Client, cluster: string, beforeMs: number, last: number) {
  const found: Array<Standing> = []
  const sql = `SELECT span, toUnixTimestamp(start), found.1, found.2 FROM (
      SELECT span, start, argMax((state, known_seconds), commit) AS found FROM ledger
      WHERE cluster = {cluster:String} AND start < toDateTime({before:UInt32}) AND commit <= {last:UInt64}
      GROUP BY span, start HAVING found.1 != 'gone'
    )`
  const params = { cluster, before: secondsOf(beforeMs), last }
  yield* read({ action: ACTION, sql, params }, ([span, start, state, known]) => {
    const startMs = number(start) * SECOND_MS
    found.push({ span: spanOf(span), startMs, state: stateOf(state), knownSeconds: number(known) })
  })
  return found
})

/** Sums the hours of each of the days, and writes the daily totals under one generation. */
const fold = (
  { run }: Client,
  {
    cluster,
    days,
    generation,
    last
  }: {
    readonly cluster: string
    readonly days: ReadonlyArray<number>
    readonly last: number
    readonly generation: number
  }
) =>
  run({
    action: ACTION,
    sql: `INSERT INTO days (cluster, namespace, kind, name, series, start, generation, ${MEASURE_COLUMNS.join(", ")})
      SELECT cluster, namespace, kind, name, series, day, {generation:UInt64}, ${SUMS} FROM (
        SELECT *, toStartOfDay(start) AS day FROM hours
        WHERE cluster = {cluster:String} AND toUnixTimestamp(toStartOfDay(start)) IN {days:Array(UInt32)}
          AND generation IN (
            SELECT found.2 FROM (
              SELECT argMax((state, generation), commit) AS found FROM ledger
              WHERE cluster = {cluster:String} AND span = 'hour'
                AND toUnixTimestamp(toStartOfDay(start)) IN {days:Array(UInt32)} AND commit <= {last:UInt64}
              GROUP BY start HAVING found.1 = 'closed'
            )
          )
      ) GROUP BY cluster, namespace, kind, name, series, day HAVING ${ANY}`,
    params: { cluster, generation, last, days: days.map(secondsOf) }
  })

/** Commits to the ledger which hours and days of a cluster are forgotten. */
const forgetOf = (client: Client, ledger: CommitLog, cluster: string, days: DayLimits) =>
  ledger.commit(ACTION, (last) => forgetting(client, cluster, days, last))

const forgetting = Effect.fnUntraced(function* (
  client: Client,
  cluster: string,
  { daysDay, hoursDay }: DayLimits,
  last: number
) {
  const standing = yield* standingBefore(client, cluster, Math.max(hoursDay, daysDay), last)
  const name = generation()
  const gone = standing.filter(({ startMs }) => startMs < daysDay)
  const folding = standing.filter(({ startMs, state }) => startMs >= daysDay && state === "closed")
  const days = [...Map.groupBy(folding, ({ startMs }) => dayOf(startMs))].map(([startMs, hours]) => ({
    startMs,
    knownSeconds: hours.reduce((sum, { knownSeconds }) => sum + knownSeconds, 0)
  }))
  if (days.length > 0) {
    yield* fold(client, { cluster, days: days.map(({ startMs }) => startMs), last, generation: name })
  }
  const entry = (span: Span, startMs: number, state: State, knownSeconds = 0): Entry => ({
    cluster,
    span,
    startMs,
    state,
    knownSeconds,
    size: 0,
    generation: name
  })
  return [
    ...gone.map(({ span, startMs }) => entry(span, startMs, "gone")),
    ...folding.map(({ startMs }) => entry("hour", startMs, "folded")),
    ...days.map(({ knownSeconds, startMs }) => entry("day", startMs, "folded", knownSeconds))
  ]
})

/**
 * Deletes the ledger rows that later rows have replaced, then the rows of other tables whose generation the ledger no
 * longer names.
 *
 * Deletes by generation, not by partition: another process may be writing hours into a past month.
 */
const clear = Effect.fnUntraced(function* (client: Client) {
  const params = { grace: Math.ceil(Duration.toSeconds(yield* GracePeriod)) }
  const old = "written_at <= now() - {grace:UInt32}"
  const newer = `SELECT cluster, span, start, max(commit) FROM ledger WHERE ${old} GROUP BY cluster, span, start`
  const steps = [
    // Entries that a later commit replaced.
    `SELECT cluster, span, start, commit FROM ledger WHERE commit < (
      SELECT max(commit) FROM ledger) AND (cluster, span, start) IN (
      SELECT cluster, span, start FROM ledger GROUP BY cluster, span, start HAVING count() > 1)
      AND (cluster, span, start, commit) NOT IN (${newer}) AND ${old}`,
    `SELECT cluster, span, start, commit FROM ledger WHERE state = 'gone' AND ${old}
      AND commit < (SELECT max(commit) FROM ledger)`
  ]
  for (const dead of steps) {
    if (yield* isAny(client, dead, params)) {
      const sql = `ALTER TABLE ledger DELETE WHERE (cluster, span, start, commit) IN (${dead})`
      yield* client.run({ action: CLEAR, sql, params })
    }
  }
  for (const [table, name] of [
    ["hours", "generation"],
    ["charges", "generation"],
    // Days that one call reduced to daily totals share a generation.
    ["days", "(cluster, start, generation)"]
  ] as const) {
    const dead = `${old} AND ${name} NOT IN (SELECT ${name} FROM ledger)`
    for (const month of yield* monthsOf(
      client,
      `SELECT DISTINCT toYYYYMM(start) FROM ${table} WHERE ${dead}`,
      params
    )) {
      const sql = `ALTER TABLE ${table} DELETE IN PARTITION ${month} WHERE ${dead}`
      yield* client.run({ action: CLEAR, sql, params })
    }
  }
  const unused = `${old} AND month NOT IN (SELECT toYYYYMM(start) FROM ledger WHERE state != 'gone')`
  for (const month of yield* monthsOf(client, `SELECT DISTINCT month FROM series WHERE ${unused}`, params)) {
    const sql = `ALTER TABLE series DELETE IN PARTITION ${month} WHERE ${unused}`
    yield* client.run({ action: CLEAR, sql, params })
  }
})

const isAny = Effect.fnUntraced(function* ({ read }: Client, sql: string, params: Readonly<Record<string, unknown>>) {
  let found = false
  yield* read({ action: CLEAR, sql: `SELECT count() FROM (${sql})`, params }, ([count]) => {
    found = number(count) > 0
  })
  return found
})

const monthsOf = Effect.fnUntraced(function* (
  { read }: Client,
  sql: string,
  params: Readonly<Record<string, unknown>>
) {
  const found: Array<number> = []
  yield* read({ action: CLEAR, sql, params }, ([month]) => {
    found.push(number(month))
  })
  return found
})
