/**
 * Computes the costs of the last seven days at the prices of a book that is not saved yet.
 */
import { clusterOf, type HistoryName } from "@quarterdeck/targeting/HistoryName"
import { Clock, Effect } from "effect"
import { freeWithScope } from "../hour/Buffers.ts"
import type { Hour } from "../hour/Hour.ts"
import { isWorkload, keyOf } from "../hour/Series.ts"
import { DAY_MS, HOUR_MS, NANOS_PER_UNIT } from "../hour/Units.ts"
import { repriceBy } from "../price/HourCosts.ts"
import type * as PriceBook from "../price/PriceBook.ts"
import * as PriceHistory from "../price/PriceHistory.ts"
import * as PriceChange from "../price/PriceChange.ts"
import * as GroupTotals from "./GroupTotals.ts"
import type { PricedTotals, PriceEffect } from "./CostRow.ts"
import * as AllocationSet from "./AllocationSet.ts"
import * as Range from "./Range.ts"
import type { Sources } from "./ReportContext.ts"
import * as WorkloadRows from "./WorkloadRows.ts"

/** Length of the previewed window. **Units** days. */
const DAYS = 7
/** Closed hours of a cluster held in memory at once. */
const HOURS_AT_ONCE = 6

/** A proposed price book, the histories to price with it, and the limits that it must meet to be saved. */
export interface Question {
  readonly book: PriceBook.PriceBook
  readonly clusters: ReadonlyArray<HistoryName>
  readonly limits: Omit<PriceChange.RevisionLimits, "nowMs">
}

/** Indexes into the cost columns by series key: of the closed hours of a cluster, and of its open hour. */
interface Places {
  readonly closed: ReadonlyMap<string, number>
  readonly open: ReadonlyMap<string, number>
}

type CostColumns = Readonly<Record<(typeof GroupTotals.COSTS)[number], Float64Array>>

const costColumns = (column: (cost: (typeof GroupTotals.COSTS)[number]) => Float64Array): CostColumns => ({
  cpuCostNanos: column("cpuCostNanos"),
  memoryCostNanos: column("memoryCostNanos"),
  gpuCostNanos: column("gpuCostNanos"),
  storageCostNanos: column("storageCostNanos"),
  networkCostNanos: column("networkCostNanos"),
  loadBalancerCostNanos: column("loadBalancerCostNanos")
})

/** The costs of an allocation set with one price book. **Shape** each column has one value per series. */
interface Costs {
  readonly history: PriceHistory.PriceHistory
  readonly columns: CostColumns
}

/** Fails if the book could not be saved. **Errors** `StalePriceBook`, `InvalidPriceBook`, `CostError`. */
export const judge = Effect.fnUntraced(function* ({ prices }: Sources, { book, limits }: Question) {
  const nowMs = yield* Clock.currentTimeMillis
  const history = yield* prices.history
  yield* Effect.fromResult(PriceChange.revise(history, book, { ...limits, nowMs }))
  return { history, nowMs }
})

/**
 * Computes the effect of a book.
 *
 * **Errors** as `judge`. **Limits** reads every closed hour, {@link HOURS_AT_ONCE} hours of one cluster at a time.
 */
export const of = Effect.fnUntraced(function* (sources: Sources, question: Question) {
  const { book, clusters } = question
  const { history, nowMs } = yield* judge(sources, question)
  const hours = yield* hoursOf(sources, clusters, nowMs)
  const reader = yield* AllocationSet.reader(clusters, sources)
  const recommendations = yield* sources.recommendations.recommendations(clusters.map(sources.histories.keyOf))
  const allocations = yield* reader.read(hours)
  const before = yield* costsOf(allocations, PriceHistory.current(history))
  const after = yield* costsOf(allocations, book)

  const charge = (places: ReadonlyMap<string, number>, hour: Hour): void => {
    const placeOf = hour.series.map((series) => places.get(keyOf(series)))
    for (const costs of [before, after]) addDifference(costs, hour, placeOf)
  }
  for (const [index, history] of clusters.entries()) {
    const cluster = clusterOf(history)
    const places = placesOf(allocations, index)
    const open = reader.openHour(history)
    const endMs = Math.min(hours.endMs, open?.startMs ?? hours.endMs)
    for (let startMs = hours.startMs; startMs < endMs; startMs += HOURS_AT_ONCE * HOUR_MS) {
      const batch = { startMs, endMs: Math.min(endMs, startMs + HOURS_AT_ONCE * HOUR_MS) }
      for (const hour of yield* sources.store.hours(sources.histories.keyOf(history), batch)) {
        charge(places.closed, { ...hour, cluster })
        yield* Effect.yieldNow
      }
    }
    if (open !== undefined && open.startMs >= hours.startMs) charge(places.open, open)
  }

  const pricedTotals = (costs: Costs) => totalsOf(withCosts(allocations, costs), sources, recommendations)
  const effect: PriceEffect = { before: yield* pricedTotals(before), after: yield* pricedTotals(after) }
  return effect
}, Effect.scoped)

