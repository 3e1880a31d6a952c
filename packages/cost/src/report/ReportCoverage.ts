/**
 * Tells of each cluster how its part of a report was obtained, and whether that is all there is to tell.
 */
import * as Coverage from "@quarterdeck/cluster-fanout/Coverage"
import { failureOf } from "@quarterdeck/cluster-fanout/FanOut"
import type { FanOutFailed } from "@quarterdeck/cluster-fanout/ListError"
import type { ProvenLabels } from "@quarterdeck/targeting/NamespaceFilter"
import { Effect } from "effect"
import type { HistoryName } from "@quarterdeck/targeting/HistoryName"
import type { CostCoverage, CostStatus, SeenHours } from "./CostRow.ts"
import type { ResolvedRange } from "./Range.ts"
import { HOUR_MS, HOUR_SECONDS, SECOND_MS } from "../hour/Units.ts"
import type { Window } from "../hour/Window.ts"

/**
 * How a cluster is at the time of a report.
 *
 * **Shape** `retired` is a cluster that left: its costs are all there is to tell of it, and count as an answer. **Units**
 * `ageMs` of a retired one is the time since its figures end.
 */
export interface ViewCoverage extends Omit<Coverage.Coverage, "name" | "status"> {
  readonly name: HistoryName
  readonly status: CostStatus
}

/**
 * A cluster as it is now.
 *
 * **Shape** `coverage` is the fan-out's of this request; `labels` are those of its namespaces, which a key that selects
 * namespaces by label needs: for every other, nothing is asked of it.
 */
export interface ClusterView {
  readonly coverage: ViewCoverage
  readonly labels: (namespace: string) => ProvenLabels
}

const isAsked = (coverage: ViewCoverage): coverage is Coverage.Coverage => coverage.status !== "retired"

interface Facts {
  readonly views: ReadonlyArray<ClusterView>
  readonly knownSeconds: ReadonlyArray<number>
  readonly needsLabels: boolean
}

/**
 * Fails when there is nothing to tell of any cluster: none answers, and nothing is kept of any.
 *
 * What is kept counts as an answer, but not for a key whose scope only a living cluster can decide.
 */
export const requireAny = ({ knownSeconds, needsLabels, views }: Facts): Effect.Effect<void, FanOutFailed> => {
  if (!needsLabels && knownSeconds.some((seconds) => seconds > 0)) return Effect.void
  const asked = views.map(({ coverage }) => coverage).filter(isAsked)
  if (asked.length < views.length) return Effect.void
  const failure = failureOf(asked)
  return failure === undefined ? Effect.void : Effect.fail(failure)
}

/**
 * Makes the coverage of each cluster, with how many of its rows match.
 *
 * **Shape** `stale` is no answer about now: what such a cluster cost since it was seen is missing, not zero. What is kept of a
 * window that it was seen for is all there is, whatever its status.
 */
export const of = (
  { knownSeconds, needsLabels, views }: Facts,
  counts: ReadonlyArray<number>,
  { endMs, hours }: ResolvedRange
): { readonly clusters: ReadonlyArray<CostCoverage>; readonly partial: boolean } => {
  const window = { startMs: hours.startMs, endMs }
  const windowMs = endMs - hours.startMs
  const isMissing = ({ coverage }: ClusterView, index: number): boolean =>
    isAsked(coverage)
    && ((coverage.missingKinds?.length ?? 0) > 0
      || (needsLabels && !Coverage.answered(coverage))
      || (coverage.status !== "ok" && (knownSeconds[index] ?? 0) * SECOND_MS < windowMs))
  return {
    clusters: views.map(({ coverage }, index) => ({
      ...coverage,
      ...seenOver(knownSeconds[index], window),
      count: counts[index] ?? 0
    })),
    partial: views.some(isMissing)
  }
}

/** Tells of each cluster for how much of a time it was seen. The time ends now where it goes on. */
export const seen = (
  { knownSeconds, views }: Pick<Facts, "knownSeconds" | "views">,
  time: Window
): ReadonlyArray<SeenHours> =>
  views.map(({ coverage: { name } }, index) => ({ name, ...seenOver(knownSeconds[index], time) }))

const seenOver = (seconds: number | undefined, { endMs, startMs }: Window) => ({
  hoursCovered: (seconds ?? 0) / HOUR_SECONDS,
  hoursInWindow: (endMs - startMs) / HOUR_MS
})
