/**
 * In-memory adapter of `CostStore`, for tests and for trying the service without a disk.
 */
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Effect, Layer } from "effect"
import { CostError, HourClosed, HourForgotten } from "../hour/CostError.ts"
import { type ClusterSums, CostStore, type Extent } from "./CostStore.ts"
import * as HistoryStore from "./HistoryStore.ts"
import type { Hour } from "../hour/Hour.ts"
import { columns, measures, record } from "../hour/Measure.ts"
import { keyOf, type Series } from "../hour/Series.ts"
import { DAY_MS, HOUR_MS, dayOf } from "../hour/Units.ts"
import type { Window } from "../hour/Window.ts"

/** A day whose hours were forgotten. **Shape** `sums` has one value per measure for each series. */
interface Day {
  readonly startMs: number
  /** Start of the day's first closed hour, and end of its last one. */
  readonly fromMs: number
  readonly toMs: number
  /** Starts of the day's closed hours. */
  readonly starts: ReadonlySet<number>
  readonly sums: ClusterSums
}

interface Kept {
  readonly hours: Map<number, Hour>
  readonly days: Map<number, Day>
}

const copyOf = (hour: Hour): Hour => ({
  ...hour,
  series: hour.series.map((series) => ({ ...series, labels: { ...series.labels } })),
  columns: record((measure) => hour.columns[measure].map((value) => value + 0)),
  rates: hour.rates.map((rate) => ({ ...rate })),
  rateOf: hour.rateOf.slice(),
  shares: hour.shares.map((share) => ({ ...share })),
  ...(hour.storage === undefined ? {} : { storage: hour.storage.map((share) => ({ ...share })) }),
  ...(hour.seen === undefined ? {} : { seen: [...hour.seen] })
})

type Summed = Pick<Hour, "series" | "columns" | "knownSeconds">

const sum = (cluster: ClusterName, window: Window, parts: ReadonlyArray<Summed>): ClusterSums => {
  const places = new Map<string, number>()
  const series: Array<Series> = []
  for (const part of parts) {
    for (const one of part.series) {
      const key = keyOf(one)
      if (places.has(key)) continue
      places.set(key, series.length)
      series.push(one)
    }
  }
  const sums = columns(series.length)
  let knownSeconds = 0
  for (const part of parts) {
    knownSeconds += part.knownSeconds
    const to = part.series.map((one) => places.get(keyOf(one)) ?? 0)
    for (const measure of measures) {
      for (const [from, place] of to.entries()) {
        sums[measure][place] = (sums[measure][place] ?? 0) + (part.columns[measure][from] ?? 0)
      }
    }
  }
  const used = series.flatMap((_, place) => (measures.some((measure) => sums[measure][place] !== 0) ? [place] : []))
  return {
    cluster,
    window,
    knownSeconds,
    series: used.flatMap((place) => series[place] ?? []),
    columns: record((measure) => Float64Array.from(used, (place) => sums[measure][place] ?? 0))
  }
}

const make = Effect.sync(() => {
  const clusters = new Map<ClusterName, Kept>()
  const keptOf = (cluster: ClusterName): Kept => {
    const history = clusters.get(cluster) ?? { hours: new Map<number, Hour>(), days: new Map<number, Day>() }
    clusters.set(cluster, history)
    return history
  }

  const close = Effect.fnUntraced(function* (hour: Hour) {
    const { cluster, startMs } = hour
    const { days, hours } = keptOf(cluster)
    if (hours.has(startMs) || days.get(dayOf(startMs))?.starts.has(startMs) === true) {
      return yield* new CostError({ reason: new HourClosed({ cluster, startMs }) })
    }
    yield* rewrite([hour])
  })

  const rewrite = Effect.fnUntraced(function* (written: ReadonlyArray<Hour>) {
    for (const { cluster, startMs } of written) {
      if (keptOf(cluster).days.has(dayOf(startMs))) {
        return yield* new CostError({ reason: new HourForgotten({ cluster, startMs }) })
      }
    }
    for (const hour of written) keptOf(hour.cluster).hours.set(hour.startMs, copyOf(hour))
  })

  const hours = (cluster: ClusterName, { endMs, startMs }: Window) =>
    Effect.sync(() =>
      [...(clusters.get(cluster)?.hours.values() ?? [])]
        .filter((hour) => hour.startMs >= startMs && hour.startMs < endMs)
        .toSorted((a, b) => a.startMs - b.startMs)
        .map(copyOf)
    )

  const sumsOf = (cluster: ClusterName, window: Window): ClusterSums => {
    const { startMs, endMs } = window
    const { days, hours } = clusters.get(cluster) ?? { days: new Map<number, Day>(), hours: new Map<number, Hour>() }
    const isIn = (ms: number) => ms >= startMs && ms < endMs
    return sum(cluster, window, [
      ...[...hours.values()].filter((hour) => isIn(hour.startMs)),
      // A day whose hours were forgotten counts at the start of its last hour.
      ...[...days.values()].filter((day) => isIn(day.startMs + DAY_MS - HOUR_MS)).map((day) => day.sums)
    ])
  }

  const sums = (names: ReadonlyArray<ClusterName>, window: Window) =>
    Effect.sync(() => names.map((cluster) => sumsOf(cluster, window)))

  const sumsByStep = (names: ReadonlyArray<ClusterName>, edges: ReadonlyArray<number>) =>
    Effect.forEach(edges.slice(1), (endMs, index) => sums(names, { startMs: edges[index] ?? endMs, endMs }))

  const extents = Effect.sync(() =>
    [...clusters].flatMap(([cluster, { days, hours }]): ReadonlyArray<Extent> => {
      const starts = [...[...days.values()].map(({ fromMs }) => fromMs), ...hours.keys()]
      const ends = [...[...days.values()].map(({ toMs }) => toMs), ...[...hours.keys()].map((start) => start + HOUR_MS)]
      if (starts.length === 0) return []
      const whole = days.size === 0 ? {} : { hoursFromMs: Math.max(...days.keys()) + DAY_MS }
      return [{ cluster, fromMs: Math.min(...starts), toMs: Math.max(...ends), ...whole }]
    })
  )

  const prune = ({ daysBeforeMs, hoursBeforeMs }: { readonly hoursBeforeMs: number; readonly daysBeforeMs: number }) =>
    Effect.sync(() => {
      for (const [cluster, { days, hours }] of clusters) {
        for (const startMs of new Set([...hours.keys()].map(dayOf))) {
          const endMs = startMs + DAY_MS
          if (endMs > Math.max(dayOf(hoursBeforeMs), dayOf(daysBeforeMs))) continue
          const starts = [...hours.keys()].filter((start) => dayOf(start) === startMs)
          const window = { startMs, endMs }
          const fromMs = Math.min(...starts)
          const toMs = Math.max(...starts) + HOUR_MS
          days.set(startMs, { startMs, fromMs, toMs, starts: new Set(starts), sums: sumsOf(cluster, window) })
          for (const start of starts) hours.delete(start)
        }
        for (const startMs of [...days.keys()]) if (startMs + DAY_MS <= dayOf(daysBeforeMs)) days.delete(startMs)
      }
    })

  return CostStore.of({ close, rewrite, hours, sums, sumsByStep, extents, prune })
})

/**
 * Keeps hours in memory until the layer ends.
 *
 * **Limits** A sum reads every hour of its window.
 */
export const layerMemory: Layer.Layer<CostStore | HistoryStore.HistoryStore> = Layer.merge(
  Layer.effect(CostStore, make),
  HistoryStore.layerMemory
)
