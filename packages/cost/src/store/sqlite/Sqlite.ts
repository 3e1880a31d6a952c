/**
 * SQLite adapter of the cost history, for one process.
 *
 * Back the file up with SQLite while the process runs: `sqlite3 cost.sqlite "VACUUM INTO 'backup.sqlite'"`, or `backup()` of
 * `node:sqlite` from any process. Both copy a consistent state. A copy of the file alone lacks the transactions that are still
 * in `cost.sqlite-wal`. To restore, stop the process, remove `cost.sqlite`, `-wal` and `-shm`, and put the backup in their
 * place.
 *
 * Each series is stored once. An hour stores the running sum of each series since the start of its day, as the difference from
 * a prediction; a day stores the same within its month. A window of any length is thus a few subtractions, and an hour is
 * small.
 */
import { is, type ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Context, Effect, Layer, type Scope } from "effect"
import { join } from "node:path"
import type { CostError } from "../../hour/CostError.ts"
import { type ClusterSums, CostStore } from "../CostStore.ts"
import * as HistoryStore from "../HistoryStore.ts"
import * as CostClient from "./CostClient.ts"
import type { Checked, Closing } from "./CostProtocol.ts"
import * as HourMessage from "./HourMessage.ts"
import * as RecommendationBook from "./RecommendationBook.ts"
import * as SeriesBook from "./SeriesBook.ts"
import { SharedSums } from "./SharedSums.ts"
import type { Hour } from "../../hour/Hour.ts"
import { RecommendationStore } from "../../savings/RecommendationStore.ts"
import { DAY_MS } from "../../hour/Units.ts"
import type { Window } from "../../hour/Window.ts"

export type { Checked, Finding } from "./CostProtocol.ts"

/** The file's name in the data directory. */
export const FILE_NAME = "cost.sqlite"

interface Options {
  readonly directory: string
}

/** **Shape** `isAlone` locks the file against every other process. Opening fails if another process has it open. */
interface LayerOptions extends Options {
  readonly isAlone?: boolean
}

const open = ({ directory, isAlone = false }: LayerOptions) => CostClient.make(join(directory, FILE_NAME), { isAlone })

/** The client of the worker thread, and the caches of what it reads. */
interface Source {
  readonly call: CostClient.CostClient["call"]
  readonly book: SeriesBook.SeriesBook
}

const make = (client: CostClient.CostClient, scope: Scope.Scope) => {
  const { call } = client
  const source: Source = { call, book: SeriesBook.make(client) }
  const shared = new SharedSums((clusters, window, onOutcome) => readSums(source, clusters, window, onOutcome), scope)

  const sums = Effect.fn("CostStore.sums")((clusters: ReadonlyArray<ClusterName>, window: Window) =>
    shared.sums(clusters, window)
  )
  const sumsByStep = Effect.fn("CostStore.sumsByStep")(
    (clusters: ReadonlyArray<ClusterName>, edges: ReadonlyArray<number>) =>
      Effect.forEach(edges.slice(1), (endMs, index) => sums(clusters, { startMs: edges[index] ?? endMs, endMs }))
  )
  const extents = Effect.map(call({ operation: "extents" }), ({ extents }) =>
    extents.flatMap(({ cluster, ...extent }) => (is(cluster) ? [{ cluster, ...extent }] : []))
  )
  const prune = Effect.fn("CostStore.prune")((limits: { hoursBeforeMs: number; daysBeforeMs: number }) =>
    Effect.asVoid(call({ operation: "prune", ...limits }))
  )
  const rewrite = Effect.fn("CostStore.rewrite")((hours: ReadonlyArray<Hour>) => rewriteHours(source, hours))
  const hours = Effect.fn("CostStore.hours")((cluster: ClusterName, window: Window) =>
    readHours(source, cluster, window)
  )
  return CostStore.of({ close: closing(source), rewrite, hours, sums, sumsByStep, extents, prune })
}

const makeHistories = ({ call }: CostClient.CostClient) =>
  HistoryStore.HistoryStore.of({
    all: Effect.flatMap(call({ operation: "histories" }), ({ records }) =>
      Effect.forEach(records, (record) => HistoryStore.parse(record))
    ),
    save: (histories) =>
      Effect.asVoid(
        call({
          operation: "saveHistories",
          records: histories.map((history) => [history.key, HistoryStore.print(history)])
        })
      )
  })

const messageOf = ({ book }: Source, hour: Hour, ...room: [] | [Float64Array<ArrayBuffer>]): Effect.Effect<Closing> =>
  Effect.map(book.idsOf(hour.cluster, hour.series), (ids) => HourMessage.toMessage(hour, ids, ...room))

const closing = (source: Source) => {
  /** Buffer of the last closed hour, which is reused: allocating a new one is slower. */
  let room: [] | [Float64Array<ArrayBuffer>] = []

  return Effect.fn("CostStore.close")(function* (hour: Hour) {
    yield* Effect.annotateCurrentSpan({ cluster: hour.cluster })
    const lastRoom = room
    room = []
    const closing = yield* messageOf(source, hour, ...lastRoom)
    const answer = yield* source.call({ operation: "close", closing })
    room = [answer.room]
    source.book.note(hour.cluster, hour.series, closing, answer.ids)
  })
}

