/**
 * The usage samples of an open hour in packed form, one block per sampling.
 */
import type { UsageSlices } from "../allocation/HourFacts.ts"

/**
 * The usage of all containers at one sampling.
 *
 * **Shape** each column has one value per container. `containers` has the numbers of the containers within the hour.
 * **Units** `from` and `to` in milliseconds since the hour began; millicores; bytes.
 */
export interface UsageBlock {
  readonly containers: Uint32Array
  readonly from: Int32Array
  readonly to: Int32Array
  readonly cpuMillis: Float32Array
  readonly memoryBytes: Float64Array
}

/** One sample. **Units** those of {@link UsageBlock}. */
export interface UsageRow {
  readonly container: number
  readonly from: number
  readonly to: number
  readonly cpuMillis: number
  readonly memoryBytes: number
}

/** Packs samples into columns. **Limits** 24 bytes per sample. */
export const pack = (rows: ReadonlyArray<UsageRow>): UsageBlock => ({
  containers: Uint32Array.from(rows, (row) => row.container),
  from: Int32Array.from(rows, (row) => row.from),
  to: Int32Array.from(rows, (row) => row.to),
  cpuMillis: Float32Array.from(rows, (row) => row.cpuMillis),
  memoryBytes: Float64Array.from(rows, (row) => row.memoryBytes)
})

/** Returns each sampled container's slices, by container number. **Units** milliseconds since the epoch. */
export const slicesOf = (blocks: ReadonlyArray<UsageBlock>, startMs: number): ReadonlyMap<number, UsageSlices> => {
  const counts = new Map<number, number>()
  let total = 0
  for (const { containers } of blocks) {
    total += containers.length
    for (const container of containers) counts.set(container, (counts.get(container) ?? 0) + 1)
  }
  const columns = {
    fromMs: new Float64Array(total),
    toMs: new Float64Array(total),
    cpuMillis: new Float64Array(total),
    memoryBytes: new Float64Array(total)
  }
  const next = new Map<number, number>()
  const slices = new Map<number, UsageSlices>()
  let first = 0
  for (const [container, count] of counts) {
    const end = first + count
    next.set(container, first)
    slices.set(container, {
      fromMs: columns.fromMs.subarray(first, end),
      toMs: columns.toMs.subarray(first, end),
      cpuMillis: columns.cpuMillis.subarray(first, end),
      memoryBytes: columns.memoryBytes.subarray(first, end)
    })
    first = end
  }
  for (const { containers, cpuMillis, from, memoryBytes, to } of blocks) {
    for (let index = 0; index < containers.length; index++) {
      const container = containers[index] ?? 0
      const place = next.get(container) ?? 0
      next.set(container, place + 1)
      columns.fromMs[place] = startMs + (from[index] ?? 0)
      columns.toMs[place] = startMs + (to[index] ?? 0)
      columns.cpuMillis[place] = cpuMillis[index] ?? 0
      columns.memoryBytes[place] = memoryBytes[index] ?? 0
    }
  }
  return slices
}
