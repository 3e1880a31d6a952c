/**
 * Reads hours, their sums and their extents.
 *
 * Every answer is a snapshot as of the last commit at its start.
 */
import { is, type ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Effect } from "effect"
import type { CostError } from "../../hour/CostError.ts"
import type { ClusterSums, Extent } from "../CostStore.ts"
import type { Hour } from "../../hour/Hour.ts"
import { number, text } from "../sqlite/SqlValue.ts"
import { record } from "../../hour/Measure.ts"
import { DAY_MS, dayOf, HOUR_MS, SECOND_MS } from "../../hour/Units.ts"
import type { Window } from "../../hour/Window.ts"
import type { Client } from "./Client.ts"
import * as HourRows from "./HourRows.ts"
import { counting, IN_DAYS, IN_HOURS, type CommitLog, paramsOf, secondsOf } from "./CommitLog.ts"
import type { SeriesCache } from "./SeriesCache.ts"
import { KNOWN_COLUMNS, MEASURE_COLUMNS, NOT_KEPT_SQL } from "./Migrations.ts"

const SUM = "sum hours"
const READ = "read hours"
const LIST = "list the hours that are kept"

/** Number of hours that are read at once. */
const HOURS_AT_ONCE = 24
/**
 * Time from the start of a day to its last hour. A daily total belongs to the window that contains the start of that
 * hour. **Units** seconds.
 */
const DAY_LATER = 82_800

/** Columns whose sum over a long window may exceed 64 bits: storage, and costs in a currency with small units. */
const WIDE = /_cost_nanos$|^storage_/
/** Sums of all measures. For rows that lack a column, it is estimated from the sums of these rows, as in `KnownRequest`. */
const SUMS = MEASURE_COLUMNS.map((column) => {
  if (KNOWN_COLUMNS.some(({ known }) => known === column)) {
    return `sum(kept_${column}) + toInt64(floor(sum(asked_${column}) * least(1, if(sum(lacking_existed) = 0, 0, sum(lacking_covered) / sum(lacking_existed))) + 0.5)) AS ${column}`
  }
  return `sum(${WIDE.test(column) ? `toInt128(${column})` : column}) AS ${column}`
}).join(", ")
const [{ known: FIRST_KNOWN } = { known: "" }] = KNOWN_COLUMNS
const ROWS = [
  ...MEASURE_COLUMNS.filter((column) => !KNOWN_COLUMNS.some(({ known }) => known === column)),
  ...KNOWN_COLUMNS.flatMap(({ known, requested }) => [
    `if(${known} = ${NOT_KEPT_SQL}, 0, ${known}) AS kept_${known}`,
    `if(${known} = ${NOT_KEPT_SQL}, ${requested}, 0) AS asked_${known}`
  ]),
  `if(${FIRST_KNOWN} = ${NOT_KEPT_SQL}, existed_seconds, 0) AS lacking_existed`,
  `if(${FIRST_KNOWN} = ${NOT_KEPT_SQL}, covered_seconds, 0) AS lacking_covered`
].join(", ")
const ANY = MEASURE_COLUMNS.map((column) => `${column} != 0`).join(" OR ")

/** Sums of one cluster in one step, while they are read. */
interface Part {
  knownSeconds: number
  readonly ids: Array<string>
  readonly amounts: Array<ReadonlyArray<unknown>>
}

interface Source {
  readonly read: Client["read"]
  readonly ledger: CommitLog
  readonly names: SeriesCache
}

export const make = ({ read }: Client, ledger: CommitLog, names: SeriesCache) => {
  const source: Source = { read, ledger, names }
  return {
    sumsByStep: (clusters: ReadonlyArray<ClusterName>, edges: ReadonlyArray<number>) =>
      sumsByStep(source, clusters, edges),
    hours: (cluster: ClusterName, window: Window) => hoursOf(source, cluster, window),
    extents: extents(source)
  }
}

const sumsByStep = Effect.fnUntraced(function* (
  source: Source,
  clusters: ReadonlyArray<ClusterName>,
  edges: ReadonlyArray<number>
) {
  const { ledger, read } = source
  const [startMs = 0, endMs = 0] = [edges[0], edges.at(-1)]
  const last = yield* ledger.last(SUM)
  const starts = edges.slice(0, -1)
  const params = { ...paramsOf({ clusters, startMs, endMs, last }), edges: starts.map(secondsOf) }
  const parts = new Map<string, Part>()
  const partOf = (step: unknown, cluster: unknown): Part => {
    const key = `${number(step)} ${text(cluster)}`
    const part = parts.get(key) ?? { knownSeconds: 0, ids: [], amounts: [] }
    parts.set(key, part)
    return part
  }
  const stepOf = (start: string) =>
    starts.length === 1 ? "{from:UInt32}" : `roundDown(toUnixTimestamp(${start}), {edges:Array(UInt32)})`

  let hasDays = false
  const whole = counting("day", `${stepOf(`start + ${DAY_LATER}`)} AS step, cluster, found.4 AS known, 1 AS is_day`)
  const single = counting("hour", `${stepOf("start")} AS step, cluster, found.4 AS known, 0 AS is_day`)
  const known = `SELECT step, cluster, sum(known), max(is_day) FROM (${single} UNION ALL ${whole}) GROUP BY step, cluster`
  yield* read({ action: SUM, sql: known, params }, ([step, cluster, seconds, isDay]) => {
    partOf(step, cluster).knownSeconds = number(seconds)
    hasDays ||= number(isDay) === 1
  })

  if (parts.size > 0) {
    const columns = `cluster, series, ${ROWS}`
    const hours = `SELECT ${stepOf("start")} AS step, ${columns} FROM hours
      WHERE ${IN_HOURS} AND generation IN (${counting("hour", "found.2")})`
    const days = `SELECT ${stepOf(`start + ${DAY_LATER}`)} AS step, ${columns} FROM days
      WHERE ${IN_DAYS} AND generation IN (${counting("day", "found.2")})`
    const sql = `SELECT step, cluster, series, ${SUMS} FROM (${hasDays ? `${hours} UNION ALL ${days}` : hours})
      GROUP BY step, cluster, series HAVING ${ANY}`
    yield* read({ action: SUM, sql, params }, ([step, cluster, series, ...amounts]) => {
      const part = partOf(step, cluster)
      part.ids.push(text(series))
      part.amounts.push(amounts)
    })
  }

  return yield* Effect.forEach(starts, (startMs, index) =>
    Effect.forEach(clusters, (cluster) => {
      const part = parts.get(`${secondsOf(startMs)} ${cluster}`)
      return sumsOf(source, cluster, { startMs, endMs: edges[index + 1] ?? endMs }, part)
    })
  )
})

