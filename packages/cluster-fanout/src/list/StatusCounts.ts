/**
 * Numbers of workloads by status.
 */
import type { Tally } from "../cache/RowCounts.ts"
import type { StatusCounts, WorkloadStatus } from "../projection/Row.ts"
import * as WorkloadKeys from "../projection/WorkloadKeys.ts"

const NONE: StatusCounts = {
  failed: 0,
  degraded: 0,
  progressing: 0,
  paused: 0,
  healthy: 0,
  completed: 0,
  idle: 0
}

const isStatus = (text: string): text is WorkloadStatus => Object.hasOwn(NONE, text)

/** Sums the groups of some kinds by status. **Shape** without `kinds`, sums all kinds. */
export const fromTally = (tally: Tally, kinds: ReadonlyArray<string> | undefined): StatusCounts => {
  const counts: Record<WorkloadStatus, number> = { ...NONE }
  for (const [group, count] of tally) {
    const { kind, status } = WorkloadKeys.partsOf(group)
    if (isStatus(status) && kinds?.includes(kind) !== false) counts[status] += count
  }
  return counts
}

/** Counts the workloads that are failed or degraded. */
export const unhealthy = ({ degraded, failed }: StatusCounts): number => degraded + failed
