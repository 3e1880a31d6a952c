/**
 * Sums the places of allocation sets by group.
 */
import { Effect } from "effect"
import type { AggregateRow, Dimension } from "./Aggregate.ts"
import { IDLE, isWorkload, MANAGEMENT, type Series, UNMOUNTED } from "../hour/Series.ts"
import { SLICE } from "./AllocationSet.ts"
import * as BinSums from "./BinSums.ts"
import type { ReportedSums } from "./ReportedSums.ts"

type Marks = Pick<AggregateRow, "idle" | "unmounted" | "management">

/** What tells a group. **Shape** `key` is one text for one group, whatever is summed in it. */
interface Group {
  readonly key: string
  readonly group: Readonly<Record<string, string>>
  readonly marks: Marks
}

/** Groups, as they grow with every allocation set that is added. */
export interface Groups {
  readonly places: Map<string, number>
  readonly all: Array<Group>
  table: BinSums.Table
}

export const make = (): Groups => ({ places: new Map(), all: [], table: BinSums.empty(0) })

/**
 * Adds an allocation set.
 *
 * With `knownOnly`, places of other groups are left out. **Limits** gives way to others every {@link SLICE}
 * places.
 */
export const add = Effect.fnUntraced(function* (
  groups: Groups,
  { clusters, increases, isTold, parts, savings }: ReportedSums,
  dimensions: ReadonlyArray<Dimension>,
  how: { readonly knownOnly: boolean }
) {
  const binOf = new Int32Array(isTold.length).fill(-1)
  const readers = dimensions.map((dimension) => readerOf(dimension, clusters))
  const combined = combining(readers.length + 1)
  const binOfGroup: Array<number> = []
  for (const { cluster, from, series } of parts) {
    for (let index = 0; index < series.length; index++) {
      const place = from + index
      if (place % SLICE === SLICE - 1) yield* Effect.yieldNow
      const one = series[index]
      if (one === undefined || isTold[place] !== 1) continue
      const before = groups.all.length
      let group = combined(0, 0, markOf(one))
      for (let at = 0; at < readers.length; at++) group = combined(at + 1, group, readers[at]?.(cluster, one) ?? null)
      binOf[place] = binOfGroup[group] ??= binFor(groups, dimensions, clusters[cluster] ?? "", one, how.knownOnly)
      if (groups.all.length > before && groups.all.length % MADE_AT_ONCE === 0) yield* Effect.yieldNow
    }
  }
  groups.table = BinSums.grown(groups.table, groups.all.length)
  const { table } = groups
  yield* BinSums.add(table, parts, binOf)
  for (let place = 0; place < binOf.length; place++) {
    const bin = binOf[place] ?? -1
    if (bin < 0) continue
    table.savingsNanos[bin] = (table.savingsNanos[bin] ?? 0) + (savings[place] ?? 0)
    table.increaseNanos[bin] = (table.increaseNanos[bin] ?? 0) + (increases[place] ?? 0)
  }
})

/** Groups that are made before other fibers get their turn. */
const MADE_AT_ONCE = 512

/** Finds or makes the group of a place. **Shape** -1 for none. */
const binFor = (
  groups: Groups,
  dimensions: ReadonlyArray<Dimension>,
  cluster: string,
  series: Series,
  knownOnly: boolean
): number => {
  const values = dimensions.map((dimension) => valueOf(dimension, cluster, series))
  const key = JSON.stringify([markOf(series), ...values])
  const known = groups.places.get(key)
  if (known !== undefined || knownOnly) return known ?? -1
  const bin = groups.all.length
  groups.places.set(key, bin)
  groups.all.push(groupOf(key, dimensions, values, series))
  return bin
}

/** Numbers the groups that texts make, one level after the other: no text is joined for a place. */
const combining = (levels: number) => {
  const maps = Array.from({ length: levels }, () => ({
    texts: new Map<string | null, number>(),
    pairs: new Map<number, number>()
  }))
  return (level: number, group: number, text: string | null): number => {
    const map = maps[level]
    if (map === undefined) return 0
    const { pairs, texts } = map
    let number = texts.get(text)
    if (number === undefined) {
      number = texts.size
      texts.set(text, number)
    }
    const pair = group * MOST + number
    let found = pairs.get(pair)
    if (found === undefined) {
      found = pairs.size
      pairs.set(pair, found)
    }
    return found
  }
}

/** More than there are of anything; its square is exact. */
const MOST = 2 ** 26

const readerOf = (dimension: Dimension, clusters: ReadonlyArray<string>) => (index: number, series: Series) =>
  valueOf(dimension, clusters[index] ?? "", series)

/** Makes groups of some of them, with nothing in them yet, in the order given. */
export const cleared = ({ all }: Groups, chosen: ReadonlyArray<number>): Groups => {
  const some = chosen.flatMap((bin) => all[bin] ?? [])
  return {
    places: new Map(some.map(({ key }, place) => [key, place])),
    all: some,
    table: BinSums.empty(some.length)
  }
}

/** Writes a group out. */
export const rowAt = ({ all, table }: Groups, bin: number): ReadonlyArray<AggregateRow> => {
  const found = all[bin]
  return found === undefined ? [] : [{ group: found.group, ...found.marks, ...BinSums.totalsAt(table, bin) }]
}

const groupOf = (
  key: string,
  dimensions: ReadonlyArray<Dimension>,
  values: ReadonlyArray<string | null>,
  { kind }: Series
): Group => ({
  key,
  group: Object.fromEntries(
    dimensions.flatMap((dimension, index) => {
      const value = values[index] ?? null
      return value === null ? [] : [[nameOf(dimension), value]]
    })
  ),
  marks: {
    ...(kind === IDLE ? { idle: true } : {}),
    ...(kind === UNMOUNTED ? { unmounted: true } : {}),
    ...(kind === MANAGEMENT ? { management: true } : {})
  }
})

const nameOf = (dimension: Dimension): string =>
  dimension._tag === "Field" ? dimension.field : `label:${dimension.key}`

/** The kinds of costs beside workloads mark their groups. */
const markOf = (series: Series): string => (isWorkload(series) ? "" : series.kind)

/** Reads a series' value of a dimension; null where it has none. */
const valueOf = (dimension: Dimension, cluster: string, series: Series): string | null => {
  if (dimension._tag === "Label") {
    const { labels } = series
    return isWorkload(series) && Object.hasOwn(labels, dimension.key) ? (labels[dimension.key] ?? null) : null
  }
  switch (dimension.field) {
    case "cluster":
      return cluster
    case "namespace":
      return series.namespace === "" ? null : series.namespace
    case "kind":
      return isWorkload(series) ? series.kind : null
    case "workload":
      return isWorkload(series) ? series.name : null
  }
}
