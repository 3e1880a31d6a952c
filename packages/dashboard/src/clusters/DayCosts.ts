/**
 * Costs of clusters in the last day.
 */
import { useQuery } from "@tanstack/react-query"
import { type CostGroups, costGroupsQuery, seesIdle } from "../api/CostQueries.ts"
import { useCaller } from "../frame/Caller.ts"
import type { ClusterTarget } from "../api/ClusterTarget.ts"

/**
 * Cost of a cluster in the last 24 hours.
 *
 * **Units** `cost` in the price book's currency. `hoursCovered` are the hours in which the server saw the cluster.
 */
export interface DayCost {
  readonly cost: number
  readonly currency: string
  readonly hoursCovered: number
  readonly hoursInWindow: number
  /** Usage divided by requests; 0 if unknown. */
  readonly cpuEfficiency: number | null
  readonly memoryEfficiency: number | null
}

const MAX_GROUPS = 5_000
const DAY = { range: "24h" }

/** Sums the groups of each cluster: its workloads, and costs without a workload such as idle costs. */
const dayCostsOf = ({ clusters, currency, rows }: CostGroups): ReadonlyMap<string, DayCost> =>
  new Map(
    clusters.map(({ hoursCovered, hoursInWindow, name }) => {
      const groups = rows.filter(({ group }) => group["cluster"] === name)
      const workloads = groups.find(({ idle, management, unmounted }) => !idle && !management && !unmounted)
      return [
        name,
        {
          cost: groups.reduce((sum, { totalCost }) => sum + totalCost, 0),
          currency,
          hoursCovered,
          hoursInWindow,
          cpuEfficiency: workloads?.cpuEfficiency ?? null,
          memoryEfficiency: workloads?.memoryEfficiency ?? null
        }
      ]
    })
  )

/** Reads the costs of a target's clusters in the last day, with idle costs if the caller may see them. */
export const useDayCosts = (target: ClusterTarget) => {
  const { rule } = useCaller()
  const idle = seesIdle(rule) ? "show" : "hide"
  return useQuery({
    ...costGroupsQuery(target, DAY, { groupBy: ["cluster"], idle }, MAX_GROUPS),
    select: dayCostsOf
  })
}
