/**
 * The tab with costs, usage and recommended requests of a workload.
 */
import { Stack, Text } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { ApiFailure } from "../api/Client.ts"
import { explanationQuery } from "../api/CostQueries.ts"
import type { Workload } from "../api/WorkloadQueries.ts"
import { FailureAlert } from "../feedback/FailureAlert.tsx"
import * as Quantity from "../format/Quantity.ts"
import { CostHistory } from "./CostHistory.tsx"
import { Sizing } from "./Sizing.tsx"

const WEEK = { range: "7d" }

export const CostTab = ({ workload }: { readonly workload: Workload }) => {
  const { cluster, kind, name, namespace } = workload
  const id = [cluster, namespace, kind, name].join("/")
  const costs = useQuery(explanationQuery(cluster, id, WEEK))
  const explanation = costs.data
  const isUnknown = costs.error instanceof ApiFailure && costs.error.code === "cost_row_not_found"
  return (
    <Stack gap="md">
      {costs.error instanceof ApiFailure && !isUnknown ? (
        <FailureAlert failure={costs.error} onRetry={() => void costs.refetch()} />
      ) : undefined}
      <Text>
        {isUnknown
          ? "The server has no costs of this workload in the last 7 days."
          : `Cost in the last 7 days: ${explanation === undefined ? Quantity.UNKNOWN : Quantity.money(explanation.row.totalCost, explanation.currency)}`}
      </Text>
      {isUnknown ? undefined : <CostHistory cluster={cluster} id={id} />}
      <Sizing workload={workload} explanation={explanation} />
    </Stack>
  )
}
