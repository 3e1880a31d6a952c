/**
 * Reports workloads, one row each.
 */
import { MergedList, RowOrder } from "@quarterdeck/cluster-fanout"
import * as Cursor from "@quarterdeck/cluster-fanout/Cursor"
import { Effect, Stream } from "effect"
import type { WorkloadsQuery } from "./ReportQuery.ts"
import type { WorkloadCosts } from "./CostRow.ts"
import * as BillingRows from "./BillingRows.ts"
import * as ReportContext from "./ReportContext.ts"
import * as Ranking from "./Ranking.ts"
import * as ReportCoverage from "./ReportCoverage.ts"
import * as WorkloadRows from "./WorkloadRows.ts"
import * as RowFigures from "./RowFigures.ts"
import * as RankingWindow from "./RankingWindow.ts"
import * as BinSums from "./BinSums.ts"

/** Rows of one part of a stream. */
const PART = 1_000

const gather = Effect.fnUntraced(function* (
  sources: ReportContext.Sources,
  query: Pick<WorkloadsQuery, "target" | "filter"> & ReportContext.Asked
) {
  const { clusters } = query.target
  const begun = yield* ReportContext.begin(sources, query, clusters, query.filter)
  const allocations = yield* begun.reader.read(begun.range.hours)
  const facts = { ...begun, knownSeconds: allocations.knownSeconds }
  yield* ReportCoverage.requireAny(facts)
  yield* begun.refuseOutside
  const { isVisible, recommendations } = begun
  const how = { isVisible, recommendations, namesOf: sources.namesOf }
  const rows = yield* WorkloadRows.join(allocations, how)
  const ranked: Ranking.Ranked = {
    size: rows.size,
    totalNanos: rows.totalNanos,
    nameOf: (row) => WorkloadRows.idOf(rows, row)
  }
  const { currency, range, window } = begun
  const head = {
    totals: BinSums.totalsAt(yield* WorkloadRows.total(rows), 0),
    window,
    currency,
    ...ReportCoverage.of(facts, rows.counts, range)
  }
  const rowsAt = (places: ReadonlyArray<number>) => RowFigures.rowsAt(rows, places)
  const billedAt = (places: ReadonlyArray<number>) => BillingRows.rowsAt(rows, places)
  /** Ranks by what pages before it were ranked by. **Limits** reads those hours only where they are not the closed ones. */
  const settle = Effect.fnUntraced(function* (after: RowOrder.Position | undefined) {
    const settled = RankingWindow.of(begun, clusters, after)
    if (settled === undefined) return ranked
    if (RankingWindow.isClosedPart(begun, clusters, settled)) {
      return { ...ranked, settled, totalNanos: yield* WorkloadRows.closedNanos(rows) }
    }
    const before = yield* begun.reader.read(settled)
    const known = yield* WorkloadRows.join(before, how)
    const totalNanos = yield* WorkloadRows.nanosIn(known, rows)
    return { ...ranked, settled, totalNanos }
  }, Effect.scoped)
  return { head, ranked, settle, rowsAt, billedAt }
})

/** Gives one page. */
export const page = Effect.fnUntraced(function* (sources: ReportContext.Sources, query: WorkloadsQuery) {
  const { filter, page, range } = query
  const paging = pagingOf(sources, query, ReportContext.canonical(filter, range))
  const after = yield* MergedList.startOf(paging, page.cursor)
  const { head, ranked, rowsAt, settle } = yield* gather(sources, query)
  const isOnlyPage = after === undefined && ranked.size <= page.limit
  const settled = isOnlyPage ? ranked : yield* settle(after)
  const { next, places } = yield* Ranking.pageOf(settled, { after, limit: page.limit })
  const reply: WorkloadCosts = {
    aggregatedWorkloads: yield* rowsAt(settled === ranked ? places : Ranking.sorted(places, ranked)),
    ...head,
    ...(next === undefined ? {} : { nextCursor: Cursor.seal(paging.key, paging.binding, next) })
  }
  return reply
}, Effect.scoped)

/** Gives the rows of all pages, as they are asked for, until the scope ends. **Limits** sums are held, rows only {@link PART} at a time. */
export const all = Effect.fnUntraced(function* (
  sources: ReportContext.Sources,
  query: Pick<WorkloadsQuery, "target" | "filter"> & ReportContext.Asked
) {
  const { billedAt, head, ranked, rowsAt } = yield* gather(sources, query)
  const parts = Ranking.parts(ranked, PART)
  return {
    ...head,
    rows: parts.pipe(Stream.mapEffect(rowsAt), Stream.flatMap(Stream.fromArray)),
    billed: parts.pipe(Stream.mapEffect(billedAt), Stream.flatMap(Stream.fromArray))
  }
})

/** What pages of one list of costs have in common. */
export const pagingOf = (
  { cursorKey }: ReportContext.Sources,
  { cursorBinding, page, target }: Pick<WorkloadsQuery, "cursorBinding" | "page" | "target">,
  filter: unknown
): MergedList.Paging<number> =>
  MergedList.pagingOf(
    "costs",
    {
      target,
      cursorBinding,
      page: { sort: "totalCost", order: "desc", limit: page.limit, consistency: "cache", timeoutMs: 0 }
    },
    {
      key: cursorKey,
      filter,
      order: Ranking.orderOf({ size: 0, totalNanos: new Float64Array(0), nameOf: () => "" })
    }
  )
