/**
 * The cost report by group: one page, or all groups as a stream.
 */
import { MergedList, RowOrder } from "@quarterdeck/cluster-fanout"
import * as Cursor from "@quarterdeck/cluster-fanout/Cursor"
import { Effect, Option, Stream } from "effect"
import type { AggregatedCosts, AggregateRow, Bucket, Dimension } from "./Aggregate.ts"
import type { CostTotals, PreviousCosts } from "./CostRow.ts"
import * as ComparedGroups from "./ComparedGroups.ts"
import * as PreviousWindow from "./PreviousWindow.ts"
import { dimensionOf } from "./Aggregate.ts"
import type { AggregateQuery } from "./ReportQuery.ts"
import { IdleForbidden, InvalidCostQuery } from "./ReportError.ts"
import type { Window } from "../hour/Window.ts"
import * as ReportContext from "./ReportContext.ts"
import * as Groups from "./Groups.ts"
import * as Ranking from "./Ranking.ts"
import * as ReportCoverage from "./ReportCoverage.ts"
import * as WorkloadRows from "./WorkloadRows.ts"
import * as RankingWindow from "./RankingWindow.ts"
import * as TimeSteps from "./TimeSteps.ts"
import * as GroupTotals from "./GroupTotals.ts"
import * as ReportedSums from "./ReportedSums.ts"
import { pagingOf } from "./WorkloadReport.ts"

/** Maximum rows of one reply, summed over its steps. */
const MAX_ROWS = 50_000
const PART = 1_000

type Query = Omit<AggregateQuery, "page" | "cursorBinding">

/** Validates the query, and returns its window, its steps, and the functions that sum one step. */
const begin = Effect.fnUntraced(function* (sources: ReportContext.Sources, query: Query) {
  const { compare = false, filter, groupBy, idle = "hide", namespaces, stepSize, target } = query
  if (idle !== "hide" && namespaces._tag !== "All") return yield* new IdleForbidden()
  const dimensions: Array<Dimension> = []
  for (const [index, text] of groupBy.entries()) {
    const dimension = dimensionOf(text)
    if (dimension === undefined) {
      const problem = "must be cluster, namespace, kind, workload or label:<key>"
      return yield* new InvalidCostQuery({ field: `groupBy[${index}]`, problem })
    }
    dimensions.push(dimension)
  }
  if (compare && stepSize !== undefined) {
    const problem = "cannot be combined with stepSize; ask for the steps in a request of their own"
    return yield* new InvalidCostQuery({ field: "compare", problem })
  }
  const begun = yield* ReportContext.begin(sources, query, target.clusters, filter)
  const { hours } = begun.range
  if (stepSize !== undefined) yield* refuseStep(hours, stepSize, begun)
  const { isVisible, reader, recommendations } = begun
  const readSums = Effect.fnUntraced(function* (window: Window) {
    const allocations = yield* reader.read(window)
    const rows = yield* WorkloadRows.join(allocations, { isVisible, recommendations, namesOf: sources.namesOf })
    const sums = yield* ReportedSums.of(rows, { idle, isVisible })
    return { sums, counts: rows.counts, knownSeconds: allocations.knownSeconds }
  })
  /** Adds the costs of one step to `groups`, and returns the step without its rows. */
  const addStep = Effect.fnUntraced(function* (groups: Groups.Groups, step: Window, how: { knownOnly: boolean }) {
    const { knownSeconds, sums } = yield* readSums(step)
    yield* Groups.add(groups, sums, dimensions, how)
    const upToNow = { startMs: step.startMs, endMs: Math.min(step.endMs, begun.range.endMs) }
    return {
      ...ReportContext.printed(upToNow),
      clusters: ReportCoverage.observedHours({ views: begun.views, knownSeconds }, upToNow)
    }
  }, Effect.scoped)
  /** Adds the costs of the whole window to `groups`, with `compare` also the groups of the window before. */
  const addWindow = Effect.fnUntraced(function* (groups: Groups.Groups) {
    const whole = yield* readSums(hours)
    const binOf = yield* Groups.add(groups, whole.sums, dimensions, { knownOnly: false })
    if (!compare) return { ...whole, compared: undefined }
    const before = PreviousWindow.of(begun.range, begun.hourlyFromMs)
    const past = Groups.make()
    const previous = yield* readSums(before)
    const pastBinOf = yield* Groups.add(past, previous.sums, dimensions, { knownOnly: false })
    const seconds = { now: whole.knownSeconds, before: previous.knownSeconds }
    const { areTotals, clusters, window } = PreviousWindow.compare(begun, before, seconds)
    const previousAt = ComparedGroups.join(
      { groups, sums: whole.sums, binOf },
      { groups: past, sums: previous.sums, binOf: pastBinOf },
      clusters
    )
    const totals = areTotals ? GroupTotals.totalsAt(GroupTotals.total(past.table), 0) : null
    const compared: ComparedReport = { previous: { window, totals, clusters }, previousAt }
    return { ...whole, compared }
  })
  return {
    begun,
    dimensions,
    readSums,
    addStep,
    addWindow,
    idle,
    steps: stepSize === undefined ? [hours] : TimeSteps.of(hours, stepSize)
  }
})

