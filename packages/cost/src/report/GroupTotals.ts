/**
 * Sums the series of an allocation set into bins. A bin is one row, one group, or the whole report. `binOf` has the bin
 * of each series, at the index of the series in the set; a negative number means no bin.
 */
import { Effect } from "effect"
import type { CostTotals, costFields } from "./CostRow.ts"
import { type Columns, columns, type Measure, measures } from "../hour/Measure.ts"
import { HOUR_SECONDS, KIB_BYTES, NANOS_PER_UNIT } from "../hour/Units.ts"
import { isWorkload } from "../hour/Series.ts"
import type { Part } from "./AllocationSet.ts"

/** Sums of all measures in the units of the measures. Each column has one value per bin. */
export interface Table {
  readonly size: number
  readonly columns: Columns
  readonly savingsNanos: Float64Array
  readonly increaseNanos: Float64Array
}

export const COSTS = [
  "cpuCostNanos",
  "memoryCostNanos",
  "gpuCostNanos",
  "storageCostNanos",
  "networkCostNanos",
  "loadBalancerCostNanos"
] as const satisfies ReadonlyArray<Measure>

export const empty = (size: number): Table => ({
  size,
  columns: columns(size),
  savingsNanos: new Float64Array(size),
  increaseNanos: new Float64Array(size)
})

/** Returns a table with room for at least `size` bins. **Limits** doubles the size, so that repeated growth stays linear. */
export const grown = (table: Table, size: number): Table => {
  if (size <= table.size) return table
  const more = empty(Math.max(size, 2 * table.size))
  for (const measure of measures) more.columns[measure].set(table.columns[measure])
  more.savingsNanos.set(table.savingsNanos)
  more.increaseNanos.set(table.increaseNanos)
  return more
}

/**
 * Adds the measures of all series to their bins.
 *
 * Series with a bin below 0 are skipped. `existedSeconds` and `coveredSeconds` count workloads only. **Limits** yields
 * after each large part.
 */
export const add = Effect.fnUntraced(function* (table: Table, parts: ReadonlyArray<Part>, binOf: Int32Array) {
  for (const part of parts) {
    for (const measure of measures) addColumn(table.columns[measure], part.columns[measure], part, binOf)
    subtractNonWorkloadHours(table, part, binOf)
    if (part.series.length > FEW) yield* Effect.yieldNow
  }
})

/** Largest part that is added without a yield. **Units** series. */
const FEW = 1_000

/** Adds one column of a part to `into`: the value of each series to the bin of that series. */
export const addColumn = (
  into: Float64Array,
  values: Float64Array,
  { from, series }: Part,
  binOf: Int32Array
): void => {
  for (let index = 0; index < series.length; index++) {
    const bin = binOf[from + index] ?? -1
    if (bin >= 0) into[bin] = (into[bin] ?? 0) + (values[index] ?? 0)
  }
}

const subtractNonWorkloadHours = (
  { columns }: Table,
  { columns: partColumns, from, series }: Part,
  binOf: Int32Array
) => {
  for (let index = 0; index < series.length; index++) {
    const bin = binOf[from + index] ?? -1
    const existed = partColumns.existedSeconds[index] ?? 0
    const subject = series[index]
    if (bin < 0 || existed === 0 || subject === undefined || isWorkload(subject)) continue
    columns.existedSeconds[bin] = (columns.existedSeconds[bin] ?? 0) - existed
    columns.coveredSeconds[bin] = (columns.coveredSeconds[bin] ?? 0) - (partColumns.coveredSeconds[index] ?? 0)
  }
}

/** Sums all series of a part whose bin is 0 or above into bin 0. All of these series must belong to workloads. */
export const addPart = (table: Table, part: Part, binOf: Int32Array): void => {
  const { columns, from, series } = part
  const bins = binOf.subarray(from, from + series.length)
  const isWhole = bins.every((bin) => bin >= 0)
  for (const measure of measures) {
    const values = columns[measure]
    table.columns[measure][0] = (table.columns[measure][0] ?? 0) + (isWhole ? sumOf(values) : sumIn(values, bins))
  }
}

