/**
 * The number of workloads of each status. A click shows only that status.
 */
import { Group, UnstyledButton } from "@mantine/core"
import type { StatusCounts, WorkloadStatus } from "../api/Shapes.ts"
import { STATUS_COLORS } from "../feedback/StatusMark.tsx"
import * as Quantity from "../format/Quantity.ts"
import { STATUSES } from "./WorkloadFilter.ts"

interface Props {
  readonly counts: StatusCounts
  /** The shown statuses; all if empty. */
  readonly chosen: ReadonlyArray<WorkloadStatus>
  readonly onChange: (chosen: ReadonlyArray<WorkloadStatus>) => void
}

export const StatusChips = ({ chosen, counts, onChange }: Props) => (
  <Group gap={6} role="group" aria-label="Status">
    {STATUSES.filter((status) => counts[status] > 0 || chosen.includes(status)).map((status) => {
      const isChosen = chosen.includes(status)
      return (
        <UnstyledButton
          key={status}
          className="qd-chip"
          aria-pressed={isChosen}
          data-chip={status}
          onClick={() => onChange(isChosen ? chosen.filter((one) => one !== status) : [...chosen, status])}
        >
          <span className={`qd-dot qd-dot-${STATUS_COLORS[status]}`} aria-hidden="true" />{" "}
          {Quantity.count(counts[status])} {status}
        </UnstyledButton>
      )
    })}
  </Group>
)
