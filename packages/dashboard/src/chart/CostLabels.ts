/**
 * What costs are called.
 */
import type { CostGroup } from "../api/CostQueries.ts"

type Marks = Pick<CostGroup, "group" | "idle" | "management" | "unmounted">

/** What marks costs that no workload has. */
export type Beside = "idle" | "management" | "unmounted"

export const besideOf = ({ idle, management, unmounted }: Marks): Beside | undefined => {
  if (idle) return "idle"
  if (management) return "management"
  return unmounted ? "unmounted" : undefined
}

export const BESIDES: Readonly<Record<Beside, readonly [name: string, meaning: string]>> = {
  idle: [
    "Idle machines",
    "What machines cost and nobody requested or used: their CPU and memory, less what was allocated to workloads. Below zero, more was allocated than there was."
  ],
  management: ["Control plane", "What the clusters' control planes cost by themselves, by the price book."],
  unmounted: ["Volumes that no pod mounts", "Storage, and load balancers, that are paid for and that no workload uses."]
}

/** Names a group. **Shape** what has no such label is said to have none. */
export const nameOf = (row: Marks): string => {
  const beside = besideOf(row)
  const { cluster, kind, namespace, workload, ...others } = row.group
  if (workload !== undefined) return workload
  const name = Object.values(others)[0] ?? kind ?? namespace ?? cluster
  if (beside !== undefined) return cluster === undefined ? BESIDES[beside][0] : `${BESIDES[beside][0]} of ${cluster}`
  return name ?? "Without"
}

/** Tells groups of one report apart. */
export const keyOf = (row: Marks): string => JSON.stringify([row.group, besideOf(row)])
