/**
 * The peer in memory: samples in typed arrays, summed in one pass.
 *
 * Shares no code with the service. The two share only their input, the hours.
 */
import { type Fact, FACTS } from "./history.ts"

/** A column of values per fact. */
export type Sums = Readonly<Record<Fact, Float64Array>>

/** Samples as columns: a key and the facts. An hour has one sample per workload. */
export interface Samples {
  readonly keys: Int32Array
  readonly columns: Sums
  /** The number of samples so far. */
  length: number
}

/** Makes a record with a value per fact. */
export const perFact = <A>(value: (fact: Fact) => A): Readonly<Record<Fact, A>> => ({
  cpuCostNanos: value("cpuCostNanos"),
  memoryCostNanos: value("memoryCostNanos"),
  storageCostNanos: value("storageCostNanos"),
  networkCostNanos: value("networkCostNanos"),
  replicaSeconds: value("replicaSeconds"),
  spotSeconds: value("spotSeconds"),
  cpuAllocatedMilliSeconds: value("cpuAllocatedMilliSeconds"),
  memoryAllocatedKibSeconds: value("memoryAllocatedKibSeconds"),
  cpuUsedMilliSeconds: value("cpuUsedMilliSeconds"),
  memoryUsedKibSeconds: value("memoryUsedKibSeconds"),
  cpuRequestedMilliSeconds: value("cpuRequestedMilliSeconds"),
  memoryRequestedKibSeconds: value("memoryRequestedKibSeconds"),
  cpuRequestedKnownMilliSeconds: value("cpuRequestedKnownMilliSeconds"),
  memoryRequestedKnownKibSeconds: value("memoryRequestedKnownKibSeconds"),
  storageKibSeconds: value("storageKibSeconds"),
  zoneEgressKib: value("zoneEgressKib"),
  internetEgressKib: value("internetEgressKib"),
  existedSeconds: value("existedSeconds"),
  coveredSeconds: value("coveredSeconds")
})

export const noSums = (size: number): Sums => perFact(() => new Float64Array(size))

export const empty = (capacity: number): Samples => ({
  keys: new Int32Array(capacity),
  columns: noSums(capacity),
  length: 0
})

/** Appends an hour of workloads, with keys from the given one on. */
export const add = (samples: Samples, columns: Sums, firstKey: number): void => {
  const size = columns.replicaSeconds.length
  for (let place = 0; place < size; place++) samples.keys[samples.length + place] = firstKey + place
  for (const fact of FACTS) samples.columns[fact].set(columns[fact], samples.length)
  samples.length += size
}

/** Adds samples to the sums of their keys, in one pass per column. */
export const addUp = (sums: Sums, { columns, keys }: Omit<Samples, "length">, from: number, to: number): void => {
  for (const fact of FACTS) addColumn(sums[fact], columns[fact], keys, from, to)
}

const addColumn = (into: Float64Array, column: Float64Array, keys: Int32Array, from: number, to: number): void => {
  for (let at = from; at < to; at++) {
    const key = keys[at] ?? 0
    into[key] = (into[key] ?? 0) + (column[at] ?? 0)
  }
}

/** Sums the values of all keys of a group, for each group. */
export const grouped = (sums: Sums, groupOf: Int32Array, groups: number): Sums =>
  perFact((fact) => {
    const into = new Float64Array(groups)
    addColumn(into, sums[fact], groupOf, 0, groupOf.length)
    return into
  })

/** Returns the cost at each index. **Units** billionths. */
export const costNanos = (sums: Sums): Float64Array =>
  sums.cpuCostNanos.map(
    (cpu, place) =>
      cpu
      + (sums.memoryCostNanos[place] ?? 0)
      + (sums.storageCostNanos[place] ?? 0)
      + (sums.networkCostNanos[place] ?? 0)
  )
