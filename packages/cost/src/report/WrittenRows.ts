/**
 * Writes the figures of a row, as a reply has them.
 */
import type { CostRow } from "../CostRow.ts"
import * as Ledger from "./Ledger.ts"
import type { Rows } from "./Rows.ts"
import * as Table from "./Table.ts"

/** Writes some rows behind those that are written. **Shape** in one go. */
export const write = (written: Array<CostRow>, rows: Rows, chosen: ReadonlyArray<number>): void => {
  // Most rows have one place, and nothing to add up.
  const several = chosen.filter((row) => hasSeveral(rows, row))
  const sums = summed(rows, several)
  let bin = 0
  for (const row of chosen) {
    const one = rowAt(rows, row, sums, several[bin] === row ? bin++ : -1)
    if (one !== undefined) written.push(one)
  }
}

const hasSeveral = ({ firstOf, nextOf }: Rows, row: number): boolean => (nextOf[firstOf[row] ?? -1] ?? -1) >= 0

/** Sums rows of several places, each in the bin of its place among them. */
const summed = ({ firstOf, ledger, nextOf }: Rows, chosen: ReadonlyArray<number>): Table.Table => {
  const table = Table.empty(chosen.length)
  const places: Array<Table.Placed> = []
  for (const [bin, row] of chosen.entries()) {
    for (let place = firstOf[row] ?? -1; place >= 0; place = nextOf[place] ?? -1) {
      const part = Ledger.partAt(ledger, place)
      if (part !== undefined) places.push({ bin, index: place - part.from, columns: part.columns })
    }
  }
  Table.addPlaces(table, places)
  return table
}

/**
 * Writes a row.
 *
 * **Shape** from its bin of `sums`, or, where that is below 0, from its only place. **Limits** makes nothing but the row: a
 * list of all of them has tens of thousands, so its figures are told here as `Table.totalsAt` tells those of a bin: spread
 * from an object of theirs, they take half as long again.
 */
const rowAt = (rows: Rows, row: number, sums: Table.Table, bin: number): CostRow | undefined => {
  const { firstOf, ledger, names, numberOf, savingsNanos } = rows
  const first = firstOf[row] ?? -1
  const part = Ledger.partAt(ledger, first)
  if (part === undefined) return undefined
  const [cluster, named] = [ledger.clusters[part.cluster], names[part.cluster]]
  const series = part.series[first - part.from]
  if (cluster === undefined || named === undefined || series === undefined) return undefined

  const isSum = bin >= 0
  const columns = isSum ? sums.columns : part.columns
  const place = isSum ? bin : first - part.from
  const cpuSeen = isSum ? (sums.cpuSeen[bin] ?? 0) : Table.seen(columns.cpuRequestedMilliSeconds, columns, place)
  const memorySeen = isSum ? (sums.memorySeen[bin] ?? 0) : Table.seen(columns.memoryRequestedKibSeconds, columns, place)

  const cpu = columns.cpuCostNanos[place] ?? 0
  const memory = columns.memoryCostNanos[place] ?? 0
  const gpu = columns.gpuCostNanos[place] ?? 0
  const storage = columns.storageCostNanos[place] ?? 0
  const network = columns.networkCostNanos[place] ?? 0
  const loadBalancer = columns.loadBalancerCostNanos[place] ?? 0
  const totalCost = Table.money(cpu + memory + gpu + storage + network + loadBalancer)
  const replicas = columns.replicaSeconds[place] ?? 0
  const spot = columns.spotSeconds[place] ?? 0
  const spotPercent = Table.percentOf(spot, replicas)
  const hoursExisted = Table.hours(columns.existedSeconds[place] ?? 0)
  const recommended = named.recommended()
  const number = numberOf[row] ?? 0
  return {
    id: `${cluster}/${named.keyOf(number)}`,
    cluster,
    namespace: series.namespace,
    workloadName: series.name,
    workloadType: series.kind,
    totalCost,
    cpuCost: Table.money(cpu),
    memoryCost: Table.money(memory),
    gpuCost: Table.money(gpu),
    storageCost: Table.money(storage),
    networkCost: Table.money(network),
    loadBalancerCost: Table.money(loadBalancer),
    hourlyCost: hoursExisted === 0 ? 0 : totalCost / hoursExisted,
    replicaHours: Table.hours(replicas),
    spotHours: Table.hours(spot),
    onDemandHours: Table.hours(replicas - spot),
    spotPercent,
    onDemandPercent: replicas === 0 ? 0 : 100 - spotPercent,
    cpuCoreHours: Table.coreHours(columns.cpuAllocatedMilliSeconds[place] ?? 0),
    memoryByteHours: Table.byteHours(columns.memoryAllocatedKibSeconds[place] ?? 0),
    cpuEfficiency: Table.efficiency(columns.cpuUsedMilliSeconds[place] ?? 0, cpuSeen, cpu),
    memoryEfficiency: Table.efficiency(columns.memoryUsedKibSeconds[place] ?? 0, memorySeen, memory),
    savingsAvailable: Table.money(savingsNanos[row] ?? 0),
    cpuRecommendedMillis: recommended.cpuMillis[number] ?? 0,
    memoryRecommendedBytes: recommended.memoryBytes[number] ?? 0,
    recommendationDays: recommended.days[number] ?? 0,
    hoursExisted,
    hoursCovered: Table.hours(columns.coveredSeconds[place] ?? 0)
  }
}
