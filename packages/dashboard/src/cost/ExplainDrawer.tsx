/**
 * A drawer with the explanation of a figure.
 */
import { Drawer, Text, UnstyledButton } from "@mantine/core"
import type { CostParameters, CostWindow, WorkloadCost } from "../api/CostQueries.ts"
import type * as ClusterTarget from "../api/ClusterTarget.ts"
import type { Explained } from "./Explained.ts"
import { SumExplanation } from "./SumExplanation.tsx"
import { WorkloadExplanation } from "./WorkloadExplanation.tsx"

interface Props {
  /** Opened explanations. The last one is shown; the back link leads to the one before it. */
  readonly trail: ReadonlyArray<Explained>
  readonly onChange: (trail: ReadonlyArray<Explained>) => void
  readonly currency: string
  readonly target: ClusterTarget.ClusterTarget
  readonly window: CostWindow
  readonly clusters: ReadonlyMap<string, WorkloadCost["cluster"]>
  /** Filters of the page, which the workloads of a sum must match too. */
  readonly filters: Omit<CostParameters, "groupBy">
}

const titleOf = (explained: Explained): string => (explained._tag === "Workload" ? explained.name : explained.title)

export const ExplainDrawer = ({ clusters, currency, filters, onChange, target, trail, window }: Props) => {
  const shown = trail.at(-1)
  const before = trail.at(-2)
  return (
    <Drawer
      opened={shown !== undefined}
      onClose={() => onChange([])}
      position="right"
      size="xl"
      title={shown === undefined ? "" : `Explanation: ${titleOf(shown)}`}
      closeButtonProps={{ "aria-label": "Close" }}
    >
      {before === undefined ? undefined : (
        <Text size="sm" mb="sm">
          <UnstyledButton className="qd-link" onClick={() => onChange(trail.slice(0, -1))}>
            Back to {titleOf(before)}
          </UnstyledButton>
        </Text>
      )}
      {shown?._tag === "Workload" ? (
        <WorkloadExplanation cluster={shown.cluster} id={shown.id} window={window} />
      ) : undefined}
      {shown?._tag === "Sum" ? (
        <SumExplanation
          sum={shown}
          currency={currency}
          target={target}
          window={window}
          clusters={clusters}
          filters={filters}
          onExplain={(next) => onChange([...trail, next])}
        />
      ) : undefined}
    </Drawer>
  )
}
