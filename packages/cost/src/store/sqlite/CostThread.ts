/**
 * Runs the calls of the worker thread.
 */
import type { DatabaseSync } from "node:sqlite"
import { isDiskFull } from "../../hour/DiskFull.ts"
import * as Calendar from "./Calendar.ts"
import * as CostCheck from "./CostCheck.ts"
import * as Database from "./CostDatabase.ts"
import { type Cluster, History } from "./CostHistory.ts"
import type { Answer, Call, Closing, Outcome, ReadHour, ReadSums } from "./CostProtocol.ts"
import * as CostReads from "./CostReads.ts"
import * as EstimatedReads from "./EstimatedReads.ts"
import * as RecommendationRows from "./RecommendationRows.ts"
import * as SeriesText from "./SeriesText.ts"
import { Damaged, text } from "./SqlValue.ts"
import * as CostWrites from "./CostWrites.ts"

type OpenCall = Extract<Call, { readonly operation: "open" }>

interface OpenFile {
  readonly database: DatabaseSync
  readonly history: History
  readonly recommendations: RecommendationRows.RecommendationRows
}

/** Makes the function that runs calls. **Shape** `open` is the first call, `end` the last. */
export const make = (): ((call: Call) => Outcome) => {
  let file: OpenFile | undefined

  const perform = (call: Call): Answer => {
    if (call.operation === "open") {
      file = openFile(call)
      return { operation: "open" }
    }
    if (file === undefined) throw new Error("the database is not open")
    const current = file
    if (call.operation === "end") file = undefined
    return answerOf(current, call)
  }

  return (call) => {
    try {
      return { outcome: "done", answer: perform(call) }
    } catch (error) {
      if (error instanceof CostWrites.Closed) return { outcome: "closed", ...placeOf(error) }
      if (error instanceof CostWrites.Forgotten) return { outcome: "forgotten", ...placeOf(error) }
      const message = error instanceof Error ? error.message : "not an error"
      if (error instanceof Damaged || error instanceof Database.TooNew) return { outcome: "unreadable", message }
      return { outcome: "failed", message, isDiskFull: isDiskFull(error) }
    }
  }
}

const openFile = ({ isAlone, path, sweeps }: OpenCall): OpenFile => {
  const database = Database.open(path, { isAlone })
  try {
    const history = new History(database)
    if (sweeps) CostWrites.sweep(history, (statements) => Database.transact(database, statements))
    return { database, history, recommendations: RecommendationRows.make(database) }
  } catch (error) {
    database.close()
    throw error
  }
}

const write = <A>({ database, history }: OpenFile, statements: () => A): A => {
  try {
    return Database.transact(database, statements)
  } catch (error) {
    // `Closed` is thrown before any write. After any other error, the cached state may differ from the file.
    if (!(error instanceof CostWrites.Closed)) history.reset()
    throw error
  }
}

const answerOf = (file: OpenFile, call: Exclude<Call, OpenCall>): Answer => {
  const { database, history, recommendations } = file
  const { operation } = call
  switch (operation) {
    case "close":
      return {
        operation,
        ids: write(file, () => CostWrites.close(history, call.closing)),
        room: new Float64Array(call.closing.values.buffer)
      }
    case "rewrite":
      return { operation, ids: write(file, () => CostWrites.rewrite(history, call.closings)) }
    case "sums":
      return { operation, sums: call.clusters.map((name) => sumsOf(history, name, call.startMs, call.endMs)) }
    case "hours": {
      const cluster = history.find(call.cluster)
      return { operation, hours: cluster === undefined ? [] : hoursOf(history, cluster, call.startMs, call.endMs) }
    }
    case "series":
      return { operation, series: SeriesText.print(seriesOf(history, call.cluster, call.ids)) }
    case "extents":
      return { operation, extents: extentsOf(history) }
    case "prune": {
      const hours = Calendar.dayAt(call.hoursBeforeMs)
      const days = Calendar.dayAt(call.daysBeforeMs)
      write(file, () => CostWrites.prune(history, hours, days))
      return { operation }
    }
    case "recommend":
      write(file, () => recommendations.save(call.saved))
      return { operation }
    case "recommendations":
      return { operation, read: recommendations.load(call.cluster, call) }
    case "forgetRecommendations":
      write(file, () => recommendations.forget(call.cluster))
      return { operation }
    case "histories":
      return { operation, records: database.prepare("SELECT record FROM histories").all().map(recordOf) }
    case "saveHistories":
      write(file, () => {
        const put = database.prepare("INSERT OR REPLACE INTO histories (key, record) VALUES (?, ?)")
        for (const [key, record] of call.records) put.run(key, record)
      })
      return { operation }
    case "check":
      return { operation, checked: CostCheck.check(history) }
    case "repair":
      return { operation, checked: write(file, () => CostCheck.repair(history)) }
    case "end":
      database.close()
      return { operation }
  }
}

const recordOf = (row: Readonly<Record<string, unknown>>): string => text(row["record"])

const placeOf = ({ cluster, startMs }: Pick<Closing, "cluster" | "startMs">) => ({ cluster, startMs })

const sumsOf = (history: History, name: string, startMs: number, endMs: number): ReadSums => {
  const cluster = history.find(name)
  if (cluster === undefined) {
    return { ids: new Int32Array(0), used: 0, values: new Float64Array(0), knownSeconds: 0 }
  }
  const { ids, known, used, values } = EstimatedReads.sums(history, cluster, startMs, endMs)
  return { ids, used, values, knownSeconds: known }
}

const hoursOf = (history: History, cluster: Cluster, startMs: number, endMs: number): ReadonlyArray<ReadHour> => {
  const days = [...cluster.hours.keys()].filter(
    (day) => Calendar.startOf(day) < endMs && Calendar.startOf(day + 1) > startMs
  )
  return days
    .toSorted((a, b) => a - b)
    .flatMap((day) =>
      Calendar.stepsOf(cluster.hours.get(day) ?? 0)
        .map((step) => ({ step, start: Calendar.startOf(day, step) }))
        .filter(({ start }) => start >= startMs && start < endMs)
        .map(({ start, step }): ReadHour => {
          const { charges, ids, known, rateOf, shares, used, values } = EstimatedReads.hour(history, cluster, day, step)
          return { startMs: start, knownSeconds: known, ids, used, values, charges, rateOf, shares }
        })
    )
}

const seriesOf = (history: History, name: string, ids: Int32Array): ReadonlyArray<string> => {
  const cluster = history.find(name)
  return cluster === undefined ? [] : history.series.textsOf(cluster.id, ids)
}

const extentsOf = (history: History) =>
  history.names().flatMap((name) => {
    const cluster = history.find(name)
    const extent = cluster === undefined ? undefined : CostReads.extent(cluster)
    return extent === undefined ? [] : [{ cluster: name, ...extent }]
  })

/** Lists the buffers of an answer that move to the other thread instead of being copied. */
export const transferred = (outcome: Outcome): Array<ArrayBuffer> => {
  if (outcome.outcome !== "done") return []
  const { answer } = outcome
  const buffers = (arrays: ReadonlyArray<{ readonly buffer: ArrayBufferLike }>) =>
    arrays.map(({ buffer }) => buffer).filter((buffer) => buffer instanceof ArrayBuffer)
  if (answer.operation === "close") return [answer.room.buffer]
  if (answer.operation === "sums") return buffers(answer.sums.flatMap(({ ids, values }) => [ids, values]))
  if (answer.operation === "hours") return buffers(answer.hours.flatMap(({ ids, values }) => [ids, values]))
  if (answer.operation === "recommendations") return buffers([answer.read.checkpoints])
  return []
}
