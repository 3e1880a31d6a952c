/**
 * Port for the cost history: takes closed hours, returns sums over any window of hours.
 *
 * Adapters: `store/Memory`, `store/Sqlite`, `store/ClickHouse`. All pass one contract suite.
 */
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Context, type Effect, type Scope } from "effect"
import type { CostError } from "../hour/CostError.ts"
import type { Hour } from "../hour/Hour.ts"
import type { Columns } from "../hour/Measure.ts"
import type { Series } from "../hour/Series.ts"
import type { Window } from "../hour/Window.ts"

/** Sums of one cluster over a window. */
export interface ClusterSums {
  readonly cluster: ClusterName
  /** The requested window, or one step of it for `sumsByStep`. */
  readonly window: Window
  /** Series with a non-zero measure in the window. Each column has one value per series. */
  readonly series: ReadonlyArray<Series>
  readonly columns: Columns
  /** Seconds of the window in which the cluster was observed. */
  readonly knownSeconds: number
}

/** Range of a cluster's closed hours. **Units** milliseconds since the epoch. */
export interface Extent {
  readonly cluster: ClusterName
  /** Start of the first and end of the last closed hour. */
  readonly fromMs: number
  readonly toMs: number
  /** End of the last day that is kept only as a daily total. Absent if there is none. */
  readonly hoursFromMs?: number
}

/**
 * Store of closed hours. A host may provide its own adapter.
 *
 * A call sees everything that an earlier call wrote. An hour is copied: changing it after the call changes nothing in the
 * store. Sums are exact up to 2^53 in every measure, and equal whether a window is read as a whole or in steps. Clusters are
 * independent of each other.
 *
 * **Errors** Every call fails with `CostError`. A host's own adapter uses the reason `StoreUnavailable`. If `close` fails, the
 * sampler calls it again for the same hour.
 *
 * **Limits** Calls may run concurrently. Reports wait for `sums`. By default hours are kept for 100 days and daily totals for
 * 400. Sums of older windows are exact on day boundaries: the caller aligns the window to days.
 */
export class CostStore extends Context.Service<
  CostStore,
  {
    /**
     * Closes an hour. Atomic; the hour survives a crash once the call returns. Hours can be closed in any order and with gaps.
     *
     * **Errors** `HourClosed`; `HourForgotten` for an hour of a day that is kept only as a daily total.
     */
    readonly close: (hour: Hour) => Effect.Effect<void, CostError>
    /** Replaces or closes hours, for late data and changed prices. Atomic. **Errors** `HourForgotten`. */
    readonly rewrite: (hours: ReadonlyArray<Hour>) => Effect.Effect<void, CostError>
    /** Reads the closed hours of a window, oldest first. */
    readonly hours: (cluster: ClusterName, window: Window) => Effect.Effect<ReadonlyArray<Hour>, CostError>
    /**
     * Sums the hours of a window for each cluster, in the order of `clusters`.
     *
     * An unknown cluster, or one without hours in the window, has no series. Columns are read-only, and their memory is freed
     * when the scope ends.
     */
    readonly sums: (
      clusters: ReadonlyArray<ClusterName>,
      window: Window
    ) => Effect.Effect<ReadonlyArray<ClusterSums>, CostError, Scope.Scope>
    /**
     * Sums the hours between each pair of consecutive edges.
     *
     * **Shape** `edges` are starts of hours in ascending order, at least two.
     */
    readonly sumsByStep: (
      clusters: ReadonlyArray<ClusterName>,
      edges: ReadonlyArray<number>
    ) => Effect.Effect<ReadonlyArray<ReadonlyArray<ClusterSums>>, CostError, Scope.Scope>
    /** Extents of all clusters with closed hours. */
    readonly extents: Effect.Effect<ReadonlyArray<Extent>, CostError>
    /**
     * Removes old data. Days that ended by `hoursBeforeMs` lose their hours and keep their totals. Days that ended by
     * `daysBeforeMs` also lose their totals.
     */
    readonly prune: (limits: {
      readonly hoursBeforeMs: number
      readonly daysBeforeMs: number
    }) => Effect.Effect<void, CostError>
  }
>()("@quarterdeck/cost/CostStore") {}
