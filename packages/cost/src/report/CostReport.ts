/**
 * The service that reports workload costs from closed hours and the open hour.
 */
import { CursorKey } from "@quarterdeck/cluster-fanout/Cursor"
import type { CursorInvalid, FanOutFailed, NamespaceForbidden } from "@quarterdeck/cluster-fanout/ListError"
import { Context, Effect, Layer, Option, type Scope, Semaphore, type Stream } from "effect"
import type { AggregatedCosts, AggregateRow, Bucket } from "./Aggregate.ts"
import type { CostError } from "../hour/CostError.ts"
import type { MonthlyRow } from "./BillingMonth.ts"
import { CostHistories } from "./CostHistories.ts"
import type { CostCoverage, CostRow, PriceEffect, ReportWindow, WorkloadCosts } from "./CostRow.ts"
import { CostStore } from "../store/CostStore.ts"
import type { Explanation } from "./Explanation.ts"
import { OpenHours } from "./OpenHours.ts"
import { type PriceError, TooManyPreviews } from "../price/PriceError.ts"
import { Prices } from "../price/Prices.ts"
import { DEFAULT_HOURLY_DAYS, DEFAULT_RETENTION_DAYS } from "./Range.ts"
import { RecommendationStore } from "../savings/RecommendationStore.ts"
import * as AggregateReport from "./AggregateReport.ts"
import * as ExplainReport from "./ExplainReport.ts"
import * as HourRetention from "./HourRetention.ts"
import * as PricePreview from "./PricePreview.ts"
import * as WorkloadIndex from "./WorkloadIndex.ts"
import * as WorkloadReport from "./WorkloadReport.ts"
import type { AggregateQuery, ExplainQuery, Grouped, Paged, WorkloadsQuery } from "./ReportQuery.ts"
import type { CostRowNotFound, IdleForbidden, InvalidCostQuery } from "./ReportError.ts"

export type { ClusterView } from "./ReportCoverage.ts"
export type { AggregateQuery, ExplainQuery, WorkloadsQuery } from "./ReportQuery.ts"

/** Days for which costs are stored: `hourlyDays` by the hour, `retentionDays` in total. */
export const Retention = Context.Reference<{ readonly hourlyDays: number; readonly retentionDays: number }>(
  "@quarterdeck/cost/CostReport/Retention",
  { defaultValue: () => ({ hourlyDays: DEFAULT_HOURLY_DAYS, retentionDays: DEFAULT_RETENTION_DAYS }) }
)

/** Maximum number of concurrent explanations. Each reads the store up to 744 times, so more would delay other reports. */
const MAX_EXPLAINING = 2
/** Maximum number of concurrent price previews. Each reads and prices every hour of a week. */
const MAX_PREVIEWING = 1
/** Maximum number of price previews that run or wait. Each takes seconds if clusters are large. */
const MAX_PREVIEWS = 4

/** The rows of all pages as a stream, with the reply's other fields. */
export interface RowStream<Row> {
  readonly window: ReportWindow
  readonly currency: string
  readonly partial: boolean
  readonly rows: Stream.Stream<Row, CostError>
}

/**
 * The workloads of all pages.
 *
 * **Shape** `billed` streams the same workloads with billed quantities, one row per calendar month.
 */
export interface WorkloadStream extends RowStream<CostRow> {
  readonly clusters: ReadonlyArray<CostCoverage>
  readonly billed: Stream.Stream<MonthlyRow, CostError>
}

/** A group, and the step it belongs to. */
export type SteppedRow = AggregateRow & Omit<Bucket, "rows">

/**
 * Errors of every report.
 *
 * **Shape** `FanOutFailed`: no cluster answers and no history is stored. `InvalidCostQuery`: the label selector is invalid.
 */
type Failure = CostError | InvalidCostQuery | NamespaceForbidden | FanOutFailed

/**
 * Reports costs.
 *
 * Filters and scopes apply after shared costs are split, so they change no figure of a remaining row. Totals, percentages,
 * counts and cursors cover visible rows only. Stored costs of an unreachable cluster are reported.
 *
 * **Limits** holds the sums of all target clusters in memory. Yields to other fibers while it works.
 */
