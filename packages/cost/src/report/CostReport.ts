/**
 * Reports what workloads cost, from closed hours and the open one.
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

/** How far back reports reach: by the hour, and by the day. **Units** days. */
export const Retention = Context.Reference<{ readonly hourlyDays: number; readonly retentionDays: number }>(
  "@quarterdeck/cost/CostReport/Retention",
  { defaultValue: () => ({ hourlyDays: DEFAULT_HOURLY_DAYS, retentionDays: DEFAULT_RETENTION_DAYS }) }
)

/** How many explanations are made at once: each reads the store up to 744 times, and other reports read it between. */
const MAX_EXPLAINING = 2
/** How many previews of prices are made at once: each reads and prices every hour of a week. */
const MAX_PREVIEWING = 1
/** How many previews there are at once, those that wait included: each takes seconds where clusters are large. */
const MAX_PREVIEWS = 4

/** The rows of all pages with what belongs to them. **Shape** `partial` as the pages tell it. */
export interface RowStream<Row> {
  readonly window: ReportWindow
  readonly currency: string
  readonly partial: boolean
  readonly rows: Stream.Stream<Row, CostError>
}

/**
 * The workloads of all pages.
 *
 * **Shape** `billed` has the same workloads with all quantities, a row for each calendar month; `clusters` as the pages
 * have them.
 */
export interface WorkloadStream extends RowStream<CostRow> {
  readonly clusters: ReadonlyArray<CostCoverage>
  readonly billed: Stream.Stream<MonthlyRow, CostError>
}

/** A group, and the step that it is of. */
export type SteppedRow = AggregateRow & Omit<Bucket, "rows">

/**
 * What any report may fail with.
 *
 * **Shape** `FanOutFailed`: no cluster answers, and nothing is kept of any; `InvalidCostQuery`: a label selector that is none.
 */
type Failure = CostError | InvalidCostQuery | NamespaceForbidden | FanOutFailed

/**
 * Reports costs.
 *
 * Filters and scopes act after shares and change no figure of what remains; totals, percentages, counts and
 * cursors tell of visible rows alone. What is kept of a cluster is reported though it does not answer now.
 *
 * **Limits** sums of all addressed clusters are held in memory; works in slices, so that others get their turn.
 */
export class CostReport extends Context.Service<
  CostReport,
  {
    /** Gives a page of workloads, the most expensive first. **Errors** also `CursorInvalid`. */
    readonly getWorkloads: (query: WorkloadsQuery) => Effect.Effect<WorkloadCosts, Failure | CursorInvalid>
    /** Streams the workloads of all pages, or the `limit` most expensive ones, while the scope is open. */
    readonly allWorkloads: (
      query: Omit<WorkloadsQuery, keyof Paged> & { readonly limit?: number | undefined }
    ) => Effect.Effect<WorkloadStream, Failure, Scope.Scope>
    /**
     * Gives a page of groups.
     *
     * **Errors** also `CursorInvalid`; `IdleForbidden` when a key with a namespace scope asks for idle costs;
     * `InvalidCostQuery` for steps that are too many, or shorter than what is kept.
     */
    readonly getAggregated: (
      query: AggregateQuery
    ) => Effect.Effect<AggregatedCosts, Failure | CursorInvalid | IdleForbidden>
    /** Gives the groups of all pages, step after step. **Errors** as `getAggregated`. */
    readonly allGroups: (query: Grouped) => Effect.Effect<RowStream<SteppedRow>, Failure | IdleForbidden>
    /**
     * Gives the hours or days that a row is the sum of.
     *
     * **Errors** also `CostRowNotFound`; `InvalidCostQuery` for an id that is none of the cluster.
     *
     * **Limits** two at once: others wait for their turn.
     */
    readonly explain: (query: ExplainQuery) => Effect.Effect<Explanation, Failure | CostRowNotFound>
    /**
     * Tells what the last seven days cost by the present price book and by another, and changes nothing.
     *
     * **Errors** those that the book would be refused with, at once: `StalePriceBook`, `InvalidPriceBook`; `CostError`;
     * `TooManyPreviews`.
     *
     * **Limits** one at once: {@link MAX_PREVIEWS} less one wait for their turn. Reads and prices every hour of every cluster.
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
