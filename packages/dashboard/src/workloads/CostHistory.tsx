/**
 * Chart of a workload's daily costs.
 */
import { Paper, Stack, Title } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { Suspense } from "react"
import { lazyPart } from "../frame/lazyPart.ts"
import { ApiFailure } from "../api/Client.ts"
import { explanationQuery } from "../api/CostQueries.ts"
import type { Workload } from "../api/WorkloadQueries.ts"
import { historyOf } from "../chart/ChartData.ts"
import { FailureAlert } from "../feedback/FailureAlert.tsx"
import { Loading } from "../feedback/PageState.tsx"

const CostChart = lazyPart("CostChart", () => import("../chart/CostChart.tsx"))

const MONTH = { range: "30d" }

interface Props {
  readonly cluster: Workload["cluster"]
  /** Id of the workload's row in cost reports. */
  readonly id: string
}

export const CostHistory = ({ cluster, id }: Props) => {
  const costs = useQuery(explanationQuery(cluster, id, MONTH))
  return (
    <Stack gap="xs" component="section" aria-label="Cost history">
      <Title order={2} size="h4">
        Cost, last 30 days
      </Title>
      {costs.error instanceof ApiFailure ? (
        <FailureAlert failure={costs.error} onRetry={() => void costs.refetch()} />
      ) : undefined}
      {costs.isLoading ? <Loading what="the costs" /> : undefined}
      {costs.data === undefined ? undefined : (
        <Paper withBorder p="md">
          <Suspense fallback={<Loading what="the chart" />}>
            <CostChart data={historyOf(costs.data)} currency={costs.data.currency} stepSize="day" />
          </Suspense>
        </Paper>
      )}
    </Stack>
  )
}
