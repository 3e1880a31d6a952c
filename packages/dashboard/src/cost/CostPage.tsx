/**
 * The page Cost: costs by group and over time, down to one workload.
 */
import { Box, Group, Paper, Stack, Text } from "@mantine/core"
import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { Suspense, useState } from "react"
import { useLocation } from "react-router"
import { lazyPart } from "../frame/lazyPart.ts"
import { ApiFailure } from "../api/Client.ts"
import * as ClusterTarget from "../api/ClusterTarget.ts"
import {
  type CostGroup,
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
import { CostControls, WorkloadCostControls } from "./CostControls.tsx"
import { CostFigures } from "./CostFigures.tsx"
import { CostBreadcrumbs, CostFilters } from "./CostPath.tsx"
import { CostTabs } from "./CostTabs.tsx"
import * as CostPeriod from "./CostPeriod.ts"
import { filtersOf, groupByOf } from "./CostView.ts"
import * as Drill from "./Drill.ts"
import { ExplainDrawer } from "./ExplainDrawer.tsx"
import type { Explained } from "./Explained.ts"
import * as Export from "./Export.ts"
import { ExportMenu } from "./ExportMenu.tsx"
import { GroupTable } from "./GroupTable.tsx"
import { Movers } from "./Movers.tsx"
import { useCostView } from "./useCostView.ts"
import { WorkloadCostView } from "./WorkloadCostView.tsx"

const CostChart = lazyPart("CostChart", () => import("../chart/CostChart.tsx"))

/** Groups with their own series in the chart. */
const DRAWN = 8
/** Groups in the table. The files have all. */
const LISTED = 500
/**
 * Maximum number of groups in the report of all workloads together: one for the workloads, and one for each kind of
 * costs without a workload.
 */
const WHOLE = 10

export const CostPage = () => {
  const { setTarget, target } = useTarget()
  const { change, linkTo, mayIdle, view, window } = useCostView()
  const filters = filtersOf(view)
  const grouped: CostParameters = { groupBy: groupByOf(view), idle: view.idle, ...filters }
  const scope = { target, window }
  const crumbs = Drill.crumbsOf(view, target)
  const place = crumbs.length > 1 ? crumbs.at(-1)?.text : undefined
  const compared = view.compare ? { compare: true } : {}
  return (
    <Stack gap="md">
      <CostTabs title={place === undefined ? "Cost" : `Cost of ${place}`}>
        Costs of workloads, from their requests and usage, by the price book.
      </CostTabs>
      <CostBreadcrumbs view={view} target={target} linkTo={linkTo} />
      {view.workload === undefined ? (
        <>
          <Group justify="space-between" align="flex-end">
            <CostControls view={view} window={window} mayIdle={mayIdle} change={change} />
            <ExportMenu
              files={[
                ["CSV", "these groups", () => Export.saveGroups(scope, { ...grouped, ...compared })],
                ["FOCUS", "workloads, by month", () => Export.saveWorkloads("focus", scope, filters)],
                ["JSON", "these groups", () => Export.saveJson(scope, { ...grouped, ...compared })]
              ]}
            />
          </Group>
          <CostFilters view={view} target={target} setTarget={setTarget} change={change} />
          <GroupedCosts grouped={grouped} />
        </>
      ) : (
        <>
          <WorkloadCostControls view={view} change={change} />
          <WorkloadCostView key={view.workload} id={view.workload} view={view} window={window} />
        </>
      )}
    </Stack>
  )
}

const GroupedCosts = ({ grouped }: { readonly grouped: CostParameters }) => {
  const { target } = useTarget()
  const { change, linkTo, view, window } = useCostView()
  const { search } = useLocation()
  const [opened, setOpened] = useState<{ readonly at: string; readonly trail: ReadonlyArray<Explained> }>()
  // The explanation closes when the user goes to another view.
  const trail = opened?.at === search ? opened.trail : []
  const setTrail = (next: ReadonlyArray<Explained>) => setOpened({ at: search, trail: next })
  const all: CostParameters = { ...grouped, groupBy: [] }
  const compared = view.compare ? { compare: true } : {}
  const whole = useQuery({
    ...costGroupsQuery(target, window, { ...all, ...compared }, WHOLE),
    placeholderData: keepPreviousData
  })
  const groups = useQuery({
    ...costGroupsQuery(target, window, { ...grouped, ...compared }, LISTED),
    placeholderData: keepPreviousData
  })
  const report = groups.data
  const failure = groups.error ?? whole.error
  const clusters = new Map<string, WorkloadCost["cluster"]>(report?.clusters.map(({ name }) => [name, name]))
  const linkInto = (row: CostGroup) => {
    const step = Drill.into(row, view)
    if (step === undefined) return undefined
    return linkTo(step.view, step.cluster === undefined ? undefined : ClusterTarget.named([step.cluster]))
  }
  return (
    <>
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
      {report !== undefined && report.rows.length === 0 ? <NoCosts isFiltered={hasFilters(grouped)} /> : undefined}
      {report !== undefined && report.rows.length > 0 ? (
        <>
          {whole.data === undefined ? undefined : (
            <CostFigures report={whole.data} onExplain={(explained) => setTrail([explained])} />
          )}
          <Paper withBorder p="md" component="section" aria-label="Cost over time">
            <Trend grouped={grouped} all={all} />
          </Paper>
          {/* While a new report loads, the table still shows the previous one. */}
          <Box inert={groups.isPlaceholderData} aria-busy={groups.isPlaceholderData} className="qd-answer">
            <Stack gap="md">
              {view.compare ? <Movers report={report} linkInto={linkInto} /> : undefined}
              <GroupTable
                report={report}
                view={view}
                clusters={clusters}
                linkInto={linkInto}
                onSort={change}
                onExplain={(explained) => setTrail([explained])}
              />
            </Stack>
          </Box>
          {report.nextCursor === undefined ? undefined : (
            <Text size="sm" c="dimmed">
              The table shows the {Quantity.count(LISTED)} most expensive groups. The exported files have all of them.
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
        filters={filtersOf(view)}
      />
    </>
  )
}

const hasFilters = ({ labelSelector, namespaces, workloadTypes }: CostParameters): boolean =>
  labelSelector !== undefined || namespaces !== undefined || workloadTypes !== undefined

const Trend = ({ all, grouped }: { readonly all: CostParameters; readonly grouped: CostParameters }) => {
  const { target } = useTarget()
  const { view, window } = useCostView()
  const stepSize = CostPeriod.stepOf(window, view.step)
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

const NoCosts = ({ isFiltered }: { readonly isFiltered: boolean }) =>
  isFiltered ? (
    <Empty title="No costs match the filters">Remove a filter above, or choose another period.</Empty>
  ) : (
    <Empty title="No costs in this period">
      The server counts costs from the first minutes in which it sees a cluster. Choose a later period, or wait. Costs
      of earlier hours need Prometheus as the usage source.
    </Empty>
  )
