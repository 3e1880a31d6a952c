/**
 * Joins the series of an allocation set to one row per workload, with the savings of each.
 */
import type { HistoryName } from "@quarterdeck/targeting/HistoryName"
import { Effect } from "effect"
import type { Measure } from "../hour/Measure.ts"
import type { ClusterRecommendations } from "../savings/RecommendationStore.ts"
import * as Savings from "../savings/Savings.ts"
import { isWorkload, type Series } from "../hour/Series.ts"
import { KIB_BYTES } from "../hour/Units.ts"
import { free, freeWithScope } from "../hour/Buffers.ts"
import * as AllocationSet from "./AllocationSet.ts"
import type { WorkloadIndex, WorkloadIndexOf, Recommended } from "./WorkloadIndex.ts"
import * as GroupTotals from "./GroupTotals.ts"

/**
 * The rows of a report, one per workload. Each row sums one or more places of the allocation set: one for each series
 * of the workload, in closed hours and in the open hour.
 *
 * **Shape** `rowOf` maps a place to its row, -1 for none. `firstOf` is a row's first place. `nextOf` is the next place of the
 * same row, -1 after the last. `numberOf` is the row's workload number in its cluster's index.
 */
export interface WorkloadRows {
  readonly allocations: AllocationSet.AllocationSet
  readonly names: ReadonlyArray<WorkloadIndex>
  readonly size: number
  readonly rowOf: Int32Array
  readonly firstOf: Int32Array
  readonly nextOf: Int32Array
  readonly numberOf: Int32Array
  readonly counts: ReadonlyArray<number>
  readonly totalNanos: Float64Array
  readonly savingsNanos: Float64Array
  readonly increaseNanos: Float64Array
}

/**
 * Joins the visible series to rows, which must not be used after the scope closes.
 *
 * **Limits** yields every {@link AllocationSet.SLICE} series.
 */
export const join = Effect.fnUntraced(function* (
  allocations: AllocationSet.AllocationSet,
  how: {
    readonly isVisible: (cluster: HistoryName, series: Series) => boolean
    readonly namesOf: WorkloadIndexOf
    readonly recommendations: ReadonlyArray<ClusterRecommendations>
  }
) {
  const { clusters, parts } = allocations
  const rowOf = new Int32Array(allocations.size).fill(-1)
  const nextOf = new Int32Array(allocations.size).fill(-1)
  const firstOf = new Int32Array(allocations.size)
  const lastOf = new Int32Array(allocations.size)
  const numberOf = new Int32Array(allocations.size)
  const counts: Array<number> = []
  const names: Array<WorkloadIndex> = []
  let size = 0
  for (const [index, cluster] of clusters.entries()) {
    const clusterParts = parts.filter((part) => part.cluster === index)
    const places = clusterParts.reduce((sum, { series }) => sum + series.length, 0)
    const named = how.namesOf(cluster, how.recommendations[index], places)
    const before = size
    let rowOfNumber = new Int32Array(0)
    for (const { from, series } of clusterParts) {
      const numbers = named.numbersOf(series)
      rowOfNumber = grown(rowOfNumber, named.size())
      for (let at = 0; at < series.length; at++) {
        const place = from + at
        if (place % AllocationSet.SLICE === AllocationSet.SLICE - 1) yield* Effect.yieldNow
        const candidate = series[at]
        if (candidate === undefined || !isWorkload(candidate) || !how.isVisible(cluster, candidate)) continue
        const number = numbers[at] ?? 0
        const known = rowOfNumber[number] ?? 0
        const row = known > 0 ? known - 1 : size
        rowOf[place] = row
        if (row < size) nextOf[lastOf[row] ?? 0] = place
        else {
          rowOfNumber[number] = row + 1
          firstOf[row] = place
          numberOf[row] = number
          size++
        }
        lastOf[row] = place
      }
    }
    names.push(named)
    counts.push(size - before)
  }
  const totalNanos = new Float64Array(size)
  const savingsNanos = new Float64Array(size)
  const increaseNanos = new Float64Array(size)
  const rows: WorkloadRows = {
    allocations,
    names,
    size,
    rowOf,
    firstOf,
    nextOf,
    numberOf,
    counts,
    totalNanos,
    savingsNanos,
    increaseNanos
  }
  for (const part of parts) {
    for (const cost of GroupTotals.COSTS) GroupTotals.addColumn(totalNanos, part.columns[cost], part, rowOf)
  }
  free([lastOf])
  yield* freeWithScope([firstOf, nextOf, numberOf, rowOf, savingsNanos, increaseNanos, totalNanos])
  yield* addSavings(rows)
  return rows
})

/** The sums that savings are computed from. Each column has one value per row. */
interface Spent {
  readonly cpuCosts: Float64Array
  readonly memoryCosts: Float64Array
  readonly cpus: Float64Array
  readonly memories: Float64Array
  readonly cpuRequests: Float64Array
  readonly memoryRequests: Float64Array
  readonly replicas: Float64Array
}

