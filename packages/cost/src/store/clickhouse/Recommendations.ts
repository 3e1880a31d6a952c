/**
 * ClickHouse adapter of `RecommendationStore`. Caches the recommendations that reports read.
 *
 * A save is one insertion, so all of its rows appear at once. Its version is unique in the cluster.
 */
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Effect, Semaphore } from "effect"
import type { CostError } from "../../hour/CostError.ts"
import { number, text } from "../sqlite/SqlValue.ts"
import type { Recommendation } from "../../savings/Recommendation.ts"
import {
  type ClusterRecommendations,
  type Folded,
  type KeptWorkload,
  RecommendationStore
} from "../../savings/RecommendationStore.ts"
import { type Client, unavailable } from "./Client.ts"
import { generation } from "./CommitLog.ts"

const SAVE = "keep recommendations"
const READ = "read recommendations"
const FORGET = "forget recommendations"

const HOURS_A_DAY = 24
const MAX_ATTEMPTS = 200
/** Number of saves between two removals of the rows of ended workloads. */
const SAVES_BETWEEN_SWEEPS = 24

const COLUMNS = [
  ...(["cluster", "key", "version", "since", "mark", "folded_to", "ended"] as const),
  ...(["cpu_millis", "memory_bytes", "hours", "checkpoint"] as const)
] as const

/**
 * The newest row with an empty key of a cluster. Every save and removal of the cluster's recommendations writes such a
 * row. `version` is 0 if there is none.
 */
interface Head {
  readonly version: number
  readonly since: number
  readonly foldedToMs: number
}

const NOTHING: Head = { version: 0, since: 0, foldedToMs: 0 }

/** Selects the rows that count: the newest of each key, if it is newer than version `since` and its workload has not ended. */
const COUNTING = `FROM recommendations FINAL WHERE cluster = {cluster:String} AND key != '' AND version > {since:UInt64}
  AND ended = 0`

/** Reads recommendations for reports, and caches the last result of each cluster. */
interface Reports {
  readonly client: Client
  readonly lastRead: Map<string, { readonly version: number; readonly found: ClusterRecommendations }>
}

export const make = Effect.fnUntraced(function* (client: Client) {
  const turn = yield* Semaphore.make(1)
  const reports: Reports = { client, lastRead: new Map() }
  return RecommendationStore.of({
    save: Effect.fn("RecommendationStore.save")(
      (folded: Folded) => save(client, folded),
      (run) => turn.withPermit(run)
    ),
    load: Effect.fn("RecommendationStore.load")((cluster: ClusterName) => load(client, cluster)),
    recommendations: Effect.fn("RecommendationStore.recommendations")((clusters: ReadonlyArray<ClusterName>) =>
      recommendations(reports, clusters)
    ),
    forget: Effect.fn("RecommendationStore.forget")(
      (cluster: ClusterName) => forget(reports, cluster),
      (run) => turn.withPermit(run)
    )
  })
})

const headsOf = Effect.fnUntraced(function* ({ read }: Client, action: string, clusters: ReadonlyArray<string>) {
  const found = new Map<string, Head>()
  const sql = `SELECT cluster, max(version), argMax(since, version), argMax(folded_to, version) FROM recommendations WHERE key = '' AND cluster IN {clusters:Array(String)} GROUP BY cluster`
  yield* read({ action, sql, params: { clusters } }, ([cluster, version, since, foldedTo]) => {
    found.set(text(cluster), { version: number(version), since: number(since), foldedToMs: number(foldedTo) })
  })
  return (cluster: string): Head => found.get(cluster) ?? NOTHING
})

const holds = Effect.fnUntraced(function* (
  { read }: Client,
  action: string,
  { cluster, mark, version }: { readonly cluster: string; readonly version: number; readonly mark: number }
) {
  let isThere = false
  const sql = `SELECT mark FROM recommendations
    WHERE cluster = {cluster:String} AND key = '' AND version = {version:UInt64}`
  yield* read({ action, sql, params: { cluster, version } }, ([kept]) => {
    isThere ||= number(kept) === mark
  })
  return isThere
})

/** Writes rows under the next version. Atomic. Returns the version. */
const add = Effect.fnUntraced(function* (
  client: Client,
  action: string,
  cluster: string,
  rowsOf: (head: Head, version: number, mark: number) => ReadonlyArray<ReadonlyArray<unknown>>
) {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const head = (yield* headsOf(client, action, [cluster]))(cluster)
    const version = head.version + 1
    const mark = generation()
    const token = `${cluster}/${version}`
    const rows = rowsOf(head, version, mark)
    yield* Effect.retry(client.insert({ action, table: "recommendations", columns: COLUMNS, rows, token }), {
      times: 2
    })
    // The row is missing if another process took the version, or if a later row replaced it. Both cases retry.
    if (yield* holds(client, action, { cluster, version, mark })) return version
  }
  return yield* unavailable(action, new Error(`other processes committed first, ${MAX_ATTEMPTS} times in a row`))
})

