/**
 * Report rows as a caller builds them: one for each workload, the dearest first.
 */
import type { ClusterSums } from "@quarterdeck/cost/CostStore"
import type { Measure } from "@quarterdeck/cost/Measure"
import type { Series } from "@quarterdeck/cost/Series"

export interface Row {
  readonly key: number
  readonly namespace: string
  readonly name: string
  totalCost: number
  cpuCost: number
  memoryCost: number
  cpuUsed: number
  memoryUsed: number
  replicaSeconds: number
}

const byCost = (a: Row, b: Row): number => b.totalCost - a.totalCost || a.key - b.key

/** The number at the end of a workload's name is its key among the samples. */
const keyOf = ({ name }: Series): number => Number(name.slice(name.lastIndexOf("-") + 1))

/** Rows of sums; several lives of a workload are one row. `keys` keeps what was found out about a series. */
export const fromSums = (sums: ReadonlyArray<ClusterSums>, keys: Map<Series, number>): ReadonlyArray<Row> => {
  const byKey: Array<Row | undefined> = []
  const rows: Array<Row> = []
  for (const { columns, series } of sums) {
    for (const [place, one] of series.entries()) {
      const key = keys.get(one) ?? keyOf(one)
      keys.set(one, key)
      const cpuCost = columns.cpuCostNanos[place] ?? 0
      const memoryCost = columns.memoryCostNanos[place] ?? 0
      const totalCost =
        cpuCost + memoryCost + (columns.storageCostNanos[place] ?? 0) + (columns.networkCostNanos[place] ?? 0)
      const row = byKey[key]
      if (row === undefined) {
        const made = {
          ...{ key, namespace: one.namespace, name: one.name, totalCost, cpuCost, memoryCost },
          cpuUsed: columns.cpuUsedMilliSeconds[place] ?? 0,
          memoryUsed: columns.memoryUsedKibSeconds[place] ?? 0,
          replicaSeconds: columns.replicaSeconds[place] ?? 0
        }
        byKey[key] = made
        rows.push(made)
        continue
      }
      row.totalCost += totalCost
      row.cpuCost += cpuCost
      row.memoryCost += memoryCost
      row.cpuUsed += columns.cpuUsedMilliSeconds[place] ?? 0
      row.memoryUsed += columns.memoryUsedKibSeconds[place] ?? 0
      row.replicaSeconds += columns.replicaSeconds[place] ?? 0
    }
  }
  return rows.toSorted(byCost)
}

/** Rows of sums by workload. */
export const fromColumns = (
  columns: ReadonlyMap<Measure, Float64Array>,
  names: ReadonlyArray<Pick<Row, "name" | "namespace">>
): ReadonlyArray<Row> => {
  const none = new Float64Array(0)
  const of = (measure: Measure): Float64Array => columns.get(measure) ?? none
  const [cpu, memory, storage, network] = [
    of("cpuCostNanos"),
    of("memoryCostNanos"),
    of("storageCostNanos"),
    of("networkCostNanos")
  ]
  const [cpuUsed, memoryUsed, replicas] = [of("cpuUsedMilliSeconds"), of("memoryUsedKibSeconds"), of("replicaSeconds")]
  return names
    .map(({ name, namespace }, key): Row => {
      const cpuCost = cpu[key] ?? 0
      const memoryCost = memory[key] ?? 0
      return {
        ...{ key, namespace, name, cpuCost, memoryCost },
        totalCost: cpuCost + memoryCost + (storage[key] ?? 0) + (network[key] ?? 0),
        cpuUsed: cpuUsed[key] ?? 0,
        memoryUsed: memoryUsed[key] ?? 0,
        replicaSeconds: replicas[key] ?? 0
      }
    })
    .toSorted(byCost)
}

/** The largest difference between two lists of rows, relative to what is compared. */
export const difference = (ours: ReadonlyArray<Row>, theirs: ReadonlyArray<Row>): number => {
  if (ours.length !== theirs.length) return Number.POSITIVE_INFINITY
  const byKey = new Map(theirs.map((row) => [row.key, row]))
  let most = 0
  for (const row of ours) {
    const other = byKey.get(row.key)
    if (other === undefined) return Number.POSITIVE_INFINITY
    for (const field of ["totalCost", "cpuCost", "cpuUsed", "memoryUsed", "replicaSeconds"] as const) {
      most = Math.max(most, Math.abs(row[field] - other[field]) / Math.max(1, Math.abs(other[field])))
    }
  }
  return most
}
