/**
 * Joins the groups of a window with those of the window before.
 */
import type { ComparedHours, CostTotals } from "./CostRow.ts"
import * as Groups from "./Groups.ts"
import * as GroupTotals from "./GroupTotals.ts"
import type { ReportedSums } from "./ReportedSums.ts"

/**
 * Groups of one window, and the sums of series that the groups were made from. `binOf` has the group of each series.
 */
export interface Summed {
  readonly groups: Groups.Groups
  readonly sums: ReportedSums
  readonly binOf: Int32Array
}

/**
 * Adds to `now` the groups that only `past` has, with sums of 0, and returns the previous figures of each group.
 *
 * **Shape** null if one of the group's clusters, in either window, is not comparable. Such a group is not added. The previous
 * figures of all groups therefore sum to the previous totals.
 */
export const join = (
  now: Summed,
  past: Summed,
  clusters: ReadonlyArray<ComparedHours>
): ((bin: number) => CostTotals | null) => {
  const unlike = new Set([...keysIn(now, clusters), ...keysIn(past, clusters)])
  const isEnded = ({ key }: { readonly key: string }) => !now.groups.places.has(key) && !unlike.has(key)
  Groups.include(now.groups, past.groups.all.filter(isEnded))
  return (bin) => {
    const key = now.groups.all[bin]?.key ?? ""
    if (unlike.has(key)) return null
    const place = past.groups.places.get(key)
    return place === undefined ? GroupTotals.noFigures() : GroupTotals.totalsAt(past.groups.table, place)
  }
}

/** Returns the keys of the groups with a cluster that is not comparable. */
const keysIn = (
  { binOf, groups, sums: { parts } }: Summed,
  clusters: ReadonlyArray<ComparedHours>
): ReadonlySet<string> => {
  const bins = new Set<number>()
  for (const { cluster, from, series } of parts) {
    if (clusters[cluster]?.comparable === true) continue
    for (let place = from; place < from + series.length; place++) bins.add(binOf[place] ?? -1)
  }
  return new Set([...bins].flatMap((bin) => groups.all[bin]?.key ?? []))
}