/** Sums the values whose bin is 0 or above. */
const sumIn = (values: Float64Array, bins: Int32Array): number => {
  let sum = 0
  for (let index = 0; index < bins.length; index++) if ((bins[index] ?? -1) >= 0) sum += values[index] ?? 0
  return sum
}

/** One series of a part, at `index` of its columns, and the bin that it is added to. */
export interface Placed {
  readonly bin: number
  readonly index: number
  readonly columns: Columns
}

/** Adds single series to their bins. All of them must belong to workloads. */
export const addPlaces = (table: Table, places: ReadonlyArray<Placed>): void => {
  const into = measures.map((measure) => table.columns[measure])
  const columnsOf = new Map<Columns, ReadonlyArray<Float64Array>>()
  for (const { bin, columns, index } of places) {
    let values = columnsOf.get(columns)
    if (values === undefined) {
      values = measures.map((measure) => columns[measure])
      columnsOf.set(columns, values)
    }
    for (let at = 0; at < into.length; at++) {
      const sums = into[at]
      if (sums !== undefined) sums[bin] = (sums[bin] ?? 0) + (values[at]?.[index] ?? 0)
    }
  }
}

/** Sums all bins into one. */
export const total = (table: Table): Table => {
  const sums = empty(1)
  for (const measure of measures) sums.columns[measure][0] = sumOf(table.columns[measure])
  sums.savingsNanos[0] = sumOf(table.savingsNanos)
  sums.increaseNanos[0] = sumOf(table.increaseNanos)
  return sums
}

export const sumOf = (values: Float64Array): number => {
  let all = 0
  for (let place = 0; place < values.length; place++) all += values[place] ?? 0
  return all
}

/** Returns the total cost of each bin. **Units** billionths of the currency. */
export const totalNanos = ({ columns, size }: Pick<Table, "columns" | "size">): Float64Array => {
  const totals = new Float64Array(size)
  for (const cost of COSTS) {
    const values = columns[cost]
    for (let place = 0; place < size; place++) totals[place] = (totals[place] ?? 0) + (values[place] ?? 0)
  }
  return totals
}

const hours = (seconds: number): number => seconds / HOUR_SECONDS
const money = (nanos: number): number => nanos / NANOS_PER_UNIT
const percentOf = (part: number, whole: number): number => (whole === 0 ? 0 : Math.min(100, (part / whole) * 100))

type Costs = { -readonly [Name in keyof typeof costFields]: number }

const noCosts = (): Costs => ({
  totalCost: 0,
  cpuCost: 0,
  memoryCost: 0,
  gpuCost: 0,
  storageCost: 0,
  networkCost: 0,
  loadBalancerCost: 0
})

export const costsAt = (columns: Columns, place: number): Readonly<Costs> => {
  const costs = noCosts()
  writeCosts(costs, columns, place)
  return costs
}

const writeCosts = (costs: Costs, columns: Columns, place: number): void => {
  const cpu = columns.cpuCostNanos[place] ?? 0
  const memory = columns.memoryCostNanos[place] ?? 0
  const gpu = columns.gpuCostNanos[place] ?? 0
  const storage = columns.storageCostNanos[place] ?? 0
  const network = columns.networkCostNanos[place] ?? 0
  const loadBalancer = columns.loadBalancerCostNanos[place] ?? 0
  costs.totalCost = money(cpu + memory + gpu + storage + network + loadBalancer)
  costs.cpuCost = money(cpu)
  costs.memoryCost = money(memory)
  costs.gpuCost = money(gpu)
  costs.storageCost = money(storage)
  costs.networkCost = money(network)
  costs.loadBalancerCost = money(loadBalancer)
}

/** Mutable figures. A caller that writes many rows reuses one object. */
export type Figures = { -readonly [Name in keyof CostTotals]: CostTotals[Name] }

export const noFigures = (): Figures => ({
  ...noCosts(),
  replicaHours: 0,
  spotHours: 0,
  onDemandHours: 0,
  spotPercent: 0,
  onDemandPercent: 0,
  cpuCoreHours: 0,
  memoryByteHours: 0,
  cpuRequestedCoreHours: 0,
  cpuUsedCoreHours: 0,
  memoryRequestedByteHours: 0,
  memoryUsedByteHours: 0,
  cpuEfficiency: null,
  memoryEfficiency: null,
  efficiency: null,
  savingsAvailable: 0,
  costIncrease: 0,
  hoursExisted: 0,
  hoursCovered: 0
})

