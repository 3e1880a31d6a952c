/**
 * Sums of an allocation set's places by bin: a bin is a row, a group, or all of them.
 */
import { Effect } from "effect"
import type { CostTotals, costFields } from "./CostRow.ts"
import { type Columns, columns, type Measure, measures } from "../hour/Measure.ts"
import { HOUR_SECONDS, KIB_BYTES, NANOS_PER_UNIT } from "../hour/Units.ts"
import { isWorkload } from "../hour/Series.ts"
import type { Part } from "./AllocationSet.ts"

/** Sums of all measures, one place a bin, in the units of the measures. */
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

/** Gives a table with room for more bins. **Limits** doubles, so that growing step by step costs no more than once. */
export const grown = (table: Table, size: number): Table => {
  if (size <= table.size) return table
  const more = empty(Math.max(size, 2 * table.size))
  for (const measure of measures) more.columns[measure].set(table.columns[measure])
  more.savingsNanos.set(table.savingsNanos)
  more.increaseNanos.set(table.increaseNanos)
  return more
}

/**
 * Adds places to their bins.
 *
 * A bin below 0 is none. What is no workload existed for no hours. **Limits** gives way to others part by part.
 */
export const add = Effect.fnUntraced(function* (table: Table, parts: ReadonlyArray<Part>, binOf: Int32Array) {
  for (const part of parts) {
    for (const measure of measures) addColumn(table.columns[measure], part.columns[measure], part, binOf)
    takeBeside(table, part, binOf)
    if (part.series.length > FEW) yield* Effect.yieldNow
  }
})

/** Series of a part that are soon added. */
const FEW = 1_000

/** Adds one column of a part to its bins. */
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

const takeBeside = ({ columns }: Table, { columns: own, from, series }: Part, binOf: Int32Array) => {
  for (let index = 0; index < series.length; index++) {
    const bin = binOf[from + index] ?? -1
    const existed = own.existedSeconds[index] ?? 0
    const one = series[index]
    if (bin < 0 || existed === 0 || one === undefined || isWorkload(one)) continue
    columns.existedSeconds[bin] = (columns.existedSeconds[bin] ?? 0) - existed
    columns.coveredSeconds[bin] = (columns.coveredSeconds[bin] ?? 0) - (own.coveredSeconds[index] ?? 0)
  }
}

/** Adds what workloads have in any bin to the first. */
export const addPart = (table: Table, part: Part, binOf: Int32Array): void => {
  const { columns, from, series } = part
  const bins = binOf.subarray(from, from + series.length)
  const isWhole = bins.every((bin) => bin >= 0)
  for (const measure of measures) {
    const values = columns[measure]
    table.columns[measure][0] = (table.columns[measure][0] ?? 0) + (isWhole ? sumOf(values) : sumIn(values, bins))
  }
}

/** Sums what is in any bin. */
const sumIn = (values: Float64Array, bins: Int32Array): number => {
  let sum = 0
  for (let index = 0; index < bins.length; index++) if ((bins[index] ?? -1) >= 0) sum += values[index] ?? 0
  return sum
}

/** One place of a part, and where it is added. */
export interface Placed {
  readonly bin: number
  readonly index: number
  readonly columns: Columns
}

/** Adds some places of workloads to their bins. */
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

/** Gives what each bin cost in all. **Units** billionths. */
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

/** Gives the costs of a place. */
export const costsAt = (columns: Columns, place: number): Readonly<Costs> => {
  const costs = noCosts()
  tellCosts(costs, columns, place)
  return costs
}

const tellCosts = (costs: Costs, columns: Columns, place: number): void => {
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

/** Figures that others overwrite: who tells many makes one of these. */
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

/** Gives the figures of a bin. */
export const totalsAt = ({ columns, increaseNanos, savingsNanos }: Table, bin: number): CostTotals => {
  const figures = noFigures()
  tell(figures, columns, bin, { savingsNanos: savingsNanos[bin] ?? 0, increaseNanos: increaseNanos[bin] ?? 0 })
  return figures
}

/** What the recommended requests would change. **Units** billionths. */
interface Advised {
  readonly savingsNanos: number
  readonly increaseNanos: number
}

/** Overwrites figures with those of sums. */
export const tell = (figures: Figures, columns: Columns, place: number, advised: Advised): void => {
  tellCosts(figures, columns, place)
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
  tellEfficiency(figures, columns, place)
  figures.savingsAvailable = money(advised.savingsNanos)
  figures.costIncrease = money(advised.increaseNanos)
  figures.hoursExisted = hours(columns.existedSeconds[place] ?? 0)
  figures.hoursCovered = hours(columns.coveredSeconds[place] ?? 0)
}

/** Converts thousandths of a core (or GPU), times seconds, to core-hours (or GPU-hours). */
export const coreHours = (milliSeconds: number): number => milliSeconds / (1_000 * HOUR_SECONDS)
/** Converts KiB times seconds to byte-hours. */
export const byteHours = (kibSeconds: number): number => (kibSeconds * KIB_BYTES) / HOUR_SECONDS

const tellEfficiency = (figures: Figures, columns: Columns, place: number): void => {
  const cpuRequested = columns.cpuRequestedKnownMilliSeconds[place] ?? 0
  const cpuUsed = columns.cpuUsedMilliSeconds[place] ?? 0
  const memoryRequested = columns.memoryRequestedKnownKibSeconds[place] ?? 0
  const memoryUsed = columns.memoryUsedKibSeconds[place] ?? 0
  figures.cpuRequestedCoreHours = coreHours(cpuRequested)
  figures.cpuUsedCoreHours = coreHours(cpuUsed)
  figures.memoryRequestedByteHours = byteHours(memoryRequested)
  figures.memoryUsedByteHours = byteHours(memoryUsed)
  // Covered time is rounded down: less than a second of it may have usage all the same.
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
 * Compares what was used with what was requested meanwhile.
 *
 * **Source** OpenCost `CPUEfficiency`, `RAMEfficiency` (`core/pkg/opencost/allocation.go`): mean usage by mean request;
 * without a request 1 where something was used and cost something, else 0.
 */
const ratio = (used: number, requested: number, cost: number): number =>
  requested > 0 ? used / requested : used > 0 && cost > 0 ? 1 : 0
