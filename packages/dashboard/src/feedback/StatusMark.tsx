/**
 * The status of a workload.
 */
import type { WorkloadStatus } from "../api/Shapes.ts"

export const STATUS_COLORS: Readonly<Record<WorkloadStatus, string>> = {
  failed: "red",
  degraded: "orange",
  progressing: "blue",
  paused: "yellow",
  healthy: "teal",
  completed: "teal",
  idle: "gray"
}

/** A dot and the word. Plain elements: long lists have many of them. */
export const StatusMark = ({ status }: { readonly status: WorkloadStatus }) => (
  <span data-status={status}>
    <span className={`qd-dot qd-dot-${STATUS_COLORS[status]}`} aria-hidden="true" /> {status}
  </span>
)
