/** A report over hours that a test writes down. */
import { CursorKey } from "@quarterdeck/cluster-fanout/Cursor"
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import type { HistoryName } from "@quarterdeck/targeting/HistoryName"
import { everyNamespace } from "@quarterdeck/targeting/NamespaceFilter"
import { Clock, Effect, Layer, Option } from "effect"
import { TestClock } from "effect/testing"
import {
  type AggregateQuery,
  type ClusterView,
  CostReport,
  type ExplainQuery,
  Retention,
  type WorkloadsQuery
} from "../../src/report/CostReport.ts"
import * as Range from "../../src/report/Range.ts"
import { CostStore } from "../../src/store/CostStore.ts"
import type { Hour } from "../../src/hour/Hour.ts"
import { OpenHours } from "../../src/report/OpenHours.ts"
import * as Prices from "../../src/price/Prices.ts"
import type { Recommendation } from "../../src/savings/Recommendation.ts"
import { RecommendationStore } from "../../src/savings/RecommendationStore.ts"
import { layerMemory } from "../../src/store/Memory.ts"
import * as RecommendationMemory from "../../src/store/RecommendationMemory.ts"
import { HOUR_MS } from "../../src/hour/Units.ts"
import { at, prod } from "../store/samples.ts"

export const monday = at("2026-03-02T00:00")

const openOf = (hours: ReadonlyArray<Hour>) =>
  Layer.succeed(
    OpenHours,
    OpenHours.of({
      open: (cluster) => Effect.succeed(Option.fromNullishOr(hours.find((hour) => hour.cluster === cluster)))
    })
  )

/** Everything that a report needs, in memory. */
export const reporting = (open: ReadonlyArray<Hour> = []) => reportingWith(openOf(open))

/** The same, with open hours of one's own. */
export const reportingWith = (openHours: Layer.Layer<OpenHours>) =>
  CostReport.layer.pipe(
    Layer.provideMerge(
      Layer.mergeAll(
        layerMemory,
        RecommendationMemory.layerMemory,
        Prices.layerMemory,
        CursorKey.layerRandom,
        openHours
      )
    )
  )

/** Closes hours and sets the clock to the end of the last, or to an instant. */
export const closing = Effect.fnUntraced(function* (hours: ReadonlyArray<Hour>, nowMs?: number) {
  const store = yield* CostStore
  yield* store.rewrite(hours)
  yield* TestClock.setTime(nowMs ?? Math.max(...hours.map(({ startMs }) => startMs)) + HOUR_MS)
})

/** Recommends something to a workload. */
export const recommending = Effect.fnUntraced(function* (
  cluster: ClusterName,
  recommended: Readonly<Record<string, Recommendation>>
) {
  const store = yield* RecommendationStore
  const changed = Object.entries(recommended).map(([key, recommendation]) => ({
    key,
    recommendation,
    checkpoint: new Uint8Array(0)
  }))
  yield* store.save({ cluster, foldedToMs: monday, changed, ended: [] })
})

export const viewOf = (name: HistoryName, coverage: Partial<ClusterView["coverage"]> = {}): ClusterView => ({
  coverage: { name, status: "ok", source: "cache", count: 0, ageMs: 0, latencyMs: 1, ...coverage },
  labels: () => undefined
})

export const dead = (name: HistoryName): ClusterView =>
  viewOf(name, { status: "unreachable", error: { code: "cluster_unreachable", message: "is not there" } })

/** A question as tests write it: with the range as it is asked for. */
export type Asking<Query> = Omit<Query, "range"> & { readonly range: Range.RangeQuery }

/** Reads the range of a question now, as the service does when it is asked. */
const ranged = Effect.fnUntraced(function* <Query extends { readonly range: Range.RangeQuery }>(query: Query) {
  const { retentionDays } = yield* Retention
  const parsed = Range.parse(query.range, { retentionDays, nowMs: yield* Clock.currentTimeMillis })
  return { ...query, range: yield* Effect.fromResult(parsed) }
})

type Basics = Asking<Omit<WorkloadsQuery, "filter">>

const basics = (clusters: ReadonlyArray<HistoryName>): Basics => ({
  target: { mode: "Named", clusters },
  namespaces: everyNamespace,
  view: (cluster) => viewOf(cluster),
  range: { range: "7d" },
  page: { limit: 500 },
  cursorBinding: "key-1"
})

export const asking = (rest: Partial<Asking<WorkloadsQuery>> = {}): Asking<WorkloadsQuery> => ({
  ...basics([prod]),
  filter: {},
  ...rest
})

export const grouping = (
  groupBy: ReadonlyArray<string>,
  rest: Partial<Asking<AggregateQuery>> = {}
): Asking<AggregateQuery> => ({
  ...basics([prod]),
  filter: {},
  groupBy,
  ...rest
})

export const getWorkloads = (query: Asking<WorkloadsQuery>) =>
  Effect.flatMap(ranged(query), (read) => CostReport.use((report) => report.getWorkloads(read)))
export const allWorkloads = (query: Asking<WorkloadsQuery>) =>
  Effect.flatMap(ranged(query), (read) => CostReport.use((report) => report.allWorkloads(read)))
export const getAggregated = (query: Asking<AggregateQuery>) =>
  Effect.flatMap(ranged(query), (read) => CostReport.use((report) => report.getAggregated(read)))
export const allGroups = (query: Asking<AggregateQuery>) =>
  Effect.flatMap(ranged(query), (read) => CostReport.use((report) => report.allGroups(read)))
export const explain = (query: Asking<ExplainQuery>) =>
  Effect.flatMap(ranged(query), (read) => CostReport.use((report) => report.explain(read)))
/** Groups as `key: cost`, whatever their order. */
export const costsOf = (
  rows: ReadonlyArray<{
    readonly group: Readonly<Record<string, string>>
    readonly idle?: true
    readonly totalCost: number
  }>
) =>
  Object.fromEntries(
    rows.map(({ group, idle, totalCost }) => [
      [...Object.values(group), ...(idle === true ? ["idle"] : [])].join("/"),
      totalCost
    ])
  )
