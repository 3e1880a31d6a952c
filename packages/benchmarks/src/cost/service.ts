/**
 * The measured service: reports on a filled data directory, with recommendations.
 */
import { Hour, OpenHours, Recommendation } from "@quarterdeck/cost"
import type { CostError } from "@quarterdeck/cost/CostError"
import { CostReport, Retention, type WorkloadsQuery } from "@quarterdeck/cost/CostReport"
import { CostStore } from "@quarterdeck/cost/CostStore"
import * as Prices from "@quarterdeck/cost/Prices"
import * as Range from "@quarterdeck/cost/Range"
import { RecommendationStore } from "@quarterdeck/cost/RecommendationStore"
import { layerSqlite } from "@quarterdeck/cost/store/Sqlite"
import { HOUR_MS, hourOf } from "@quarterdeck/cost/Units"
import * as CursorKeyFile from "@quarterdeck/http-server/CursorKeyFile"
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { everyNamespace } from "@quarterdeck/targeting/NamespaceFilter"
import { Clock, Context, Effect, FileSystem, Layer, Option } from "effect"
import * as History from "./history.ts"

export type Fleet = ReturnType<typeof History.make>

/** Creates a directory and removes it when the scope closes. */
export const temporary = Effect.gen(function* () {
  const files = yield* FileSystem.FileSystem
  return yield* files.makeTempDirectoryScoped({ prefix: "quarterdeck-bench-" })
})

/** Returns the end of the last closed hour of a recent history, which is the start of the open hour. */
export const recentEnd = Effect.map(Clock.currentTimeMillis, hourOf)

/** Elapsed part of the open hour. **Units** seconds. */
const OPEN_SECONDS = 2_400

/** Provides the open hours of a history to reports. */
const openHours = (hours: ReadonlyArray<Hour.Hour>): Layer.Layer<OpenHours.OpenHours> => {
  const byCluster = new Map(hours.map((hour) => [hour.cluster, hour]))
  return Layer.succeed(
    OpenHours.OpenHours,
    OpenHours.OpenHours.of({ open: (cluster) => Effect.succeed(Option.fromUndefinedOr(byCluster.get(cluster))) })
  )
}

/** Opens the reports of a directory until the scope closes, with an open hour after the closed ones. */
export const open = (directory: string, hours: ReadonlyArray<Hour.Hour>) =>
  Effect.map(
    Layer.build(
      CostReport.layer.pipe(
        Layer.provide([Prices.layerMemory, openHours(hours), CursorKeyFile.layer(directory)]),
        Layer.provideMerge(layerSqlite({ directory }))
      )
    ),
    (services) => ({ report: Context.get(services, CostReport), store: Context.get(services, CostStore) })
  )

/** Makes the open hours of a history, one per cluster, after the given number of closed hours. */
export const openHoursOf = ({ hourOf, names }: Fleet, closed: number): ReadonlyArray<Hour.Hour> =>
  names.map((_, place) => hourOf(place, closed, OPEN_SECONDS))

/**
 * Closes the hours of a history, one cluster after the other, and stores a recommendation for each workload.
 *
 * Calls `also` with each hour and the number of its first workload.
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
        also(hour, place * each, index)
        yield* store.close(hour)
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

/** Makes an unscoped question for all workloads of some clusters, from an instant until now. */
export const question = Effect.fnUntraced(function* (
  clusters: ReadonlyArray<ClusterName>,
  fromMs: number,
  limit: number
) {
  const { retentionDays } = yield* Retention
  const parsed = Range.parse({ from: String(fromMs) }, { retentionDays, nowMs: yield* Clock.currentTimeMillis })
  const query: WorkloadsQuery = {
    target: { mode: "All", clusters },
    namespaces: everyNamespace,
    filter: {},
    page: { limit },
    cursorBinding: "benchmark",
    range: yield* Effect.fromResult(parsed),
    view: (name) => ({
      coverage: { name, status: "ok", source: "cache", count: 0, ageMs: 0, latencyMs: 0 },
      labels: () => undefined
    })
  }
  return query
})
