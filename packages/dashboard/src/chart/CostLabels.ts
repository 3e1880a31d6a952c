/**
 * Names of cost groups.
 */
import type { CostGroup } from "../api/CostQueries.ts"

type Marks = Pick<CostGroup, "group" | "idle" | "management" | "unmounted">

/** Kinds of costs without a workload. */
export type Beside = "idle" | "management" | "unmounted"

export const besideOf = ({ idle, management, unmounted }: Marks): Beside | undefined => {
  if (idle) return "idle"
  if (management) return "management"
  return unmounted ? "unmounted" : undefined
}

export const BESIDES: Readonly<Record<Beside, readonly [name: string, meaning: string]>> = {
  idle: [
    "Idle machines",
    "Cost of CPU and memory that was not allocated to workloads. A negative amount means that more was allocated than the machines have."
  ],
  management: ["Control plane", "Cost of the clusters' control planes, by the price book."],
  unmounted: ["Volumes that no pod mounts", "Cost of storage and load balancers that no workload uses."]
}

/** Returns the name of a group. **Shape** its values, joined by ` / `; `Without` for workloads that lack the label. */
export const nameOf = (row: Marks): string => {
  const beside = besideOf(row)
  const { cluster, workload } = row.group
  if (workload !== undefined) return workload
  if (beside !== undefined) return cluster === undefined ? BESIDES[beside][0] : `${BESIDES[beside][0]} of ${cluster}`
  const name = Object.values(row.group).join(" / ")
  return name === "" ? "Without" : name
}

/** Returns the key of a group in a report. */
export const keyOf = (row: Marks): string => JSON.stringify([row.group, besideOf(row)])
