/**
 * Describes where the amounts of lost hours and days count after a repair.
 */
import * as Calendar from "./Calendar.ts"
import { type Cluster, type History, isSealed } from "./CostHistory.ts"
import type { Finding } from "./CostProtocol.ts"

const NOWHERE = "nowhere"

/** Adds to each finding where its amounts count. Call it with the repaired history, after a reset. */
export const place = (history: History, findings: ReadonlyArray<Finding>): ReadonlyArray<Finding> =>
  findings.map((finding) => ({ ...finding, counts: countsOf(finding, history.find(finding.cluster)) }))

const countsOf = ({ startMs, what }: Finding, cluster: Cluster | undefined): string => {
  if (cluster === undefined) return NOWHERE
  const day = Calendar.dayAt(startMs)
  switch (what) {
    case "hour":
      return hourCounts(cluster, day, Calendar.hourAt(startMs))
    case "day":
      return dayCounts(cluster, day)
    case "series":
      return "under the placeholder name lost- and its id"
    case "file":
      return NOWHERE
  }
}

/**
 * Describes where the amounts of a lost hour count. Hours of a day are stored as running sums, so the next stored hour
 * of the day includes the amounts of a lost hour.
 */
const hourCounts = (cluster: Cluster, day: number, hour: number): string => {
  const next = after(cluster.hours.get(day) ?? 0, hour)
  if (next >= 0) return `in the hour ${Calendar.printHour(Calendar.startOf(day, next))}`
  return isSealed(cluster, day) ? "in the total of its day alone" : NOWHERE
}

const dayCounts = (cluster: Cluster, day: number): string => {
  const [month, place] = [Calendar.monthOf(day), Calendar.placeInMonth(day)]
  const next = after(cluster.days.get(month) ?? 0, place - 1)
  if (next < 0) return NOWHERE
  return next === place
    ? "in itself: it was made again from its hours"
    : `in the day ${Calendar.printDay(Calendar.startOf(Calendar.firstDayOf(month) + next))}`
}

/** Returns the lowest step of a mask above a bound, or -1. */
const after = (mask: number, bound: number): number => Calendar.stepsOf(mask).find((step) => step > bound) ?? -1
