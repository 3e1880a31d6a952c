/**
 * Joins the places of a ledger to workloads, one row for each, with what could be saved of it.
 */
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Effect } from "effect"
import type { CostRow, CostTotals } from "../CostRow.ts"
import type { ClusterRecommendations } from "../RecommendationStore.ts"
import * as Savings from "../Savings.ts"
import { isWorkload, type Series } from "../Series.ts"
import * as Ledger from "./Ledger.ts"
import type { Names, NamesOf } from "./Names.ts"
import * as Table from "./Table.ts"

/**
 * **Shape** `rowOf` is -1 for places that are in no row. `firstOf` is the first place of each row, `nextOf` of each place
 * the next of its row, -1 behind the last, and `numberOf` the row's number among the names of its cluster.
 */
export interface Rows {
  readonly ledger: Ledger.Ledger
  readonly names: ReadonlyArray<Names>
  readonly size: number
  readonly rowOf: Int32Array
  readonly firstOf: Int32Array
  readonly nextOf: Int32Array
  readonly numberOf: Int32Array
  readonly counts: ReadonlyArray<number>
  readonly totalNanos: Float64Array
  readonly savingsNanos: Float64Array
}

/** Makes the rows of what is visible. **Limits** gives way to others every {@link Ledger.SLICE} places. */
export const join = Effect.fnUntraced(function* (
  ledger: Ledger.Ledger,
  how: {
    readonly isVisible: (cluster: ClusterName, series: Series) => boolean
    readonly namesOf: NamesOf
    readonly recommendations: ReadonlyArray<ClusterRecommendations>
  }
) {
  const { clusters, parts } = ledger
  const rowOf = new Int32Array(ledger.size).fill(-1)
  const nextOf = new Int32Array(ledger.size).fill(-1)
  const firstOf = new Int32Array(ledger.size)
  const lastOf = new Int32Array(ledger.size)
  const numberOf = new Int32Array(ledger.size)
  const counts: Array<number> = []
  const names: Array<Names> = []
  let size = 0
  for (const [index, cluster] of clusters.entries()) {
    const own = parts.filter((part) => part.cluster === index)
    const places = own.reduce((sum, { series }) => sum + series.length, 0)
    const named = how.namesOf(cluster, how.recommendations[index], places)
    const rowOfNumber: Array<number> = []
    const before = size
    for (const { from, series } of own) {
      const numbers = named.numbersOf(series)
      for (let at = 0; at < series.length; at++) {
        const place = from + at
        if (place % Ledger.SLICE === Ledger.SLICE - 1) yield* Effect.yieldNow
        const one = series[at]
        if (one === undefined || !isWorkload(one) || !how.isVisible(cluster, one)) continue
        const number = numbers[at] ?? 0
        const row = rowOfNumber[number] ?? size
        rowOf[place] = row
        if (row < size) nextOf[lastOf[row] ?? 0] = place
        else {
          rowOfNumber[number] = row
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
  const rows: Rows = { ledger, names, size, rowOf, firstOf, nextOf, numberOf, counts, totalNanos, savingsNanos }
  for (const part of parts) {
    for (const cost of Table.COSTS) Table.addColumn(totalNanos, part.columns[cost], part, rowOf)
  }
  yield* addSavings(rows)
  return rows
})

/** What savings are told from, and the sums of rows that they are told from. */
const SPENT = [
  "cpuCostNanos",
  "memoryCostNanos",
  "cpuAllocatedMilliSeconds",
  "memoryAllocatedKibSeconds",
  "replicaSeconds"
] as const

/** Notes what could be saved of each row. */
const addSavings = Effect.fnUntraced(function* ({ counts, ledger, names, numberOf, rowOf, savingsNanos, size }: Rows) {
  const [cpuCosts, memoryCosts, cpus, memories, replicas] = SPENT.map((measure) => {
    const sums = new Float64Array(size)
    for (const part of ledger.parts) Table.addColumn(sums, part.columns[measure], part, rowOf)
    return sums
  })
  let row = 0
  for (const [cluster, named] of names.entries()) {
    const { cpuMillis, days, memoryBytes } = named.recommended()
    for (const end = row + (counts[cluster] ?? 0); row < end; row++) {
      if (row % Ledger.SLICE === Ledger.SLICE - 1) yield* Effect.yieldNow
      const number = numberOf[row] ?? 0
      const recommendation = {
        cpuRecommendedMillis: cpuMillis[number] ?? 0,
        memoryRecommendedBytes: memoryBytes[number] ?? 0,
        recommendationDays: days[number] ?? 0
      }
      const spent = {
        cpuCostNanos: cpuCosts?.[row] ?? 0,
        memoryCostNanos: memoryCosts?.[row] ?? 0,
        cpuAllocatedMilliSeconds: cpus?.[row] ?? 0,
        memoryAllocatedKibSeconds: memories?.[row] ?? 0,
        replicaSeconds: replicas?.[row] ?? 0
      }
      savingsNanos[row] = Savings.nanos(spent, recommendation)
    }
  }
})

const clusterAt = ({ firstOf, ledger }: Rows, row: number): number =>
  Ledger.partAt(ledger, firstOf[row] ?? -1)?.cluster ?? 0

/** Sums all rows. */
export const total = Effect.fnUntraced(function* ({ ledger, rowOf, savingsNanos }: Rows) {
  const sums = Table.empty(1)
  for (const part of ledger.parts) {
    Table.addPart(sums, part, rowOf)
    if (part.series.length > Ledger.SLICE) yield* Effect.yieldNow
  }
  sums.savingsNanos[0] = Table.sumOf(savingsNanos)
  return sums
})

/** Gives the figures of rows. **Shape** most rows have one place, and nothing to add up. */
const figuresOf = (rows: Rows, chosen: ReadonlyArray<number>): ReadonlyArray<CostTotals> => {
  const { firstOf, ledger, nextOf, savingsNanos } = rows
  const isSum = (row: number): boolean => (nextOf[firstOf[row] ?? -1] ?? -1) >= 0
  const sums = summed(rows, chosen.filter(isSum))
  let bin = 0
  return chosen.flatMap((row) => {
    if (isSum(row)) return [Table.totalsAt(sums, bin++)]
    const place = firstOf[row] ?? -1
    const part = Ledger.partAt(ledger, place)
    return part === undefined ? [] : [Table.figuresAt(part.columns, place - part.from, savingsNanos[row] ?? 0)]
  })
}

/** Sums some rows, each in the bin of its place among them. */
const summed = ({ firstOf, ledger, nextOf, savingsNanos }: Rows, chosen: ReadonlyArray<number>): Table.Table => {
  const table = Table.empty(chosen.length)
  const places: Array<Table.Placed> = []
  for (const [bin, row] of chosen.entries()) {
    table.savingsNanos[bin] = savingsNanos[row] ?? 0
    for (let place = firstOf[row] ?? -1; place >= 0; place = nextOf[place] ?? -1) {
      const part = Ledger.partAt(ledger, place)
      if (part !== undefined) places.push({ bin, index: place - part.from, columns: part.columns })
    }
  }
  Table.addPlaces(table, places)
  return table
}

/** Names a row: cluster, namespace, kind and name. */
export const idOf = (rows: Rows, row: number): string => {
  const index = clusterAt(rows, row)
  return `${rows.ledger.clusters[index] ?? ""}/${rows.names[index]?.keyOf(rows.numberOf[row] ?? 0) ?? ""}`
}

/** Writes rows out. **Limits** gives way to others every {@link WRITTEN_AT_ONCE} rows. */
export const rowsAt = Effect.fnUntraced(function* (rows: Rows, chosen: ReadonlyArray<number>) {
  const written: Array<CostRow> = []
  for (let from = 0; from < chosen.length; from += WRITTEN_AT_ONCE) {
    if (from > 0) yield* Effect.yieldNow
    write(written, rows, chosen.slice(from, from + WRITTEN_AT_ONCE))
  }
  return written
})

const WRITTEN_AT_ONCE = 1_000

const write = (written: Array<CostRow>, rows: Rows, chosen: ReadonlyArray<number>): void => {
  const { firstOf, ledger, names, numberOf } = rows
  const figuresOfRows = figuresOf(rows, chosen)
  for (const [at, row] of chosen.entries()) {
    const index = clusterAt(rows, row)
    const [cluster, named, series] = [ledger.clusters[index], names[index], Ledger.seriesAt(ledger, firstOf[row] ?? -1)]
    if (cluster === undefined || named === undefined || series === undefined) continue
    const recommended = named.recommended()
    const number = numberOf[row] ?? 0
    const figures = figuresOfRows[at]
    if (figures === undefined) continue
    written.push({
      id: idOf(rows, row),
      cluster,
      namespace: series.namespace,
      workloadName: series.name,
      workloadType: series.kind,
      totalCost: figures.totalCost,
      cpuCost: figures.cpuCost,
      memoryCost: figures.memoryCost,
      gpuCost: figures.gpuCost,
      storageCost: figures.storageCost,
      networkCost: figures.networkCost,
      loadBalancerCost: figures.loadBalancerCost,
      hourlyCost: figures.hoursExisted === 0 ? 0 : figures.totalCost / figures.hoursExisted,
      replicaHours: figures.replicaHours,
      spotHours: figures.spotHours,
      onDemandHours: figures.onDemandHours,
      spotPercent: figures.spotPercent,
      onDemandPercent: figures.onDemandPercent,
      cpuCoreHours: figures.cpuCoreHours,
      memoryByteHours: figures.memoryByteHours,
      cpuEfficiency: figures.cpuEfficiency,
      memoryEfficiency: figures.memoryEfficiency,
      savingsAvailable: figures.savingsAvailable,
      cpuRecommendedMillis: recommended.cpuMillis[number] ?? 0,
      memoryRecommendedBytes: recommended.memoryBytes[number] ?? 0,
      recommendationDays: recommended.days[number] ?? 0,
      hoursExisted: figures.hoursExisted,
      hoursCovered: figures.hoursCovered
    })
  }
}