export class CostReport extends Context.Service<
  CostReport,
  {
    /** Returns a page of workloads, most expensive first. **Errors** also `CursorInvalid`. */
    readonly getWorkloads: (query: WorkloadsQuery) => Effect.Effect<WorkloadCosts, Failure | CursorInvalid>
    /** Streams the workloads of all pages, or the `limit` most expensive, while the scope is open. */
    readonly allWorkloads: (
      query: Omit<WorkloadsQuery, keyof Paged> & { readonly limit?: number | undefined }
    ) => Effect.Effect<WorkloadStream, Failure, Scope.Scope>
    /**
     * Returns a page of groups.
     *
     * **Errors** also `CursorInvalid`; `IdleForbidden` if a key with a namespace scope asks for idle costs;
     * `InvalidCostQuery` if there are too many steps, or hourly steps where only days are stored.
     */
    readonly getAggregated: (
      query: AggregateQuery
    ) => Effect.Effect<AggregatedCosts, Failure | CursorInvalid | IdleForbidden>
    /** Streams the groups of all pages, step by step. **Errors** as `getAggregated`. */
    readonly allGroups: (query: Grouped) => Effect.Effect<RowStream<SteppedRow>, Failure | IdleForbidden>
    /**
     * Returns the hours or days that a row sums up.
     *
     * **Errors** also `CostRowNotFound`; `InvalidCostQuery` if the id is not one of the cluster.
     *
     * **Limits** two calls run at a time; further calls wait.
     */
    readonly explain: (query: ExplainQuery) => Effect.Effect<Explanation, Failure | CostRowNotFound>
    /**
     * Computes the costs of the last seven days with the present price book and with another one. Changes nothing.
     *
     * **Errors** `StalePriceBook` or `InvalidPriceBook`, as saving the book would; `CostError`; `TooManyPreviews`.
     *
     * **Limits** one call runs at a time, and {@link MAX_PREVIEWS} minus one may wait; further calls fail. Reads and
     * prices every hour of every cluster.
     */
    readonly previewPrices: (
      question: PricePreview.Question
    ) => Effect.Effect<PriceEffect, CostError | PriceError | TooManyPreviews>
  }
>()("@quarterdeck/cost/CostReport") {
  static readonly layer = Layer.effect(
    CostReport,
    Effect.gen(function* () {
      const store = yield* CostStore
      const sources = {
        store,
        histories: yield* CostHistories,
        hoursFromMs: HourRetention.make(store),
        openHours: yield* OpenHours,
        recommendations: yield* RecommendationStore,
        prices: yield* Prices,
        cursorKey: yield* CursorKey,
        retention: yield* Retention,
        namesOf: WorkloadIndex.make()
      }
      const explaining = yield* Semaphore.make(MAX_EXPLAINING)
      const previewing = yield* Semaphore.make(MAX_PREVIEWING)
      const previews = yield* Semaphore.make(MAX_PREVIEWS)
      return CostReport.of({
        getWorkloads: Effect.fn("CostReport.getWorkloads")((query) => WorkloadReport.page(sources, query)),
        allWorkloads: Effect.fn("CostReport.allWorkloads")((query) => WorkloadReport.all(sources, query)),
        getAggregated: Effect.fn("CostReport.getAggregated")((query) => AggregateReport.page(sources, query)),
        allGroups: Effect.fn("CostReport.allGroups")((query) => AggregateReport.all(sources, query)),
        explain: Effect.fn("CostReport.explain")(
          (query) => ExplainReport.of(sources, query),
          (run) => explaining.withPermit(run)
        ),
        previewPrices: Effect.fn("CostReport.previewPrices")(function* (question) {
          yield* PricePreview.judge(sources, question)
          const effect = yield* previews.withPermitsIfAvailable(1)(
            previewing.withPermit(PricePreview.of(sources, question))
          )
          if (Option.isSome(effect)) return effect.value
          return yield* new TooManyPreviews({ waiting: MAX_PREVIEWS })
        })
      })
    })
  ).pipe(Layer.provide(CostHistories.layer))
}