interface ComparedReport {
  readonly previous: PreviousCosts
  readonly previousAt: (bin: number) => CostTotals | null
}

/** Builds the row of a group, with its previous figures in a report with `compare`. */
const rowAt = (
  groups: Groups.Groups,
  bin: number,
  compared: ComparedReport | undefined
): ReadonlyArray<AggregateRow> => {
  const rows = Groups.rowAt(groups, bin)
  return compared === undefined ? rows : rows.map((row) => ({ ...row, previous: compared.previousAt(bin) }))
}

const refuseStep = (
  hours: Window,
  stepSize: NonNullable<Query["stepSize"]>,
  { hourlyFromMs }: ReportContext.Begun
): Effect.Effect<void, InvalidCostQuery> => {
  const refuse = (problem: string) => Effect.fail(new InvalidCostQuery({ field: "stepSize", problem }))
  if (TimeSteps.countOf(hours, stepSize) > TimeSteps.MAX_STEPS) {
    return refuse(
      `splits the window into more than ${TimeSteps.MAX_STEPS} steps; ask for longer steps or a shorter window`
    )
  }
  if (stepSize === "hour" && hours.startMs < hourlyFromMs) {
    return refuse(`hours are stored since ${new Date(hourlyFromMs).toISOString()}; before that, ask for days`)
  }
  return Effect.void
}

/** Returns one page of groups. **Limits** with `stepSize`, the window is read twice: once to rank groups, once step by step. */
export const page = Effect.fnUntraced(function* (sources: ReportContext.Sources, query: AggregateQuery) {
  const { compare, filter, groupBy, page, range, stepSize } = query
  const { addStep, addWindow, begun, dimensions, idle, steps, readSums } = yield* begin(sources, query)
  const asked = [ReportContext.canonical(filter, range, compare), groupBy, stepSize ?? null, idle]
  const paging = pagingOf(sources, query, asked)
  const after = yield* MergedList.startOf(paging, page.cursor)

  const groups = Groups.make()
  const before = Groups.make()
  const { clusters } = query.target
  // Idle costs are shared within each step. A group's share in the window is therefore the sum of its shares in the steps.
  const isByStep = idle === "share" && stepSize !== undefined
  const limit = Math.min(page.limit, Math.max(1, Math.floor(MAX_ROWS / steps.length)))
  const addWhole = Effect.fnUntraced(function* () {
    const { compared, counts, knownSeconds, sums } = yield* isByStep
      ? Effect.map(readSums(begun.range.hours), (whole) => ({ ...whole, compared: undefined }))
      : addWindow(groups)
    const facts = { ...begun, knownSeconds }
    yield* ReportCoverage.requireAny(facts)
    yield* begun.refuseOutside
    const isOnlyPage = after === undefined && !isByStep && groups.all.length <= limit
    const settled = isOnlyPage ? undefined : RankingWindow.of(begun, clusters, after)
    if (settled === undefined) return { compared, counts, facts, settled }
    // With shared idle costs, `sums` includes shares of the open hour, so the closed hours are read separately.
    if (idle !== "share" && RankingWindow.isClosedPart(begun, clusters, settled)) {
      const closed = { ...sums, parts: sums.parts.filter(({ isOpen }) => !isOpen) }
      yield* Groups.add(before, closed, dimensions, { knownOnly: false })
    } else yield* addStep(before, settled, { knownOnly: false })
    return { compared, counts, facts, settled }
  }, Effect.scoped)
  const { compared, counts, facts, settled } = yield* addWhole()
  for (const step of isByStep ? steps : []) yield* addStep(groups, step, { knownOnly: false })

  yield* Effect.yieldNow
  const ranked = rankedOf(groups)
  const byBefore =
    settled === undefined
      ? ranked
      : { ...ranked, settled, totalNanos: nanosIn(GroupTotals.totalNanos(before.table), before, groups) }
  const { next, places: found } = yield* Ranking.pageOf(byBefore, { after, limit })
  const places = settled === undefined ? found : Ranking.sorted(found, ranked)
  const head = {
    totals: GroupTotals.totalsAt(GroupTotals.total(groups.table), 0),
    ...(compared === undefined ? {} : { previous: compared.previous }),
    window: begun.window,
    currency: begun.currency,
    ...ReportCoverage.of(facts, counts, begun.range),
    ...(next === undefined ? {} : { nextCursor: Cursor.seal(paging.key, paging.binding, next) })
  }
  if (stepSize === undefined) {
    const reply: AggregatedCosts = { rows: places.flatMap((bin) => rowAt(groups, bin, compared)), ...head }
    return reply
  }

  const buckets: Array<Bucket> = []
  for (const step of steps) {
    const within = Groups.cleared(groups, places)
    buckets.push({
      ...(yield* addStep(within, step, { knownOnly: true })),
      rows: within.all.flatMap((_, bin) => (hasAny(within, bin) ? Groups.rowAt(within, bin) : []))
    })
  }
  const reply: AggregatedCosts = { buckets, ...head }
  return reply
})

