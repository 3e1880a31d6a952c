import { Box, Group, Paper, Stack, Text } from "@mantine/core"
import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { Suspense, useState } from "react"
import { lazyPart } from "../frame/lazyPart.ts"
import { ApiFailure } from "../api/Client.ts"
import {
  type CostGroups,
  costGroupsQuery,
  type CostParameters,
  costStepsQuery,
  type WorkloadCost
} from "../api/CostQueries.ts"
import { Empty, Loading } from "../feedback/PageState.tsx"
import { TargetFailure } from "../clusterScope/TargetFailure.tsx"
import * as Quantity from "../format/Quantity.ts"
import { CoverageStrip } from "../clusterScope/CoverageStrip.tsx"
import { useTarget } from "../clusterScope/useTarget.ts"
import { chartDataOf } from "../chart/ChartData.ts"
import * as Comparison from "./Comparison.ts"
import { CostControls } from "./CostControls.tsx"
import { CostFigures } from "./CostFigures.tsx"
import { CostTabs } from "./CostTabs.tsx"
import { before as windowBefore, groupByOf, stepOf } from "./CostView.ts"
import { saveGroups } from "./Csv.ts"
import { ExplainDrawer } from "./ExplainDrawer.tsx"
import type { Explained } from "./Explained.ts"
import { GroupTable } from "./GroupTable.tsx"
import { SaveCsv } from "./SaveCsv.tsx"
import { useCostView } from "./useCostView.ts"

const CostChart = lazyPart("CostChart", () => import("../chart/CostChart.tsx"))

/** Groups with their own series in the chart. */
const DRAWN = 8
/** Groups in the table. The CSV file has all. */
const LISTED = 200
/**
 * Most groups in the report of all workloads together: one for the workloads, and one for each kind of costs without a
 * workload.
 */
const WHOLE = 10

export const CostPage = () => {
  const { target } = useTarget()
  const { change, mayIdle, view, window } = useCostView()
  const [trail, setTrail] = useState<ReadonlyArray<Explained>>([])
  const idle = view.idle
  const all: CostParameters = { groupBy: [], idle }
  const grouped: CostParameters = { groupBy: groupByOf(view), idle }
  const whole = useQuery({ ...costGroupsQuery(target, window, all, WHOLE), placeholderData: keepPreviousData })
  const groups = useQuery({ ...costGroupsQuery(target, window, grouped, LISTED), placeholderData: keepPreviousData })
  const past = useBefore(whole.data, all, WHOLE)
  const groupsPast = useBefore(whole.data, grouped, LISTED)
  const report = groups.data
  const failure = groups.error ?? whole.error
  const explain = (explained: Explained) => setTrail([explained])
  const clusters = new Map<string, WorkloadCost["cluster"]>(report?.clusters.map(({ name }) => [name, name]))

  return (
    <Stack gap="md">
      <CostTabs title="Cost">Costs of workloads, from their requests and usage, by the price book.</CostTabs>
      <Group justify="space-between" align="flex-end">
        <CostControls view={view} mayIdle={mayIdle} onChange={change} />
        <SaveCsv onSave={() => saveGroups(target, window, grouped)} />
      </Group>
      {failure instanceof ApiFailure ? (
        <TargetFailure
          failure={failure}
          onRetry={() => void Promise.all([groups.refetch(), whole.refetch()])}
          shownSinceMs={report === undefined ? undefined : groups.dataUpdatedAt}
        />
      ) : undefined}
      {groups.isLoading ? <Loading what="costs" /> : undefined}
      {report === undefined ? undefined : (
        <CoverageStrip coverages={report.clusters} readAtMs={groups.dataUpdatedAt} rows="costs" />
      )}
      {report !== undefined && report.rows.length === 0 ? <NoCosts /> : undefined}
      {report !== undefined && report.rows.length > 0 ? (
        <>
          {whole.data === undefined ? undefined : <CostFigures report={whole.data} before={past} onExplain={explain} />}
          <Paper withBorder p="md" component="section" aria-label="Cost over time">
            <Trend grouped={grouped} all={all} />
          </Paper>
          {/* While a new report loads, the table still shows the previous one. */}
          <Box inert={groups.isPlaceholderData} aria-busy={groups.isPlaceholderData} className="qd-answer">
            <GroupTable report={report} before={groupsPast} by={view.by} clusters={clusters} onExplain={explain} />
          </Box>
          {report.nextCursor === undefined ? undefined : (
            <Text size="sm" c="dimmed">
              The table shows the {Quantity.count(LISTED)} most expensive groups. The CSV file has all of them.
            </Text>
          )}
        </>
      ) : undefined}
      <ExplainDrawer
        trail={trail}
        onChange={setTrail}
        currency={report?.currency ?? "USD"}
        target={target}
        window={window}
        clusters={clusters}
      />
    </Stack>
  )
}

/** Reads the same report of the previous period. **Shape** `undefined` if the coverage of the periods differs too much. */
const useBefore = (
  report: CostGroups | undefined,
  parameters: CostParameters,
  limit: number
): CostGroups | undefined => {
  const { target } = useTarget()
  const window = report === undefined ? { range: "7d" } : windowBefore(report.window)
  const past = useQuery({
    ...costGroupsQuery(target, window, parameters, limit),
    enabled: report !== undefined,
    refetchInterval: false
  })
  if (report === undefined || past.data === undefined) return undefined
  return Comparison.isComparable(report.clusters, past.data.clusters) ? past.data : undefined
}

const Trend = ({ all, grouped }: { readonly all: CostParameters; readonly grouped: CostParameters }) => {
  const { target } = useTarget()
  const { window } = useCostView()
  const stepSize = stepOf(window)
  const parts = useQuery({
    ...costStepsQuery(target, window, { ...grouped, stepSize }, DRAWN),
    placeholderData: keepPreviousData
  })
  const whole = useQuery({
    ...costStepsQuery(target, window, { ...all, stepSize }, WHOLE),
    placeholderData: keepPreviousData
  })
  const failure = parts.error ?? whole.error
  if (parts.data === undefined || whole.data === undefined) {
    return failure instanceof ApiFailure ? (
      <TargetFailure failure={failure} onRetry={() => void Promise.all([parts.refetch(), whole.refetch()])} />
    ) : (
      <Loading what="the chart" />
    )
  }
  return (
    <Suspense fallback={<Loading what="the chart" />}>
      <CostChart data={chartDataOf(parts.data, whole.data)} currency={parts.data.currency} stepSize={stepSize} />
    </Suspense>
  )
}

const NoCosts = () => (
  <Empty title="No costs in this period">
    The server counts costs from the first minutes in which it sees a cluster. Choose a later period, or wait. Costs of
    earlier hours need Prometheus as the usage source.
  </Empty>
)
