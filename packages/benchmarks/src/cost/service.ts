/**
 * The service that is measured: reports over a history in SQLite, with recommendations, on a filled directory.
 */
import { Hour, OpenHours, Recommendation, Window } from "@quarterdeck/cost"
import type { CostError } from "@quarterdeck/cost/CostError"
import { CostReport, type WorkloadsQuery } from "@quarterdeck/cost/CostReport"
import { CostStore } from "@quarterdeck/cost/CostStore"
import * as Prices from "@quarterdeck/cost/Prices"
import { RecommendationStore } from "@quarterdeck/cost/RecommendationStore"
import { layerSqlite } from "@quarterdeck/cost/store/Sqlite"
import { dayOf, HOUR_MS } from "@quarterdeck/cost/Units"
import * as CursorKeyFile from "@quarterdeck/http-server/CursorKeyFile"
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { everyNamespace } from "@quarterdeck/targeting/NamespaceFilter"
import { Clock, Context, Effect, FileSystem, Layer } from "effect"
import * as History from "./history.ts"

export type Fleet = ReturnType<typeof History.make>

/** Makes a directory that is gone with the scope. */
export const temporary = Effect.gen(function* () {
  const files = yield* FileSystem.FileSystem
  return yield* files.makeTempDirectoryScoped({ prefix: "quarterdeck-bench-" })
})

/** When a recent history ends: yesterday at 13:00, so that windows begin and end within days. */
export const recentEnd = Effect.map(Clock.currentTimeMillis, (nowMs) => dayOf(nowMs) - 11 * HOUR_MS)

/** Opens the reports of a directory, until the scope closes. */
export const open = (directory: string) =>
  Effect.map(
    Layer.build(
      CostReport.layer.pipe(
        Layer.provide([Prices.layerMemory, OpenHours.OpenHours.layerNone, CursorKeyFile.layer(directory)]),
        Layer.provideMerge(layerSqlite({ directory }))
      )
    ),
    (services) => ({ report: Context.get(services, CostReport), store: Context.get(services, CostStore) })
  )

/**
 * Closes the hours of a history, one cluster after the other, and recommends something to each workload.
 *
 * **Shape** `also` is given each hour, with the number of its first workload.
 */
export const fill = (
  directory: string,
  { each, hourOf, names }: Fleet,
  hours: number,
  also: (hour: Hour.Hour, first: number, index: number) => void = () => undefined
): Effect.Effect<void, CostError> =>
  Effect.gen(function* () {
    const store = yield* CostStore
    const recommendations = yield* RecommendationStore
    for (let index = 0; index < hours; index++) {
      for (const place of names.keys()) {
        const hour = hourOf(place, index)
        yield* store.close(hour)
        also(hour, place * each, index)
      }
    }
    for (const [place, cluster] of names.entries()) {
      const changed = Array.from({ length: each }, (_, index) => {
        const workload = place * each + index
        const key = Recommendation.workloadKey(History.seriesOf(workload, 0))
        return { key, checkpoint: new Uint8Array(1), recommendation: History.recommendationOf(workload) }
      })
      yield* recommendations.save({ cluster, foldedToMs: HOUR_MS, changed, ended: [] })
    }
  }).pipe(Effect.provide(layerSqlite({ directory })))

/** Asks for all workloads of some clusters in a window, without a scope. */
export const question = (
  clusters: ReadonlyArray<ClusterName>,
  { endMs, startMs }: Window.Window,
  limit: number
): WorkloadsQuery => ({
  target: { mode: "All", clusters },
  namespaces: everyNamespace,
  filter: {},
  page: { limit },
  cursorBinding: "benchmark",
  range: { from: String(startMs), to: String(endMs) },
  view: (name) => ({
    coverage: { name, status: "ok", source: "cache", count: 0, ageMs: 0, latencyMs: 0 },
    labels: () => undefined
  })
})
