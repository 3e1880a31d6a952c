/**
 * Adds the problems of a workload's pods to its row.
 *
 * A controller counts a pod as available until its container fails again, and a rollout as progressing until its
 * deadline. A pod that needs intervention therefore degrades the workload, whatever the controller reports.
 */
import type { PodTrouble } from "../projection/PodTrouble.ts"
import type { WorkloadRow, WorkloadStatus } from "../projection/Row.ts"
import * as WorkloadCause from "../projection/WorkloadCause.ts"

/** Status of a row with a blocked pod. **Shape** absent: blocked pods do not affect rows of this status. */
const BLOCKED: Readonly<Partial<Record<WorkloadStatus, WorkloadStatus>>> = {
  healthy: "degraded",
  progressing: "degraded",
  degraded: "degraded",
  paused: "paused"
}

/**
 * Returns the row with the worst problem of its pods.
 *
 * **Shape** a blocked pod degrades a healthy or progressing workload, and gives its reason to a degraded or paused one.
 * Other problems only explain a failed or degraded row whose own reason is general. Returns the same row if nothing
 * changes.
 */
export const withTroubles = (row: WorkloadRow, troubles: Iterable<PodTrouble>): WorkloadRow => {
  const all = [...troubles]
  const status = BLOCKED[row.status]
  const blocked = worst(all, "blocked")
  if (status !== undefined && blocked !== undefined) return withCause(row, status, blocked)
  if (!WorkloadCause.isGeneral(row)) return row
  const cause = worst(all, row.kind === "Job" || row.kind === "CronJob" ? "failed" : "unready")
  return cause === undefined ? row : withCause(row, row.status, cause)
}

/** Returns why a workload that is known only by its pods has its status. */
export const ofPods = (status: WorkloadStatus, troubles: Iterable<PodTrouble>): WorkloadCause.Cause => {
  const all = [...troubles]
  if (status === "failed") return worst(all, "failed") ?? WorkloadCause.unavailable
  if (status !== "degraded") return {}
  return worst(all, "blocked") ?? worst(all, "unready") ?? WorkloadCause.unavailable
}

/** Replaces the status and the cause of a row. */
export const withCause = (row: WorkloadRow, status: WorkloadStatus, cause: WorkloadCause.Cause): WorkloadRow => {
  const { reason: _reason, since: _since, ...rest } = row
  return { ...rest, status, ...cause }
}

const worst = (troubles: ReadonlyArray<PodTrouble>, level: PodTrouble["level"]): WorkloadCause.Cause | undefined => {
  const found = troubles.filter((trouble) => trouble.level === level)
  return found.length === 0 ? undefined : WorkloadCause.worstOf(found)
}
