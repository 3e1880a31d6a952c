/**
 * The coverage of each cluster in a report, and whether the report is partial.
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
 * The present state of a cluster.
 *
 * **Shape** `retired` is a removed cluster. Its stored costs are complete, so it counts as an answer. **Units** `ageMs` of a
 * retired cluster is the time since the end of its stored costs.
 */
export interface ViewCoverage extends Omit<Coverage.Coverage, "name" | "status"> {
  readonly name: HistoryName
  readonly status: CostStatus
}

/**
 * A cluster at the time of the request.
 *
 * **Shape** `coverage` is the result of the request's fan-out. `labels` returns a namespace's labels, or undefined if
 * they may be stale. They are needed only for keys that select namespaces by label.
 */
export interface ClusterView {
  readonly coverage: ViewCoverage
  readonly labels: (namespace: string) => ProvenLabels
}

const isRegistered = (coverage: ViewCoverage): coverage is Coverage.Coverage => coverage.status !== "retired"

interface Facts {
  readonly views: ReadonlyArray<ClusterView>
  readonly knownSeconds: ReadonlyArray<number>
  readonly needsLabels: boolean
}

/**
 * Fails if no cluster answers and no costs are stored.
 *
 * Stored costs count as an answer, except for a key whose scope needs the namespace labels of a live cluster.
 */
export const requireAny = ({ knownSeconds, needsLabels, views }: Facts): Effect.Effect<void, FanOutFailed> => {
  if (!needsLabels && knownSeconds.some((seconds) => seconds > 0)) return Effect.void
  const registered = views.map(({ coverage }) => coverage).filter(isRegistered)
  if (registered.length < views.length) return Effect.void
  const failure = failureOf(registered)
  return failure === undefined ? Effect.void : Effect.fail(failure)
}

/**
 * Returns the coverage of each cluster with its number of rows, and whether the report is partial.
 *
 * **Shape** a cluster that is not `ok`, such as a `stale` one, lacks costs since it was last observed. Its status makes the
 * report partial only if its stored costs do not cover the whole window.
 */
export const of = (
  { knownSeconds, needsLabels, views }: Facts,
  counts: ReadonlyArray<number>,
  { endMs, hours }: ResolvedRange
): { readonly clusters: ReadonlyArray<CostCoverage>; readonly partial: boolean } => {
  const window = { startMs: hours.startMs, endMs }
  const windowMs = endMs - hours.startMs
  const isMissing = ({ coverage }: ClusterView, index: number): boolean =>
    isRegistered(coverage)
    && ((coverage.missingKinds?.length ?? 0) > 0
      || (needsLabels && !Coverage.answered(coverage))
      || (coverage.status !== "ok" && (knownSeconds[index] ?? 0) * SECOND_MS < windowMs))
  return {
    clusters: views.map(({ coverage }, index) => ({
      ...coverage,
      ...observedOver(knownSeconds[index], window),
      count: counts[index] ?? 0
    })),
    partial: views.some(isMissing)
  }
}

/** Returns for how much of a window each cluster was observed. */
export const observedHours = (
  { knownSeconds, views }: Pick<Facts, "knownSeconds" | "views">,
  time: Window
): ReadonlyArray<SeenHours> =>
  views.map(({ coverage: { name } }, index) => ({ name, ...observedOver(knownSeconds[index], time) }))

const observedOver = (seconds: number | undefined, { endMs, startMs }: Window) => ({
  hoursCovered: (seconds ?? 0) / HOUR_SECONDS,
  hoursInWindow: (endMs - startMs) / HOUR_MS
})