export const totalsAt = ({ columns, increaseNanos, savingsNanos }: Table, bin: number): CostTotals => {
  const figures = noFigures()
  writeFigures(figures, columns, bin, { savingsNanos: savingsNanos[bin] ?? 0, increaseNanos: increaseNanos[bin] ?? 0 })
  return figures
}

/** Effect of the recommended requests on costs. **Units** billionths of the currency. */
interface CostChange {
  readonly savingsNanos: number
  readonly increaseNanos: number
}

/** Overwrites `figures` with those of one bin or series. **Shape** `place` is its index in the columns. */
export const writeFigures = (figures: Figures, columns: Columns, place: number, change: CostChange): void => {
  writeCosts(figures, columns, place)
  const replicas = columns.replicaSeconds[place] ?? 0
  const spot = columns.spotSeconds[place] ?? 0
  const spotPercent = percentOf(spot, replicas)
  figures.replicaHours = hours(replicas)
  figures.spotHours = hours(spot)
  figures.onDemandHours = hours(replicas - spot)
  figures.spotPercent = spotPercent
  figures.onDemandPercent = replicas === 0 ? 0 : 100 - spotPercent
  figures.cpuCoreHours = coreHours(columns.cpuAllocatedMilliSeconds[place] ?? 0)
  figures.memoryByteHours = byteHours(columns.memoryAllocatedKibSeconds[place] ?? 0)
  writeEfficiency(figures, columns, place)
  figures.savingsAvailable = money(change.savingsNanos)
  figures.costIncrease = money(change.increaseNanos)
  figures.hoursExisted = hours(columns.existedSeconds[place] ?? 0)
  figures.hoursCovered = hours(columns.coveredSeconds[place] ?? 0)
}

/** Converts millicore-seconds to core-hours, and milli-GPU-seconds to GPU-hours. */
export const coreHours = (milliSeconds: number): number => milliSeconds / (1_000 * HOUR_SECONDS)
/** Converts KiB-seconds to byte-hours. */
export const byteHours = (kibSeconds: number): number => (kibSeconds * KIB_BYTES) / HOUR_SECONDS

const writeEfficiency = (figures: Figures, columns: Columns, place: number): void => {
  const cpuRequested = columns.cpuRequestedKnownMilliSeconds[place] ?? 0
  const cpuUsed = columns.cpuUsedMilliSeconds[place] ?? 0
  const memoryRequested = columns.memoryRequestedKnownKibSeconds[place] ?? 0
  const memoryUsed = columns.memoryUsedKibSeconds[place] ?? 0
  figures.cpuRequestedCoreHours = coreHours(cpuRequested)
  figures.cpuUsedCoreHours = coreHours(cpuUsed)
  figures.memoryRequestedByteHours = byteHours(memoryRequested)
  figures.memoryUsedByteHours = byteHours(memoryUsed)
  // Covered time is rounded down to whole seconds. Less than a second counts as 0, but can have usage.
  const isKnown =
    (columns.coveredSeconds[place] ?? 0) > 0 || cpuRequested + cpuUsed > 0 || memoryRequested + memoryUsed > 0
  const { cpuCost, memoryCost } = figures
  const cpu = isKnown ? ratio(cpuUsed, cpuRequested, cpuCost) : null
  const memory = isKnown ? ratio(memoryUsed, memoryRequested, memoryCost) : null
  const cost = cpuCost + memoryCost
  figures.cpuEfficiency = cpu
  figures.memoryEfficiency = memory
  figures.efficiency =
    cpu === null || memory === null || cost <= 0 ? null : (cpu * cpuCost + memory * memoryCost) / cost
}

/**
 * Returns usage divided by request.
 *
 * **Source** OpenCost `CPUEfficiency`, `RAMEfficiency` (`core/pkg/opencost/allocation.go`): without a request, 1 if there was
 * usage and a cost, else 0.
 */
const ratio = (used: number, requested: number, cost: number): number =>
  requested > 0 ? used / requested : used > 0 && cost > 0 ? 1 : 0
