/**
 * What each cluster cost in the last day.
 */
import { useQuery } from "@tanstack/react-query"
import { type CostGroups, costGroupsQuery, seesIdle } from "../api/CostQueries.ts"
import { useCaller } from "../frame/Caller.ts"
import type { ClusterTarget } from "../api/ClusterTarget.ts"

/**
 * What a cluster cost in the last 24 hours.
 *
 * **Units** the currency of the price book; hours of the last 24 in which the cluster was seen.
 */
export interface DayCost {
  readonly cost: number
  readonly currency: string
  readonly hoursCovered: number
  readonly hoursInWindow: number
  /** Used by requested, 0 where it is not known. */
  readonly cpuEfficiency: number | null
  readonly memoryEfficiency: number | null
}

const MAX_GROUPS = 5_000
const DAY = { range: "24h" }

/** Sums what the groups of each cluster come to: its workloads, and what no workload has. */
const dayCostsOf = ({ clusters, currency, rows }: CostGroups): ReadonlyMap<string, DayCost> =>
  new Map(
    clusters.map(({ hoursCovered, hoursInWindow, name }) => {
      const own = rows.filter(({ group }) => group["cluster"] === name)
      const workloads = own.find(({ idle, management, unmounted }) => !idle && !management && !unmounted)
      return [
        name,
        {
          cost: own.reduce((sum, { totalCost }) => sum + totalCost, 0),
          currency,
          hoursCovered,
          hoursInWindow,
          cpuEfficiency: workloads?.cpuEfficiency ?? null,
          memoryEfficiency: workloads?.memoryEfficiency ?? null
        }
      ]
    })
  )

/** Reads what the clusters of a target cost in the last day, with what is idle where the caller may see it. */
export const useDayCosts = (target: ClusterTarget) => {
  const { rule } = useCaller()
  const idle = seesIdle(rule) ? "show" : "hide"
  return useQuery({
    ...costGroupsQuery(target, DAY, { groupBy: ["cluster"], idle }, MAX_GROUPS),
    select: dayCostsOf
  })
}