const sumsOf = Effect.fnUntraced(function* (
  { names }: Source,
  cluster: ClusterName,
  window: Window,
  { amounts, ids, knownSeconds }: Part = { amounts: [], ids: [], knownSeconds: 0 }
): Effect.fn.Return<ClusterSums, CostError> {
  const series = ids.length === 0 ? [] : yield* names.seriesOf(SUM, cluster, ids)
  const columns = record((_, column) => Float64Array.from(amounts, (row) => number(row[column])))
  return { cluster, window, series, columns, knownSeconds }
})

const hoursOf = Effect.fnUntraced(function* (source: Source, cluster: ClusterName, { endMs, startMs }: Window) {
  const { ledger, read } = source
  const last = yield* ledger.last(READ)
  const params = paramsOf({ clusters: [cluster], startMs, endMs, last })
  const found: Array<HourRows.Reading> = []
  const sql = `${counting("hour", "toUnixTimestamp(start), found.2, found.3, found.4")} ORDER BY start`
  yield* read({ action: READ, sql, params }, ([start, generation, size, known]) => {
    const hour = { startMs: number(start) * SECOND_MS, generation: number(generation), knownSeconds: number(known) }
    found.push(HourRows.reading({ cluster, ...hour }, number(size)))
  })
  const hours: Array<Hour> = []
  for (let from = 0; from < found.length; from += HOURS_AT_ONCE) {
    hours.push(...(yield* contentOf(source, cluster, found.slice(from, from + HOURS_AT_ONCE))))
  }
  return hours
})

const contentOf = Effect.fnUntraced(function* (
  { names, read }: Source,
  cluster: ClusterName,
  hours: ReadonlyArray<HourRows.Reading>
) {
  const byGeneration = new Map(hours.map((hour) => [hour.generation, hour]))
  const params = {
    cluster,
    generations: [...byGeneration.keys()],
    from: secondsOf(hours[0]?.startMs ?? 0),
    to: secondsOf(hours.at(-1)?.startMs ?? 0)
  }
  const where = `cluster = {cluster:String} AND start >= toDateTime({from:UInt32}) AND start <= toDateTime({to:UInt32})
    AND generation IN {generations:Array(UInt64)}`
  const columns = ["generation", "place", "series", "rate", ...MEASURE_COLUMNS].join(", ")
  yield* read({ action: READ, sql: `SELECT ${columns} FROM hours WHERE ${where}`, params }, ([generation, ...row]) => {
    const hour = byGeneration.get(number(generation))
    if (hour !== undefined) HourRows.takeRow(hour, row)
  })
  yield* read(
    { action: READ, sql: `SELECT generation, charges FROM charges WHERE ${where}`, params },
    ([generation, charges]) => {
      const hour = byGeneration.get(number(generation))
      if (hour !== undefined) hour.charges = text(charges)
    }
  )
  return yield* Effect.forEach(hours, (hour) =>
    Effect.flatMap(names.seriesOf(READ, cluster, hour.rows === hour.ids.length ? hour.ids : []), (series) =>
      HourRows.toHour(hour, series)
    )
  )
})

const extents = Effect.fnUntraced(function* ({ read }: Source) {
  const found: Array<Extent> = []
  const sql = `SELECT cluster, toUnixTimestamp(min(start)), toUnixTimestamp(max(start)),
      countIf(held = 'folded'), toUnixTimestamp(maxIf(start, held = 'folded')) FROM (
      SELECT cluster, start, argMax(state, commit) AS held FROM ledger
      WHERE span = 'hour' GROUP BY cluster, start HAVING held != 'gone'
    ) GROUP BY cluster ORDER BY cluster`
  yield* read({ action: LIST, sql }, ([name, from, to, folded, lastFolded]) => {
    const cluster = text(name)
    if (!is(cluster)) return
    const [fromMs, toMs] = [number(from) * SECOND_MS, number(to) * SECOND_MS + HOUR_MS]
    const whole = number(folded) === 0 ? {} : { hoursFromMs: dayOf(number(lastFolded) * SECOND_MS) + DAY_MS }
    found.push({ cluster, fromMs, toMs, ...whole })
  })
  return found
})