/** Returns the hours of the last seven days, widened to whole days where only days are stored. */
const hoursOf = Effect.fnUntraced(function* (sources: Sources, clusters: ReadonlyArray<HistoryName>, nowMs: number) {
  const { hourlyDays, retentionDays } = sources.retention
  const fromMs = nowMs - Math.min(DAYS, retentionDays) * DAY_MS
  const hoursFromMs = yield* sources.hoursFromMs(clusters.map(sources.histories.keyOf))
  const range = { asked: {}, fromMs, toMs: nowMs, nowMs }
  const { hours } = Range.align(range, Range.hourlyFromMs(range, { hourlyDays, hoursFromMs }))
  return hours
})

const placesOf = ({ parts }: AllocationSet.AllocationSet, cluster: number): Places => {
  const closed = new Map<string, number>()
  const open = new Map<string, number>()
  for (const part of parts) {
    if (part.cluster !== cluster) continue
    const places = part.isOpen ? open : closed
    for (const [index, series] of part.series.entries()) places.set(keyOf(series), part.from + index)
  }
  return { closed, open }
}

/**
 * Returns the stored costs, to which {@link addDifference} then applies the book.
 *
 * Days of which only the daily sum is stored cannot be repriced, so they cost the same with both books.
 */
const costsOf = Effect.fnUntraced(function* (allocations: AllocationSet.AllocationSet, book: PriceBook.PriceBook) {
  const columns = costColumns((cost) => AllocationSet.columnOf(allocations, cost))
  yield* freeWithScope(Object.values(columns))
  const costs: Costs = { history: [{ sinceMs: 0, book }], columns }
  return costs
})

/**
 * Adds the difference between an hour's costs with the book and its stored costs.
 *
 * **Shape** `placeOf` has the index into the cost columns of each series of the hour.
 */
const addDifference = ({ columns, history }: Costs, hour: Hour, placeOf: ReadonlyArray<number | undefined>): void => {
  const charged = repriceBy(history, hour)
  for (const cost of GroupTotals.COSTS) {
    const [sums, now, before] = [columns[cost], charged.columns[cost], hour.columns[cost]]
    for (const [index, place] of placeOf.entries()) {
      if (place !== undefined) sums[place] = (sums[place] ?? 0) + (now[index] ?? 0) - (before[index] ?? 0)
    }
  }
}

/** Returns the allocation set with the costs of one book. */
const withCosts = (allocations: AllocationSet.AllocationSet, { columns }: Costs): AllocationSet.AllocationSet => ({
  ...allocations,
  parts: allocations.parts.map((part) => ({
    ...part,
    columns: {
      ...part.columns,
      ...costColumns((cost) => columns[cost].subarray(part.from, part.from + part.series.length))
    }
  }))
})

const totalsOf = Effect.fnUntraced(function* (
  allocations: AllocationSet.AllocationSet,
  { namesOf }: Sources,
  recommendations: Parameters<typeof WorkloadRows.join>[1]["recommendations"]
) {
  const rows = yield* WorkloadRows.join(allocations, { isVisible: () => true, namesOf, recommendations })
  const totals: PricedTotals = {
    ...GroupTotals.totalsAt(yield* WorkloadRows.total(rows), 0),
    idleCost: besideWorkloads(allocations) / NANOS_PER_UNIT
  }
  return totals
})

const besideWorkloads = ({ parts }: AllocationSet.AllocationSet): number => {
  let nanos = 0
  for (const { columns, series } of parts) {
    for (const [index, subject] of series.entries()) {
      if (isWorkload(subject)) continue
      for (const cost of GroupTotals.COSTS) nanos += columns[cost][index] ?? 0
    }
  }
  return nanos
}
