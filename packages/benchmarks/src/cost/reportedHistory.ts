/**
 * A history in the service's store, and the same samples in the peers' stores.
 */
import { Console, Effect, Path } from "effect"
import * as Expected from "./expected.ts"
import * as Figures from "./figures.ts"
import * as History from "./history.ts"
import * as Samples from "./samples.ts"
import * as Service from "./service.ts"
import * as SqlRows from "./sqlRows.ts"

const HOUR_MS = 3_600_000

/**
 * The size of a history and of the windows that are queried.
 *
 * **Shape** `moves`: maximum shift of a window's start, in hours. Each turn shifts the start by one hour. After the maximum,
 * the next turn uses the first start again.
 */
export interface Sizes {
  readonly workloads: number
  readonly clusters: number
  readonly shortHours: number
  readonly longHours: number
  readonly moves: number
  /** Rows per page. */
  readonly limit: number
}

/** Fills a history, and the peers' stores with the same samples. */
export const make = Effect.fnUntraced(function* (sizes: Sizes) {
  const { clusters, longHours, moves, shortHours, workloads } = sizes
  const closedHours = longHours + moves
  yield* Console.error(`${closedHours} hours of ${workloads} workloads in ${clusters} clusters, and an open one`)
  const path = yield* Path.Path
  const directory = yield* Service.temporary
  const endMs = yield* Service.recentEnd
  const startMs = endMs - closedHours * HOUR_MS
  const history = History.make({ workloads, clusters, startMs })
  const samples = Samples.empty((closedHours + 1) * workloads)
  const sqlRows = yield* SqlRows.open(path.join(directory, "rows.sqlite"))
  yield* Service.fill(directory, history, closedHours, ({ columns }, first, index) => {
    Samples.add(samples, columns, first)
    if (index >= closedHours - shortHours - moves) sqlRows.insert(startMs + index * HOUR_MS, columns, first)
  })
  sqlRows.rollUp()
  const closedSamples = samples.length
  const openHours = Service.openHoursOf(history, closedHours)
  for (const [place, { columns }] of openHours.entries()) Samples.add(samples, columns, place * history.each)
  const open = Samples.noSums(workloads)
  Samples.addUp(open, samples, closedSamples, samples.length)

  const { report } = yield* Service.open(directory, openHours)
  const named = Array.from({ length: workloads }, (_, workload) => Figures.named(workload, history.each))
  return { ...sizes, directory, endMs, history, named, open, openHours, report, samples, sqlRows }
})
export type ReportedHistory = Effect.Success<ReturnType<typeof make>>

/** Returns the number of closed hours in the window of a turn. Each turn starts an hour later than the previous one. */
const closedIn = ({ moves }: Sizes, hours: number, turn: number): number =>
  hours + Math.floor(moves / 2) - (turn % (moves + 1))

/** A window of a history: closed hours and the open hour. */
export interface TurnWindow {
  readonly closedHours: number
  readonly fromMs: number
}

/** Returns the window of a turn, of about the given length. */
export const windowOf = (history: ReportedHistory, hours: number, turn: number): TurnWindow => {
  const closedHours = closedIn(history, hours, turn)
  return { closedHours, fromMs: history.endMs - closedHours * HOUR_MS }
}

/** Sums a window in one pass over the samples. */
export const scan = (
  { open, samples, workloads }: ReportedHistory,
  { closedHours }: TurnWindow
): Expected.WindowSums => {
  const closed = Samples.noSums(workloads)
  const end = samples.length - workloads
  Samples.addUp(closed, samples, end - closedHours * workloads, end)
  return Expected.withOpen(closed, open)
}

/** Sums a window in SQL. */
export const sql = (
  { endMs, open, sqlRows, workloads }: ReportedHistory,
  { fromMs }: TurnWindow,
  rows: "hourly" | "daily"
): Expected.WindowSums => Expected.withOpen(sqlRows[rows]({ startMs: fromMs, endMs }, workloads), open)
