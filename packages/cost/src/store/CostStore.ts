/**
 * The port behind the cost history: closed hours in, sums over any window of hours out.
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

/** What some hours of one cluster add up to. */
export interface ClusterSums {
  readonly cluster: ClusterName
  /** The part of the window that was asked for. */
  readonly window: Window
  /** Those with any non-zero measure in the window; columns have a place for each. */
  readonly series: ReadonlyArray<Series>
  readonly columns: Columns
  /** How many seconds of the window the cluster was seen. */
  readonly knownSeconds: number
}

/** Which hours of a cluster are there. **Units** milliseconds since the epoch. */
export interface Extent {
  readonly cluster: ClusterName
  /** Start of the first and end of the last closed hour. */
  readonly fromMs: number
  readonly toMs: number
  /** End of the last day that is kept as a whole only, whose hours were forgotten. Absent where there is none. */
  readonly hoursFromMs?: number
}

/**
 * Keeps closed hours: a port, for a database of one's own too.
 *
 * What a call has taken every later one sees, and what its caller does with an hour afterwards changes nothing of
 * it. Sums are those of the hours that were closed, exact up to 2^53 in every measure, and the same whether a window is asked
 * for as a whole or in steps. Hours of a cluster lie apart from those of every other.
 *
 * **Errors** every call: `CostError`, whose reason of one's own is `StoreUnavailable`. An hour that is not taken is offered
 * again.
 *
 * **Limits** calls come at once, and `sums` stands on the path of reports. Hours are kept 100 days and days 400 by default: sums over older windows are exact on day boundaries, and
 * a window is aligned to them before it is asked for.
 */
export class CostStore extends Context.Service<
  CostStore,
  {
    /**
     * Closes an hour, whole or not at all; it survives a crash from then on.
     *
     * **Errors** `HourClosed`; `HourForgotten` for one of a day whose hours were forgotten. Hours may be closed in any order,
     * and with gaps.
     */
    readonly close: (hour: Hour) => Effect.Effect<void, CostError>
    /** Replaces closed hours, or closes them: late data and changed prices. **Limits** all of them or none. */
    readonly rewrite: (hours: ReadonlyArray<Hour>) => Effect.Effect<void, CostError>
    /** Reads closed hours as they were closed, oldest first; those that are not closed are left out. */
    readonly hours: (cluster: ClusterName, window: Window) => Effect.Effect<ReadonlyArray<Hour>, CostError>
    /**
     * Sums the hours of a window for each cluster, in the order asked for.
     *
     * An unknown cluster, or one without hours in the window, has no series. Columns are read, and only while
     * the scope is open: its end frees them.
     */
    readonly sums: (
      clusters: ReadonlyArray<ClusterName>,
      window: Window
    ) => Effect.Effect<ReadonlyArray<ClusterSums>, CostError, Scope.Scope>
    /** Gives `sums` cut at instants: one list a step. **Shape** `edges` are whole hours, rising, two at least. */
    readonly sumsByStep: (
      clusters: ReadonlyArray<ClusterName>,
      edges: ReadonlyArray<number>
    ) => Effect.Effect<ReadonlyArray<ReadonlyArray<ClusterSums>>, CostError, Scope.Scope>
    /** Every cluster with closed hours. */
    readonly extents: Effect.Effect<ReadonlyArray<Extent>, CostError>
    /** Forgets hours that ended before `hoursBeforeMs` (their days stay) and days that ended before `daysBeforeMs`. */
    readonly prune: (limits: {
      readonly hoursBeforeMs: number
      readonly daysBeforeMs: number
    }) => Effect.Effect<void, CostError>
  }
>()("@quarterdeck/cost/CostStore") {}
