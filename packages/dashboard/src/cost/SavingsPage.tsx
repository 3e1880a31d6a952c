/**
 * The page Cost > Savings: workloads that request more than they use, ranked by possible savings.
 */
import { Accordion, Anchor, Box, Group, Stack, Text } from "@mantine/core"
import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { Link } from "react-router"
import { ApiFailure } from "../api/Client.ts"
import { type WorkloadCost, workloadCostsQuery } from "../api/CostQueries.ts"
import { workloadPlace } from "../frame/places.ts"
import { CopyText } from "../feedback/CopyText.tsx"
import { Empty, Loading } from "../feedback/PageState.tsx"
import { TargetFailure } from "../clusterScope/TargetFailure.tsx"
import * as Quantity from "../format/Quantity.ts"
import { CoverageStrip } from "../clusterScope/CoverageStrip.tsx"
import { useTarget } from "../clusterScope/useTarget.ts"
import { RangeControls } from "./CostControls.tsx"
import * as Comparison from "./Comparison.ts"
import { CostTabs } from "./CostTabs.tsx"
import { saveWorkloads } from "./Csv.ts"
import { manifestOf } from "../format/RequestManifest.ts"
import { SaveCsv } from "./SaveCsv.tsx"
import { useCostView } from "./useCostView.ts"
import { WorkloadExplanation } from "./WorkloadExplanation.tsx"

/** Number of the most expensive workloads that are ranked. No workload saves more than it costs. */
const RANKED = 1_000
const SHOWN = 50

export const SavingsPage = () => {
  const { target } = useTarget()
  const { change, view, window } = useCostView()
  const costs = useQuery({ ...workloadCostsQuery(target, window, RANKED), placeholderData: keepPreviousData })
  const [open, setOpen] = useState<string | null>(null)
  const report = costs.data
  const ranked = (report?.aggregatedWorkloads ?? [])
    .filter(({ recommendationDays, savingsAvailable }) => recommendationDays > 0 && savingsAvailable > 0)
    .toSorted((a, b) => b.savingsAvailable - a.savingsAvailable)
  return (
    <Stack gap="md">
      <CostTabs title="Savings">Requests that workloads do not use, ranked by cost.</CostTabs>
      <Group justify="space-between" align="flex-end">
        <Group gap="sm" align="flex-start">
          <RangeControls view={view} onChange={change} />
        </Group>
        <SaveCsv onSave={() => saveWorkloads(target, window)} />
      </Group>
      {costs.error instanceof ApiFailure ? (
        <TargetFailure
          failure={costs.error}
          onRetry={() => void costs.refetch()}
          shownSinceMs={report === undefined ? undefined : costs.dataUpdatedAt}
        />
      ) : undefined}
      {costs.isLoading ? <Loading what="savings" /> : undefined}
      {report === undefined ? undefined : (
        <>
          <CoverageStrip coverages={report.clusters} readAtMs={costs.dataUpdatedAt} rows="costs" />
          <Text role="status">
            {Comparison.isSeen(report.clusters)
              ? `Recommended requests would have saved ${Quantity.money(report.totals.savingsAvailable, report.currency)} of ${Quantity.money(report.totals.totalCost, report.currency)}`
              : "Savings are not known yet: no data for this period"}
            {report.totals.costIncrease > 0
              ? `, and cost up to ${Quantity.money(report.totals.costIncrease, report.currency)} more for workloads that request less than they need`
              : ""}
            {report.nextCursor === undefined
              ? "."
              : `. The list ranks the ${Quantity.count(RANKED)} most expensive workloads.`}
          </Text>
          {ranked.length === 0 ? (
            <Empty title="No savings found">
              Recommendations need a day of usage data, which the server reads from metrics.k8s.io or Prometheus.
            </Empty>
          ) : (
            <Accordion variant="separated" value={open} onChange={setOpen} order={2}>
              {ranked.slice(0, SHOWN).map((row) => (
                <Accordion.Item key={row.id} value={row.id} data-savings={row.id}>
                  <Accordion.Control>
                    <Line row={row} currency={report.currency} />
                  </Accordion.Control>
                  <Accordion.Panel>
                    {open === row.id ? <Details row={row} currency={report.currency} window={window} /> : undefined}
                  </Accordion.Panel>
                </Accordion.Item>
              ))}
            </Accordion>
          )}
          {ranked.length > SHOWN ? (
            <Text size="sm" c="dimmed">
              And {Quantity.counted(ranked.length - SHOWN, "other workload")} with smaller savings. The CSV file has all
              of them.
            </Text>
          ) : undefined}
        </>
      )}
    </Stack>
  )
}

const Line = ({ currency, row }: { readonly row: WorkloadCost; readonly currency: string }) => (
  <Group justify="space-between" gap="sm" wrap="nowrap">
    <Box miw={0}>
      <Text fw={600} className="qd-text">
        {row.workloadName}
      </Text>
      <Text size="sm" c="dimmed" className="qd-text">
        {row.workloadType} in {row.namespace} of {row.cluster}
      </Text>
    </Box>
    <Text component="div" ta="right" className="qd-number">
      {Quantity.money(row.savingsAvailable, currency)}
      <Text size="sm" c="dimmed">
        of {Quantity.money(row.totalCost, currency)}
      </Text>
    </Text>
  </Group>
)

interface DetailsProps {
  readonly row: WorkloadCost
  readonly currency: string
  readonly window: Parameters<typeof WorkloadExplanation>[0]["window"]
}

const Details = ({ currency, row, window }: DetailsProps) => {
  const { linkTo } = useTarget()
  return (
    <Stack gap="md">
      <Text size="sm">
        The workload used {Quantity.percent(row.cpuEfficiency)} of its requested CPU and{" "}
        {Quantity.percent(row.memoryEfficiency)} of its requested memory. Recommendation for one replica, all containers
        together: {Quantity.cpu(row.cpuRecommendedMillis)} and {Quantity.bytes(row.memoryRecommendedBytes)}, from{" "}
        {Quantity.counted(Math.round(row.recommendationDays), "day")} of usage.
        {row.costIncrease > 0
          ? ` One of them is above the current request and would cost up to ${Quantity.money(row.costIncrease, currency)} more.`
          : ""}
      </Text>
      <CopyText text={manifestOf(row)} label="Copy the recommended requests" />
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
