/**
 * The cost report by workload: one page, or all rows as a stream.
 */
import { MergedList, RowOrder } from "@quarterdeck/cluster-fanout"
import * as Cursor from "@quarterdeck/cluster-fanout/Cursor"
import { Effect, Stream } from "effect"
import type { WorkloadsQuery } from "./ReportQuery.ts"
import type { WorkloadCosts } from "./CostRow.ts"
import * as BillingMonth from "./BillingMonth.ts"
import * as ComparedWorkloads from "./ComparedWorkloads.ts"
import * as PreviousWindow from "./PreviousWindow.ts"
import * as BillingRows from "./BillingRows.ts"
import * as ReportContext from "./ReportContext.ts"
import * as Ranking from "./Ranking.ts"
import * as ReportCoverage from "./ReportCoverage.ts"
import * as WorkloadRows from "./WorkloadRows.ts"
import * as RowFigures from "./RowFigures.ts"
import * as RankingWindow from "./RankingWindow.ts"
import * as GroupTotals from "./GroupTotals.ts"
import type { Window } from "../hour/Window.ts"

const PART = 1_000

const gather = Effect.fnUntraced(function* (
  sources: ReportContext.Sources,
  query: Pick<WorkloadsQuery, "compare" | "target" | "filter"> & ReportContext.ScopedQuery
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
  const { currency, range, window } = begun
  const compared = query.compare === true ? yield* comparing(begun, allocations.knownSeconds, rows, how) : undefined
  const ranked = compared?.ranked ?? rankedBy(rows)
  const padded = compared?.padded ?? ((nanos: Float64Array) => nanos)
  const head = {
    totals: GroupTotals.totalsAt(yield* WorkloadRows.total(rows), 0),
    ...(compared === undefined ? {} : { previous: compared.previous }),
    window,
    currency,
    ...ReportCoverage.of(facts, rows.counts, range)
  }
  const rowsAt = compared?.rowsAt ?? ((places: ReadonlyArray<number>) => RowFigures.rowsAt(rows, places))
  /** Returns the rows of a part of the window, from the same snapshot of the open hours. */
  const within = Effect.fnUntraced(function* (hours: Window) {
    const part = yield* begun.reader.read(hours)
    const time = { startMs: hours.startMs, endMs: Math.min(hours.endMs, range.endMs) }
    const month: BillingMonth.BillingMonth = {
      window: ReportContext.printed(time),
      clusters: ReportCoverage.observedHours({ ...facts, knownSeconds: part.knownSeconds }, time)
    }
    return { month, rows: yield* WorkloadRows.join(part, how) }
  })
  /**
   * Ranks the rows by the hours that ranked the earlier pages.
   *
   * **Limits** reads those hours from the store, unless they equal the closed hours that were already read.
   */
  const settle = Effect.fnUntraced(function* (after: RowOrder.Position | undefined) {
    const settled = RankingWindow.of(begun, clusters, after)
    if (settled === undefined) return ranked
    if (RankingWindow.isClosedPart(begun, clusters, settled)) {
      return { ...ranked, settled, totalNanos: padded(yield* WorkloadRows.closedNanos(rows)) }
    }
    const before = yield* begun.reader.read(settled)
    const known = yield* WorkloadRows.join(before, how)
    const totalNanos = padded(yield* WorkloadRows.nanosIn(known, rows))
    return { ...ranked, settled, totalNanos }
  }, Effect.scoped)
  return { head, hours: range.hours, ranked, rows, settle, rowsAt, within }
})

/** Reads the window before, from the same snapshot of the open hours, and joins its rows. */
const comparing = Effect.fnUntraced(function* (
  begun: ReportContext.Begun,
  now: ReadonlyArray<number>,
  rows: WorkloadRows.WorkloadRows,
  how: Parameters<typeof WorkloadRows.join>[1]
) {
  const hours = PreviousWindow.of(begun.range, begun.hourlyFromMs)
  const allocations = yield* begun.reader.read(hours)
  const compared = PreviousWindow.compare(begun, hours, { now, before: allocations.knownSeconds })
  return yield* ComparedWorkloads.join(rows, yield* WorkloadRows.join(allocations, how), compared)
})

const rankedBy = (rows: WorkloadRows.WorkloadRows): Ranking.Ranked => ({
  size: rows.size,
  totalNanos: rows.totalNanos,
  nameOf: (row) => WorkloadRows.idOf(rows, row)
})

export const page = Effect.fnUntraced(function* (sources: ReportContext.Sources, query: WorkloadsQuery) {
  const { compare, filter, page, range } = query
  const paging = pagingOf(sources, query, ReportContext.canonical(filter, range, compare))
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

/**
 * Streams the rows of all pages until the scope closes.
 *
 * **Shape** `limit` selects the most expensive workloads of the window. `billed` has one row per workload and month, ordered
 * by month.
 *
 * **Limits** holds the sums of the window, with `compare` those of the window before, those of one month, and {@link PART} rows.
 */
export const all = Effect.fnUntraced(function* (
  sources: ReportContext.Sources,
  query: Pick<WorkloadsQuery, "compare" | "target" | "filter">
    & ReportContext.ScopedQuery & { readonly limit?: number | undefined }
) {
  const { limit = Number.POSITIVE_INFINITY } = query
  const { head, hours, ranked, rows, rowsAt, within } = yield* gather(sources, query)
  const chosen = limitedTo(Ranking.parts(ranked, PART), limit)
  /** The ids of the selected workloads; `undefined` if all are. */
  const chosenIds = Number.isFinite(limit)
    ? Stream.runFold(
        chosen,
        () => new Set<string>(),
        (found, places) => places.reduce((set, place) => set.add(ranked.nameOf(place)), found)
      )
    : Effect.succeed(undefined)

  const whole = { month: { window: head.window, clusters: head.clusters }, rows }
  const months = BillingMonth.cut(hours)
  const billedOf = Effect.fnUntraced(function* (part: Window, ids: ReadonlySet<string> | undefined) {
    const { month, rows } = months.length === 1 ? whole : yield* within(part)
    const isChosen = (place: number): boolean => ids?.has(WorkloadRows.idOf(rows, place)) ?? true
    return Ranking.parts(rankedBy(rows), PART).pipe(
      Stream.mapEffect((places) => BillingRows.rowsAt(rows, places.filter(isChosen))),
      Stream.map((billed) => billed.map((row): BillingMonth.MonthlyRow => ({ month, row }))),
      Stream.flatMap(Stream.fromArray)
    )
  })

  return {
    ...head,
    rows: chosen.pipe(Stream.mapEffect(rowsAt), Stream.flatMap(Stream.fromArray)),
    billed: Stream.unwrap(
      Effect.map(chosenIds, (ids) =>
        Stream.fromIterable(months).pipe(Stream.flatMap((part) => Stream.unwrap(billedOf(part, ids))))
      )
    )
  }
})

/** Limits a stream of parts to the first `limit` rows. */
const limitedTo = <E, R>(
  parts: Stream.Stream<ReadonlyArray<number>, E, R>,
  limit: number
): Stream.Stream<ReadonlyArray<number>, E, R> =>
  Number.isFinite(limit)
    ? parts.pipe(Stream.flatMap(Stream.fromIterable), Stream.take(limit), Stream.grouped(PART))
    : parts

/** Returns the paging that all pages of one cost list share. */
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
