/**
 * Sums the series of allocation sets by group.
 */
import { Effect } from "effect"
import type { AggregateRow, Dimension } from "./Aggregate.ts"
import { IDLE, isWorkload, MANAGEMENT, type Series, UNMOUNTED } from "../hour/Series.ts"
import { SLICE } from "./AllocationSet.ts"
import * as GroupTotals from "./GroupTotals.ts"
import type { ReportedSums } from "./ReportedSums.ts"

type Marks = Pick<AggregateRow, "idle" | "unmounted" | "management">

/** Identity of a group. **Shape** `key` is unique per group. */
interface Group {
  readonly key: string
  readonly group: Readonly<Record<string, string>>
  readonly marks: Marks
}

/** The groups found so far, and their sums. */
export interface Groups {
  readonly places: Map<string, number>
  readonly all: Array<Group>
  table: GroupTotals.Table
}

export const make = (): Groups => ({ places: new Map(), all: [], table: GroupTotals.empty(0) })

/**
 * Adds the series that a report counts (`isReported`) to their groups. Returns the group of each series, -1 for none.
 *
 * With `knownOnly`, series that belong to no existing group are skipped. **Limits** yields every {@link SLICE} series.
 */
export const add = Effect.fnUntraced(function* (
  groups: Groups,
  { clusters, increases, isReported, parts, savings }: ReportedSums,
  dimensions: ReadonlyArray<Dimension>,
  how: { readonly knownOnly: boolean }
) {
  const binOf = new Int32Array(isReported.length).fill(-1)
  const readers = dimensions.map((dimension) => readerOf(dimension, clusters))
  const combined = combining(readers.length + 1)
  const binOfGroup: Array<number> = []
  for (const { cluster, from, series } of parts) {
    for (let index = 0; index < series.length; index++) {
      const place = from + index
      if (place % SLICE === SLICE - 1) yield* Effect.yieldNow
      const subject = series[index]
      if (subject === undefined || isReported[place] !== 1) continue
      const before = groups.all.length
      let group = combined(0, 0, markOf(subject))
      for (let at = 0; at < readers.length; at++)
        group = combined(at + 1, group, readers[at]?.(cluster, subject) ?? null)
      binOf[place] = binOfGroup[group] ??= binFor(groups, dimensions, clusters[cluster] ?? "", subject, how.knownOnly)
      if (groups.all.length > before && groups.all.length % MADE_AT_ONCE === 0) yield* Effect.yieldNow
    }
  }
  groups.table = GroupTotals.grown(groups.table, groups.all.length)
  const { table } = groups
  yield* GroupTotals.add(table, parts, binOf)
  for (let place = 0; place < binOf.length; place++) {
    const bin = binOf[place] ?? -1
    if (bin < 0) continue
    table.savingsNanos[bin] = (table.savingsNanos[bin] ?? 0) + (savings[place] ?? 0)
    table.increaseNanos[bin] = (table.increaseNanos[bin] ?? 0) + (increases[place] ?? 0)
  }
  return binOf
})

/** Number of new groups after which the fiber yields. */
const MADE_AT_ONCE = 512

/** Returns the index of a series' group. Creates the group if needed; with `knownOnly`, returns -1 instead. */
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

/** Assigns a number to each combination of dimension values, one dimension at a time. This avoids a text key per place. */
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
    const pair = group * MAX_VALUES + number
    let found = pairs.get(pair)
    if (found === undefined) {
      found = pairs.size
      pairs.set(pair, found)
    }
    return found
  }
}

/** Upper bound of the number of distinct values. Its square is below 2^53, so a pair of numbers fits into one integer. */
const MAX_VALUES = 2 ** 26

const readerOf = (dimension: Dimension, clusters: ReadonlyArray<string>) => (index: number, series: Series) =>
  valueOf(dimension, clusters[index] ?? "", series)

/** Returns the `chosen` groups in the given order, with all sums 0. */
export const cleared = ({ all }: Groups, chosen: ReadonlyArray<number>): Groups => {
  const some = chosen.flatMap((bin) => all[bin] ?? [])
  return {
    places: new Map(some.map(({ key }, place) => [key, place])),
    all: some,
    table: GroupTotals.empty(some.length)
  }
}

/** Adds groups of another table, with all sums 0. */
export const include = (groups: Groups, others: ReadonlyArray<Group>): void => {
  for (const group of others) {
    groups.places.set(group.key, groups.all.length)
    groups.all.push(group)
  }
  groups.table = GroupTotals.grown(groups.table, groups.all.length)
}

/** Builds the row of a group. Empty if there is no such group. */
export const rowAt = ({ all, table }: Groups, bin: number): ReadonlyArray<AggregateRow> => {
  const found = all[bin]
  return found === undefined ? [] : [{ group: found.group, ...found.marks, ...GroupTotals.totalsAt(table, bin) }]
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

/** Returns the special kind that marks a group, such as idle. Empty for workloads. */
const markOf = (series: Series): string => (isWorkload(series) ? "" : series.kind)

/** Returns a series' value of a dimension; null if it has none. */
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
