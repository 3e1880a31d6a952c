/**
 * Sentences of the overview.
 */
import type { Overview, OverviewCost } from "../api/OverviewQueries.ts"
import * as Quantity from "../format/Quantity.ts"

type StatusCounts = Overview["statusCounts"]

/** Statuses of workloads that need attention, the worst first. */
export const BAD = ["failed", "degraded"] as const
/** Statuses that the overview counts: those in `BAD`, and those that may need attention later. */
export const WATCHED = [...BAD, "progressing", "paused"] as const

/** Returns the number of workloads that need attention. */
export const needing = (counts: StatusCounts): number => BAD.reduce((sum, status) => sum + counts[status], 0)

/** Returns the number of all workloads. */
export const totalOf = (counts: StatusCounts): number => Object.values(counts).reduce((sum, count) => sum + count, 0)

/** Prints the pods that need attention by their reason. **Example** `CrashLoopBackOff 3, ImagePullBackOff 1` */
export const podReasonsText = (reasons: Overview["podReasons"], shown: number): string => {
  const rest = reasons.slice(shown).reduce((sum, { count }) => sum + count, 0)
  const named = reasons.slice(0, shown).map(({ count, reason }) => `${reason} ${Quantity.count(count)}`)
  return [...named, ...(rest === 0 ? [] : [`others ${Quantity.count(rest)}`])].join(", ")
}

/** Prints that nothing needs attention, and how many clusters did not answer or are shown as last known. */
export const restText = ({ clusterCounts: { failed, ok, stale }, statusCounts }: Overview): string => {
  const workloads = Quantity.counted(totalOf(statusCounts), "workload")
  const clusters = Quantity.counted(ok + stale, "cluster")
  const unknown = failed === 0 ? "" : ` ${Quantity.counted(failed, "other cluster")} did not answer.`
  const verb = stale === 1 ? "no longer answers: its state is" : "no longer answer: their state is"
  const old = stale === 0 ? "" : ` ${Quantity.count(stale)} of these clusters ${verb} as last known.`
  return `None of the ${workloads} in ${clusters} is failed or degraded.${old}${unknown}`
}

/** Compares the last 7 days with the 7 days before. **Shape** with the reason if they cannot be compared. */
export const weekText = ({ currency, last7d, previous7d }: OverviewCost): string => {
  const week = `${Quantity.money(last7d, currency)} in the last 7 days`
  if (previous7d === null) return `${week}. The 7 days before were covered differently.`
  return `${week}, ${Quantity.change(last7d, previous7d)} compared with the 7 days before`
}

/** Describes the costs by day for people who do not see the bars. */
export const daysText = ({ currency, perDay }: Pick<OverviewCost, "currency" | "perDay">): string => {
  const known = perDay.filter(({ hoursCovered }) => hoursCovered > 0)
  const [first] = known
  const most = known.toSorted((a, b) => b.cost - a.cost)[0]
  if (first === undefined || most === undefined) return "No costs are known yet"
  const gaps = perDay.length - known.length
  return [
    `Cost by day from ${first.day}`,
    `the most on ${most.day}: ${Quantity.money(most.cost, currency)}`,
    ...(gaps === 0 ? [] : [`${Quantity.counted(gaps, "day")} without data`])
  ].join(", ")
}
