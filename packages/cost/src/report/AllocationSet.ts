/**
 * The summed allocations of all target clusters in one window, closed hours and the open hour, as one set of columns.
 */
import type { HistoryName } from "@quarterdeck/targeting/HistoryName"
import { Effect, Option, type Scope } from "effect"
import type { CostError } from "../hour/CostError.ts"
import type { CostStore } from "../store/CostStore.ts"
import type { Hour } from "../hour/Hour.ts"
import { freeWithScope } from "../hour/Buffers.ts"
import type { Columns, Measure } from "../hour/Measure.ts"
import type { CostHistories } from "./CostHistories.ts"
import type { OpenHours } from "./OpenHours.ts"
import type { Series } from "../hour/Series.ts"
import type { Window } from "../hour/Window.ts"

/** Number of series that are processed before the fiber yields: about a millisecond of work. */
export const SLICE = 4_096

/**
 * The sums of one cluster over its closed hours, or over its open hour. `from` is the index of the part's first series
 * among all series of the set.
 */
export interface Part {
  /** Index in the set's `clusters`. */
  readonly cluster: number
  readonly from: number
  readonly series: ReadonlyArray<Series>
  readonly columns: Columns
  readonly isOpen: boolean
}

/**
 * The allocations of all target clusters in one window, by column.
 *
 * **Shape** a place is one series of one part; there are `size` places. `partOf` maps a place to the index of its part. Parts
 * of one cluster are adjacent, in the order of `clusters`. `knownSeconds` has one entry per cluster.
 */
export interface AllocationSet {
  readonly clusters: ReadonlyArray<HistoryName>
  readonly knownSeconds: ReadonlyArray<number>
  readonly size: number
  readonly parts: ReadonlyArray<Part>
  readonly partOf: Int32Array
}

export const partAt = ({ partOf, parts }: AllocationSet, place: number): Part | undefined => parts[partOf[place] ?? -1]

export const seriesAt = (allocations: AllocationSet, place: number): Series | undefined => {
  const part = partAt(allocations, place)
  return part?.series[place - part.from]
}

/** Returns the values of a measure for all series of the set as one column. */
export const columnOf = ({ parts, size }: AllocationSet, measure: Measure): Float64Array => {
  const values = new Float64Array(size)
  for (const { columns, from } of parts) values.set(columns[measure], from)
  return values
}

type Summed = Pick<Part, "series" | "columns" | "isOpen"> & { readonly knownSeconds: number }

/** Reads the allocation sets of one report. All of them use the same snapshot of the open hours. */
export interface AllocationReader {
  /** Reads a window. The allocation set must not be used after the scope closes. */
  readonly read: (window: Window) => Effect.Effect<AllocationSet, CostError, Scope.Scope>
  /** Returns the start of a cluster's open hour. **Units** milliseconds since the epoch. */
  readonly openFromMs: (cluster: HistoryName) => number | undefined
  readonly openHour: (cluster: HistoryName) => Hour | undefined
}

interface Sources {
  readonly store: CostStore["Service"]
  readonly openHours: OpenHours["Service"]
  readonly histories: Pick<CostHistories["Service"], "keyOf">
}

/**
 * Creates a reader.
 *
 * Reads the open hours first. Closed hours are then read only up to the start of the cluster's open hour. An hour that closes
 * between the two reads is therefore counted exactly once.
 */
export const reader = Effect.fnUntraced(function* (
  clusters: ReadonlyArray<HistoryName>,
  { histories, openHours, store }: Sources
): Effect.fn.Return<AllocationReader, CostError> {
  const { keyOf } = histories
  const found = yield* Effect.forEach(clusters, (cluster) => openHours.open(keyOf(cluster)), {
    concurrency: "unbounded"
  })
  const open = new Map<HistoryName, Hour>()
  for (const [index, cluster] of clusters.entries()) {
    const hour = Option.getOrUndefined(found[index] ?? Option.none())
    if (hour !== undefined) open.set(cluster, hour)
  }

  const read = Effect.fnUntraced(function* ({ endMs, startMs }: Window) {
    const parts = new Map<HistoryName, ReadonlyArray<Summed>>()
    const byEnd = new Map<number, Array<HistoryName>>()
    for (const cluster of clusters) {
      const hour = open.get(cluster)
      if (hour !== undefined && hour.startMs >= startMs && hour.startMs < endMs) {
        const { columns, knownSeconds, series } = hour
        parts.set(cluster, [{ columns, knownSeconds, series, isOpen: true }])
      }
      const closedEndMs = Math.min(endMs, hour?.startMs ?? endMs)
      if (closedEndMs <= startMs) continue
      const alike = byEnd.get(closedEndMs)
      if (alike === undefined) byEnd.set(closedEndMs, [cluster])
      else alike.push(cluster)
    }
    for (const [closedEndMs, alike] of byEnd) {
      const sums = yield* store.sums(alike.map(keyOf), { startMs, endMs: closedEndMs })
      for (const [index, summed] of sums.entries()) {
        const cluster = alike[index]
        if (cluster !== undefined) parts.set(cluster, [{ ...summed, isOpen: false }, ...(parts.get(cluster) ?? [])])
      }
    }
    const allocations = joined(
      clusters,
      clusters.map((cluster) => parts.get(cluster) ?? [])
    )
    yield* freeWithScope([allocations.partOf])
    return allocations
  })

  return {
    read,
    openFromMs: (cluster) => open.get(cluster)?.startMs,
    openHour: (cluster) => open.get(cluster)
  }
})

const joined = (clusters: ReadonlyArray<HistoryName>, partsOf: ReadonlyArray<ReadonlyArray<Summed>>): AllocationSet => {
  const parts: Array<Part> = []
  let size = 0
  for (const [cluster, summed] of partsOf.entries()) {
    for (const { columns, isOpen, series } of summed) {
      parts.push({ cluster, from: size, series, columns, isOpen })
      size += series.length
    }
  }
  const partOf = new Int32Array(size)
  for (const [index, { from, series }] of parts.entries()) partOf.fill(index, from, from + series.length)
  return {
    clusters,
    size,
    parts,
    partOf,
    knownSeconds: partsOf.map((summed) => summed.reduce((sum, { knownSeconds }) => sum + knownSeconds, 0))
  }
}
