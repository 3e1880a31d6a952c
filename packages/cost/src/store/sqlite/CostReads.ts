/**
 * Reads the cost history: sums over windows, closed hours, and extents.
 */
import * as Calendar from "./Calendar.ts"
import { before, type Cluster, type History, isForgotten, ofMonth } from "./CostHistory.ts"
import { HOURS, type StepKey } from "./CostRows.ts"
import { cancelled, combine, type Combined, type Term } from "./CostSums.ts"
import * as Epoch from "./Epoch.ts"
import * as HourDetail from "./HourDetail.ts"
import * as TransferColumns from "./TransferColumns.ts"
import type { Laid } from "./TransferColumns.ts"
import type { Sparse } from "./PackedColumns.ts"

/** A stored hour, with series by id. **Units** `known` in seconds. */
export interface KeptHour extends Omit<HourDetail.Detail, "corrections"> {
  readonly step: number
  readonly known: number
  readonly columns: Sparse
}

/** A stored hour whose columns are laid out for the transfer to the other thread. */
export interface HourRead extends KeptHour, Laid {}

/** Sums the hours of a window. **Shape** `startMs` and `endMs` are starts of hours. */
export const sums = (history: History, cluster: Cluster, startMs: number, endMs: number): Combined => {
  const from = Calendar.monthOf(Calendar.dayAt(startMs))
  const to = Calendar.monthOf(Calendar.dayAt(endMs))
  const months = new Set(cluster.days.keys())
  if (cluster.newest >= 0) months.add(Calendar.monthOf(cluster.newest))
  const between = [...months].filter((month) => month >= from && month < to)
  const ends = before(cluster, endMs)
  const starts = before(cluster, startMs)
  // If the window is within one day, steps that its start and end have in common cancel out and are not read.
  if (cancelled(ends, starts).length < ends.length + starts.length) {
    return combine(cancelled(ends, starts).map(({ key, sign }) => ({ sums: history.sumsOf(key, cluster), sign })))
  }
  const running = (keys: ReadonlyArray<StepKey>, sign: Term["sign"]): ReadonlyArray<Term> =>
    keys.length === 0 ? [] : [{ sums: history.runningOf(keys, cluster), sign }]
  // Terms of one month come first. Their series have the same order, so they are added fastest.
  const [first = ends, ...others] = between.map((month) => ofMonth(cluster, month))
  return combine([
    ...running(first, 1),
    ...running(starts, -1),
    ...others.flatMap((keys) => running(keys, 1)),
    ...(between.length > 0 ? running(ends, 1) : [])
  ])
}

/** Reads one hour as the difference between two running sums. */
export const hour = (history: History, cluster: Cluster, day: number, step: number): HourRead => {
  const keyOf = (step: number): StepKey => ({ cluster: cluster.id, level: HOURS, epoch: day, step })
  const { corrections, ...detail } = HourDetail.unpack(history.rows.detailOf(keyOf(step)))
  const last = Calendar.lastBelow(cluster.hours.get(day) ?? 0, step)
  const after = history.sumsOf(keyOf(step), cluster)
  const earlier = last < 0 ? undefined : history.sumsOf(keyOf(last), cluster)

  const { ids } = detail
  const slots = Epoch.slotsOf(after, after.size)
  const laid = TransferColumns.make(ids.length, (column) => after.columns[column] !== undefined)
  const columns = TransferColumns.spread(laid, ids.length)
  for (const [column, into] of columns.entries()) {
    const to = after.columns[column]
    const from = earlier?.columns[column]
    if (into === undefined || to === undefined) continue
    for (let place = 0; place < ids.length; place++) {
      const slot = slots[ids[place] ?? 0] ?? -1
      into[place] = (to[slot] ?? 0) - (from?.[slot] ?? 0)
    }
  }
  for (const { column, place, value } of corrections) {
    const into = columns[column]
    if (into !== undefined) into[place] = value
  }
  return { ...detail, ...laid, step, known: after.known - (earlier?.known ?? 0), columns }
}

/** Returns the extent of the closed hours, `undefined` if there are none. **Units** milliseconds since the epoch. */
export const extent = (
  cluster: Cluster
): { readonly fromMs: number; readonly toMs: number; readonly hoursFromMs?: number } | undefined => {
  const { closed, hours, newest } = cluster
  if (newest < 0) return undefined
  const hoursOf = (day: number): number => (closed.get(day) ?? 0) | (hours.get(day) ?? 0)
  let oldest = newest
  for (const day of [...hours.keys(), ...closed.keys()]) oldest = Math.min(oldest, day)
  let whole = -1
  for (const day of closed.keys()) if (day > whole && isForgotten(cluster, day)) whole = day
  return {
    ...(whole < 0 ? {} : { hoursFromMs: Calendar.startOf(whole + 1) }),
    fromMs: Calendar.startOf(oldest, Calendar.first(hoursOf(oldest))),
    toMs: Calendar.startOf(newest, Calendar.lastBelow(hoursOf(newest), Calendar.STEPS) + 1)
  }
}