/**
 * Streams the groups of all pages, step by step, each step's most expensive group first.
 *
 * **Limits** holds the sums of one step's groups in memory.
 */
export const all = Effect.fnUntraced(function* (sources: ReportContext.Sources, query: Query) {
  const { addStep, addWindow, begun, steps } = yield* begin(sources, query)
  const { knownSeconds } = yield* Effect.scoped(begun.reader.read(begun.range.hours))
  const facts = { ...begun, knownSeconds }
  yield* ReportCoverage.requireAny(facts)
  yield* begun.refuseOutside
  const compareWindow = Effect.fnUntraced(function* (groups: Groups.Groups) {
    const { compared, knownSeconds } = yield* addWindow(groups)
    const time = { startMs: begun.range.hours.startMs, endMs: begun.range.endMs }
    const clusters = ReportCoverage.observedHours({ views: begun.views, knownSeconds }, time)
    return { compared, when: { ...ReportContext.printed(time), clusters } }
  }, Effect.scoped)
  const rows = Stream.fromIterable(steps).pipe(
    Stream.flatMap((step) =>
      Stream.unwrap(
        Effect.gen(function* () {
          const groups = Groups.make()
          const { compared, when } = yield* query.compare === true
            ? compareWindow(groups)
            : Effect.map(addStep(groups, step, { knownOnly: false }), (when) => ({ compared: undefined, when }))
          const ranked = rankedOf(groups)
          return Stream.paginate<RowOrder.Position | undefined, AggregateRow & Omit<Bucket, "rows">>(
            undefined,
            (after) =>
              Effect.map(Ranking.pageOf(ranked, { after, limit: PART }), ({ next, places }) => {
                const part = places.flatMap((bin) => rowAt(groups, bin, compared).map((row) => ({ ...when, ...row })))
                return [part, Option.fromUndefinedOr(next)] as const
              })
          )
        })
      )
    )
  )
  const { partial } = ReportCoverage.of(facts, [], begun.range)
  return { window: begun.window, currency: begun.currency, partial, rows }
})

const rankedOf = ({ all, table }: Groups.Groups): Ranking.Ranked => ({
  size: all.length,
  totalNanos: GroupTotals.totalNanos(table),
  nameOf: (bin) => all[bin]?.key ?? ""
})

/**
 * Returns the cost of each group in `all`. The cost is read from `nanos`, at the index that `places` has for the
 * group's key. A group that `places` lacks costs 0.
 */
const nanosIn = (nanos: Float64Array, { places }: Groups.Groups, { all }: Groups.Groups): Float64Array =>
  Float64Array.from(all, ({ key }) => nanos[places.get(key) ?? -1] ?? 0)

const hasAny = ({ table }: Groups.Groups, bin: number): boolean =>
  Object.values(table.columns).some((values) => values[bin] !== 0)
