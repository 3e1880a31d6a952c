/**
 * Drawer with the recommendation of a workload, its requests to copy, and the explanation of its cost.
 */
import { Anchor, Drawer, Stack, Text } from "@mantine/core"
import { Link } from "react-router"
import type { CostWindow, WorkloadCost } from "../api/CostQueries.ts"
import { useTarget } from "../clusterScope/useTarget.ts"
import { CopyText } from "../feedback/CopyText.tsx"
import * as Quantity from "../format/Quantity.ts"
import { manifestOf } from "../format/RequestManifest.ts"
import { workloadPlace } from "../frame/places.ts"
import { WorkloadExplanation } from "./WorkloadExplanation.tsx"

interface Props {
  /** The opened workload; the drawer is closed without one. */
  readonly opened: WorkloadCost | undefined
  readonly currency: string
  readonly window: CostWindow
  readonly onClose: () => void
}

export const SavingsDetails = ({ currency, onClose, opened, window }: Props) => (
  <Drawer
    opened={opened !== undefined}
    onClose={onClose}
    position="right"
    size="xl"
    title={opened === undefined ? "" : `Savings of ${opened.workloadName}`}
    closeButtonProps={{ "aria-label": "Close" }}
  >
    {opened === undefined ? undefined : <Details row={opened} currency={currency} window={window} />}
  </Drawer>
)

interface DetailsProps {
  readonly row: WorkloadCost
  readonly currency: string
  readonly window: CostWindow
}

const Details = ({ currency, row, window }: DetailsProps) => {
  const { linkTo } = useTarget()
  return (
    <Stack gap="md">
      <Text size="sm">
        The workload used {Quantity.percent(row.cpuEfficiency)} of its requested CPU and{" "}
        {Quantity.percent(row.memoryEfficiency)} of its requested memory.{" "}
        {row.recommendationDays === 0
          ? "A recommendation is not known yet: it needs a day of usage."
          : `Recommendation for one replica, all containers together: ${Quantity.cpu(row.cpuRecommendedMillis)} and ${Quantity.bytes(row.memoryRecommendedBytes)}, from ${Quantity.counted(Math.round(row.recommendationDays), "day")} of usage.`}
        {row.costIncrease > 0
          ? ` One of them is above the current request and would cost up to ${Quantity.money(row.costIncrease, currency)} more.`
          : ""}
      </Text>
      {row.recommendationDays === 0 ? undefined : (
        <CopyText text={manifestOf(row)} label="Copy the recommended requests" />
      )}
      <Anchor
        component={Link}
        to={linkTo(
          workloadPlace({
            cluster: row.cluster,
            namespace: row.namespace,
            kind: row.workloadType,
            name: row.workloadName
          })
        )}
        size="sm"
        underline="always"
      >
        Open the workload
      </Anchor>
      <WorkloadExplanation cluster={row.cluster} id={row.id} window={window} />
    </Stack>
  )
}
