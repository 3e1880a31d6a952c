/**
 * The status of a workload.
 */
import { Badge, Box } from "@mantine/core"
import type { Workload } from "../api/WorkloadQueries.ts"

type Status = Workload["status"]

const COLORS: Readonly<Record<Status, string>> = {
  healthy: "teal",
  progressing: "blue",
  degraded: "orange",
  paused: "yellow",
  idle: "gray",
  completed: "teal",
  failed: "red"
}

export const StatusBadge = ({ status }: { readonly status: Status }) => (
  <Badge
    variant="default"
    tt="none"
    fw={500}
    data-status={status}
    leftSection={<Box className="qd-dot" bg={`${COLORS[status]}.6`} />}
  >
    {status}
  </Badge>
)

/** The status without a badge, for long lists. */
export const StatusMark = ({ status }: { readonly status: Status }) => (
  <span data-status={status}>
    <span className={`qd-dot qd-dot-${COLORS[status]}`} /> {status}
  </span>
)
