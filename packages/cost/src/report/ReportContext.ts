/**
 * The common start of every report: resolves the window, checks the scope, and reads open hours and recommendations.
 */
import { NamespaceForbidden } from "@quarterdeck/cluster-fanout/ListError"
import type { CursorKey } from "@quarterdeck/cluster-fanout/Cursor"
import type { HistoryName } from "@quarterdeck/targeting/HistoryName"
import * as NamespaceFilter from "@quarterdeck/targeting/NamespaceFilter"
import { Effect } from "effect"
import type { CostFilter } from "./CostQuery.ts"
import * as LabelFilter from "./LabelFilter.ts"
import type { ReportWindow } from "./CostRow.ts"
import type { CostStore } from "../store/CostStore.ts"
import type { OpenHours } from "./OpenHours.ts"
import * as PriceHistory from "../price/PriceHistory.ts"
import type { Prices } from "../price/Prices.ts"
import * as Range from "./Range.ts"
import type { RecommendationStore } from "../savings/RecommendationStore.ts"
import type { Window } from "../hour/Window.ts"
import type { CostHistories } from "./CostHistories.ts"
import type * as HourRetention from "./HourRetention.ts"
import * as AllocationSet from "./AllocationSet.ts"
import type { ClusterView } from "./ReportCoverage.ts"
import type { WorkloadIndexOf } from "./WorkloadIndex.ts"
import * as Visibility from "./Visibility.ts"

/** The services that reports read. */
export interface Sources {
  readonly store: CostStore["Service"]
  readonly openHours: OpenHours["Service"]
  readonly recommendations: RecommendationStore["Service"]
  readonly prices: Prices["Service"]
  readonly cursorKey: CursorKey["Service"]
  readonly retention: { readonly hourlyDays: number; readonly retentionDays: number }
  readonly hoursFromMs: HourRetention.HoursFrom
  readonly histories: CostHistories["Service"]
  readonly namesOf: WorkloadIndexOf
}

/** The part of a query that all reports share. */
export interface ScopedQuery {
  readonly namespaces: NamespaceFilter.NamespaceFilter
  readonly view: (cluster: HistoryName) => ClusterView
  readonly range: Range.Range
}

/** Starts a report. **Errors** `InvalidCostQuery` for the label selector, `NamespaceForbidden`, `CostError`. */
export const begin = Effect.fnUntraced(function* (
  sources: Sources,
  { namespaces, range, view }: ScopedQuery,
  clusters: ReadonlyArray<HistoryName>,
  filter: CostFilter
) {
  const hasLabels = yield* Effect.fromResult(LabelFilter.fromFilter(filter))
  const { hourlyDays } = sources.retention
  const keys = clusters.map(sources.histories.keyOf)
  const hourlyFromMs = Range.hourlyFromMs(range, { hourlyDays, hoursFromMs: yield* sources.hoursFromMs(keys) })
  const resolved = Range.align(range, hourlyFromMs)
  const views = clusters.map(view)
  const viewOf = new Map(clusters.map((cluster, index) => [cluster, views[index]]))
  const reach: Visibility.Reach = {
    namespaces,
    labels: (cluster, namespace) => viewOf.get(cluster)?.labels(namespace)
  }
  const needsLabels = NamespaceFilter.needsLabels(namespaces)
  const isReached = Visibility.reaching(reach)
  /** The first requested namespace outside the key's scope. If the scope needs labels, `FanOutFailed` takes precedence. */
  const outside = (filter.namespaces ?? []).find((name) =>
    needsLabels
      ? clusters.length > 0 && !clusters.some((cluster) => isReached(cluster, name))
      : !NamespaceFilter.matches(namespaces, name, undefined)
  )
  const refuseOutside =
    outside === undefined ? Effect.void : Effect.fail(new NamespaceForbidden({ namespace: outside }))
  if (!needsLabels) yield* refuseOutside

  const reader = yield* AllocationSet.reader(clusters, sources)
  const recommendations = yield* sources.recommendations.recommendations(keys)
  const { currency } = PriceHistory.current(yield* sources.prices.history)
  return {
    hourlyFromMs,
    range: resolved,
    views,
    needsLabels,
    refuseOutside,
    reader,
    recommendations,
    currency,
    isVisible: Visibility.deciding(reach, filter, hasLabels),
    window: printed({ startMs: resolved.hours.startMs, endMs: resolved.endMs })
  }
})
export type Begun = Effect.Success<ReturnType<typeof begin>>

/** Formats a window. */
export const printed = ({ endMs, startMs }: Window): ReportWindow => ({
  start: new Date(startMs).toISOString(),
  end: new Date(endMs).toISOString()
})

/** Returns the canonical form of a filter and range, to which cursors are bound. */
export const canonical = (
  { labelSelector, namespaces, workloadTypes }: CostFilter,
  { asked: { from, range, to } }: Range.Range,
  compare = false
) => [
  namespaces?.toSorted() ?? null,
  workloadTypes?.toSorted() ?? null,
  labelSelector ?? null,
  [range ?? null, from ?? null, to ?? null],
  ...(compare ? ["compare"] : [])
]