const save = Effect.fnUntraced(function* (client: Client, { changed, cluster, ended, foldedToMs }: Folded) {
  yield* Effect.annotateCurrentSpan({ cluster })
  const taken = new Set(changed.map(({ key }) => key))
  const version = yield* add(client, SAVE, cluster, ({ since }, version, mark) => [
    [cluster, "", version, since, mark, foldedToMs, 0, 0, 0, 0, ""],
    ...ended.filter((key) => !taken.has(key)).map((key) => [cluster, key, version, 0, 0, 0, 1, 0, 0, 0, ""]),
    ...changed.map(({ checkpoint, key, recommendation }) => [
      ...[cluster, key, version, 0, 0, 0, 0, recommendation.cpuRecommendedMillis],
      ...[recommendation.memoryRecommendedBytes, Math.round(recommendation.recommendationDays * HOURS_A_DAY)],
      Buffer.from(checkpoint).toString("base64")
    ])
  ])
  if (version % SAVES_BETWEEN_SWEEPS === 0) yield* sweep(client, SAVE, cluster)
})

/** Removes ended workloads: first their older rows, then their end markers, so that no older row reappears. */
const sweep = Effect.fnUntraced(function* ({ run }: Client, action: string, cluster: string) {
  const params = { cluster }
  const ended = `(key, version) IN (
    SELECT key, version FROM recommendations FINAL WHERE cluster = {cluster:String} AND ended = 1)`
  const under = `key IN (SELECT key FROM recommendations FINAL WHERE cluster = {cluster:String} AND ended = 1)`
  const where = "cluster = {cluster:String} AND key != ''"
  yield* run({
    action,
    sql: `ALTER TABLE recommendations DELETE WHERE ${where} AND ${under} AND NOT ${ended}`,
    params
  })
  yield* run({ action, sql: `ALTER TABLE recommendations DELETE WHERE ${where} AND ${ended}`, params })
})

const load = Effect.fnUntraced(function* (client: Client, cluster: ClusterName) {
  const head = (yield* headsOf(client, READ, [cluster]))(cluster)
  const workloads: Array<KeptWorkload> = []
  const sql = `SELECT key, cpu_millis, memory_bytes, hours, checkpoint ${COUNTING} ORDER BY key`
  yield* client.read(
    { action: READ, sql, params: { cluster, since: head.since } },
    ([key, cpu, memory, hours, checkpoint]) => {
      workloads.push({
        key: text(key),
        checkpoint: new Uint8Array(Buffer.from(text(checkpoint), "base64")),
        recommendation: recommendationOf(cpu, memory, hours)
      })
    }
  )
  return { foldedToMs: head.foldedToMs, workloads }
})

const recommendationsOf = Effect.fnUntraced(function* (
  { client: { read }, lastRead }: Reports,
  cluster: ClusterName,
  { foldedToMs, since, version }: Head
): Effect.fn.Return<ClusterRecommendations, CostError> {
  const known = lastRead.get(cluster)
  if (known?.version === version) return known.found
  const byKey = new Map<string, Recommendation>()
  const sql = `SELECT key, cpu_millis, memory_bytes, hours ${COUNTING}`
  yield* read({ action: READ, sql, params: { cluster, since } }, ([key, cpu, memory, hours]) => {
    byKey.set(text(key), recommendationOf(cpu, memory, hours))
  })
  const found = { cluster, foldedToMs, byKey }
  if (version >= (lastRead.get(cluster)?.version ?? 0)) lastRead.set(cluster, { version, found })
  return found
})

const recommendations = Effect.fnUntraced(function* (reports: Reports, clusters: ReadonlyArray<ClusterName>) {
  const heads = yield* headsOf(reports.client, READ, clusters)
  return yield* Effect.forEach(clusters, (cluster) => recommendationsOf(reports, cluster, heads(cluster)))
})

const forget = Effect.fnUntraced(function* ({ client, lastRead }: Reports, cluster: ClusterName) {
  lastRead.delete(cluster)
  if ((yield* headsOf(client, FORGET, [cluster]))(cluster).version === 0) return
  const version = yield* add(client, FORGET, cluster, (_, version, mark) => [
    [cluster, "", version, version, mark, 0, 0, 0, 0, 0, ""]
  ])
  const sql = `ALTER TABLE recommendations DELETE WHERE cluster = {cluster:String} AND key != '' AND version < {version:UInt64}`
  yield* client.run({ action: FORGET, sql, params: { cluster, version } })
})

const recommendationOf = (cpu: unknown, memory: unknown, hours: unknown): Recommendation => ({
  cpuRecommendedMillis: number(cpu),
  memoryRecommendedBytes: number(memory),
  recommendationDays: number(hours) / HOURS_A_DAY
})