/** Fills in the savings and the cost increase of each row. */
const addSavings = Effect.fnUntraced(function* (rows: WorkloadRows) {
  const { counts, allocations, names, rowOf, size } = rows
  const sums = (measure: Measure): Float64Array => {
    const into = new Float64Array(size)
    for (const part of allocations.parts) GroupTotals.addColumn(into, part.columns[measure], part, rowOf)
    return into
  }
  const spent: Spent = {
    cpuCosts: sums("cpuCostNanos"),
    memoryCosts: sums("memoryCostNanos"),
    cpus: sums("cpuAllocatedMilliSeconds"),
    memories: sums("memoryAllocatedKibSeconds"),
    cpuRequests: sums("cpuRequestedMilliSeconds"),
    memoryRequests: sums("memoryRequestedKibSeconds"),
    replicas: sums("replicaSeconds")
  }
  let row = 0
  for (const [cluster, named] of names.entries()) {
    const recommended = named.recommended()
    const end = row + (counts[cluster] ?? 0)
    while (row < end) {
      const until = Math.min(end, row - (row % AllocationSet.SLICE) + AllocationSet.SLICE)
      fillSavings(rows, spent, recommended, { from: row, until })
      row = until
      if (row % AllocationSet.SLICE === 0) yield* Effect.yieldNow
    }
  }
  free(Object.values(spent))
})

/** Fills in the savings of some rows of one cluster. **Limits** allocates nothing per row. */
const fillSavings = (
  { increaseNanos, numberOf, savingsNanos }: WorkloadRows,
  { cpuCosts, cpuRequests, cpus, memories, memoryCosts, memoryRequests, replicas }: Spent,
  { cpuMillis, days, memoryBytes }: Recommended,
  { from, until }: { readonly from: number; readonly until: number }
): void => {
  for (let row = from; row < until; row++) {
    const number = numberOf[row] ?? 0
    const seconds = replicas[row] ?? 0
    if ((days[number] ?? 0) === 0 || seconds === 0) continue
    const memoryKib = (memoryBytes[number] ?? 0) / KIB_BYTES
    const cpu = Savings.ofResource(
      { costNanos: cpuCosts[row] ?? 0, allocated: cpus[row] ?? 0, requested: cpuRequests[row] ?? 0 },
      (cpuMillis[number] ?? 0) * seconds
    )
    const memory = Savings.ofResource(
      { costNanos: memoryCosts[row] ?? 0, allocated: memories[row] ?? 0, requested: memoryRequests[row] ?? 0 },
      memoryKib * seconds
    )
    savingsNanos[row] = Math.max(0, cpu) + Math.max(0, memory)
    increaseNanos[row] = Math.max(0, -cpu) + Math.max(0, -memory)
  }
}

/** Returns an array with at least `size` places. */
const grown = (numbers: Int32Array<ArrayBuffer>, size: number): Int32Array<ArrayBuffer> => {
  if (numbers.length >= size) return numbers
  const more = new Int32Array(size)
  more.set(numbers)
  return more
}

/** Returns the cost of each row in closed hours. */
export const closedNanos = Effect.fnUntraced(function* ({ allocations, rowOf, size, totalNanos }: WorkloadRows) {
  if (allocations.parts.every(({ isOpen }) => !isOpen)) return totalNanos
  const nanos = new Float64Array(size)
  for (const part of allocations.parts) {
    if (part.isOpen) continue
    for (const cost of GroupTotals.COSTS) GroupTotals.addColumn(nanos, part.columns[cost], part, rowOf)
    if (part.series.length > AllocationSet.SLICE) yield* Effect.yieldNow
  }
  return nanos
})

/** Returns the cost that each of `rows` has in `other`, found by id, or 0 if `other` lacks the row. */
export const nanosIn = Effect.fnUntraced(function* (other: WorkloadRows, rows: WorkloadRows) {
  const nanosOf = new Map<string, number>()
  for (let row = 0; row < other.size; row++) {
    if (row % AllocationSet.SLICE === AllocationSet.SLICE - 1) yield* Effect.yieldNow
    nanosOf.set(idOf(other, row), other.totalNanos[row] ?? 0)
  }
  const nanos = new Float64Array(rows.size)
  for (let row = 0; row < rows.size; row++) {
    if (row % AllocationSet.SLICE === AllocationSet.SLICE - 1) yield* Effect.yieldNow
    nanos[row] = nanosOf.get(idOf(rows, row)) ?? 0
  }
  return nanos
})

/** Returns the index of a row's cluster. */
export const clusterAt = ({ firstOf, allocations }: WorkloadRows, row: number): number =>
  AllocationSet.partAt(allocations, firstOf[row] ?? -1)?.cluster ?? 0

export const total = Effect.fnUntraced(function* ({ allocations, increaseNanos, rowOf, savingsNanos }: WorkloadRows) {
  const sums = GroupTotals.empty(1)
  for (const part of allocations.parts) {
    GroupTotals.addPart(sums, part, rowOf)
    if (part.series.length > AllocationSet.SLICE) yield* Effect.yieldNow
  }
  sums.savingsNanos[0] = GroupTotals.sumOf(savingsNanos)
  sums.increaseNanos[0] = GroupTotals.sumOf(increaseNanos)
  return sums
})

/** Returns a row's id: cluster, namespace, kind and name. */
export const idOf = (rows: WorkloadRows, row: number): string => {
  const index = clusterAt(rows, row)
  return `${rows.allocations.clusters[index] ?? ""}/${rows.names[index]?.keyOf(rows.numberOf[row] ?? 0) ?? ""}`
}