const rewriteHours = Effect.fnUntraced(function* (source: Source, hours: ReadonlyArray<Hour>) {
  if (hours.length === 0) return
  const closings: Array<Closing> = []
  for (const hour of hours) {
    closings.push(yield* messageOf(source, hour))
    yield* Effect.yieldNow
  }
  const { ids } = yield* source.call({ operation: "rewrite", closings })
  for (const [index, freshIds] of ids.entries()) {
    const hour = hours[index]
    const closing = closings[index]
    if (hour === undefined || closing === undefined) continue
    source.book.note(hour.cluster, hour.series, closing, freshIds)
  }
})

const readHours = Effect.fnUntraced(function* (source: Source, cluster: ClusterName, window: Window) {
  yield* Effect.annotateCurrentSpan({ cluster })
  const { extents } = yield* source.call({ operation: "extents" })
  const extent = extents.find((candidate) => candidate.cluster === cluster)
  if (extent === undefined) return []
  const startMs = Math.max(window.startMs, extent.fromMs)
  const endMs = Math.min(window.endMs, extent.toMs)
  const read: Array<Hour> = []
  // Reads one day at a time, which bounds the size of a message.
  for (let from = startMs; from < endMs; from = dayAfter(from)) {
    read.push(...(yield* readDay(source, cluster, { startMs: from, endMs: Math.min(dayAfter(from), endMs) })))
  }
  return read
})

const readDay = Effect.fnUntraced(function* ({ book, call }: Source, cluster: ClusterName, window: Window) {
  const { hours } = yield* call({ operation: "hours", cluster, ...window })
  return yield* Effect.forEach(hours, (hour) =>
    Effect.map(book.seriesOf(cluster, hour.ids), (series) => HourMessage.toHour(cluster, hour, series))
  )
})

const readSums = Effect.fnUntraced(function* (
  { book, call }: Source,
  clusters: ReadonlyArray<ClusterName>,
  window: Window,
  onOutcome: () => void
) {
  const answer = yield* call({ operation: "sums", clusters, ...window }, onOutcome)
  const found: Array<ClusterSums> = []
  for (const [index, cluster] of clusters.entries()) {
    const sums = answer.sums[index]
    if (sums === undefined) continue
    const series = yield* book.seriesOf(cluster, sums.ids)
    const columns = HourMessage.columnsOf(sums, sums.ids.length)
    found.push({ cluster, window, series, columns, knownSeconds: sums.knownSeconds })
  }
  return found
})

const dayAfter = (ms: number): number => Math.floor(ms / DAY_MS) * DAY_MS + DAY_MS

/**
 * Opens the history and its recommendations in a directory. Creates the file if it is missing.
 *
 * **Errors** `StoreUnreadable` for a file of a newer program. `StoreUnavailable` or `DiskFull` if it cannot be opened. A write
 * on a full disk fails with `DiskFull`, and leaves the space of the disk reserve to revocations.
 *
 * **Limits** One thread. The file has mode 0600, a directory made here 0700. One process at a time: a command that may run
 * beside a server opens it with `isAlone`. Columns that were read are read-only, because columns of zeros share one array. A
 * rewrite holds all of its hours in memory. Steps of `sumsByStep` are read one after the other: a rewrite in between is visible
 * in the later steps.
 */
export const layerSqlite = (
  options: LayerOptions
): Layer.Layer<CostStore | HistoryStore.HistoryStore | RecommendationStore, CostError> =>
  Layer.effectContext(
    Effect.gen(function* () {
      const client = yield* open(options)
      const store = make(client, yield* Effect.scope)
      return Context.make(CostStore, store).pipe(
        Context.add(RecommendationStore, RecommendationBook.make(client)),
        Context.add(HistoryStore.HistoryStore, makeHistories(client))
      )
    })
  )

const openAlone = ({ directory }: Options) => open({ directory, isAlone: true })

/**
 * Reads the whole file and lists its damage.
 *
 * Checks every blob against its checksum, each day against its hours, and each id against its series.
 *
 * **Errors** `StoreUnavailable`, also while another process has the file open.
 */
export const check = (options: Options): Effect.Effect<Checked, CostError> =>
  Effect.scoped(
    Effect.flatMap(openAlone(options), ({ call }) => Effect.map(call({ operation: "check" }), ({ checked }) => checked))
  )

/**
 * Removes damaged parts, keeps the rest intact, and lists what was lost.
 *
 * The amounts of a damaged hour count in the next hour of its day. Those of a damaged day count in the next day, unless the day
 * can be rebuilt from its hours. A day keeps its total even if hours of it are lost. An unreadable series becomes
 * `Unknown/lost-<id>`.
 *
 * **Errors** `StoreUnavailable`, also while another process has the file open.
 */
export const repair = (options: Options): Effect.Effect<Checked, CostError> =>
  Effect.scoped(
    Effect.flatMap(openAlone(options), ({ call }) =>
      Effect.map(call({ operation: "repair" }), ({ checked }) => checked)
    )
  )
