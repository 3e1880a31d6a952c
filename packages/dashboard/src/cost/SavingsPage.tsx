/**
 * The page Cost > Savings: workloads that request more than they use, ranked by possible savings.
 */
import { Group, Stack, Text } from "@mantine/core"
import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { useSearchParams } from "react-router"
import { ApiFailure } from "../api/Client.ts"
import { presentWorkloadsQuery, type WorkloadCosts, workloadCostsQuery } from "../api/CostQueries.ts"
import { FailureAlert } from "../feedback/FailureAlert.tsx"
import { Empty, Loading } from "../feedback/PageState.tsx"
import { TargetFailure } from "../clusterScope/TargetFailure.tsx"
import * as Quantity from "../format/Quantity.ts"
import { CoverageStrip } from "../clusterScope/CoverageStrip.tsx"
import { useTarget } from "../clusterScope/useTarget.ts"
import * as Comparison from "./Comparison.ts"
import { CostTabs } from "./CostTabs.tsx"
import * as Export from "./Export.ts"
import { ExportMenu } from "./ExportMenu.tsx"
import * as Savings from "./Savings.ts"
import { SavingsCards } from "./SavingsCards.tsx"
import { SavingsControls } from "./SavingsControls.tsx"
import { SavingsDetails } from "./SavingsDetails.tsx"
import { SavingsTable } from "./SavingsTable.tsx"
import * as SavingsView from "./SavingsView.ts"
import { useCostView } from "./useCostView.ts"

/** Number of the most expensive workloads that are ranked. No workload saves more than it costs. */
const RANKED = 1_000

export const SavingsPage = () => {
  const { target } = useTarget()
  const { change, view: period, window } = useCostView()
  const [search, setSearch] = useSearchParams()
  const view = SavingsView.parse(search)
  const costs = useQuery({ ...workloadCostsQuery(target, window, RANKED), placeholderData: keepPreviousData })
  const present = useQuery({ ...presentWorkloadsQuery(target), placeholderData: keepPreviousData })
  const report = costs.data
  const set = (part: Partial<SavingsView.SavingsView>, replace = false) =>
    setSearch((before) => SavingsView.write(before, { ...SavingsView.parse(before), ...part }), { replace })
  const linkTo = (part: Partial<SavingsView.SavingsView>) => ({
    search: SavingsView.write(search, { ...view, ...part }).toString()
  })
  const rows = report === undefined ? [] : Savings.rowsOf(report, present.data?.workloads ?? [])
  return (
    <Stack gap="md">
      <CostTabs title="Savings">Requests that workloads do not use, ranked by cost.</CostTabs>
      <Group justify="space-between" align="flex-end">
        <SavingsControls period={period} view={view} change={change} set={set} />
        <ExportMenu files={[["CSV", "all workloads", () => Export.saveWorkloads("csv", { target, window }, {})]]} />
      </Group>
      {costs.error instanceof ApiFailure ? (
        <TargetFailure
          failure={costs.error}
          onRetry={() => void costs.refetch()}
          shownSinceMs={report === undefined ? undefined : costs.dataUpdatedAt}
        />
      ) : undefined}
      {present.error instanceof ApiFailure && !(costs.error instanceof ApiFailure) ? (
        <FailureAlert failure={present.error} onRetry={() => void present.refetch()}>
          <Text size="sm">Present requests and labels are missing below.</Text>
        </FailureAlert>
      ) : undefined}
      {costs.isLoading ? <Loading what="savings" /> : undefined}
      {report === undefined ? undefined : (
        <>
          <CoverageStrip coverages={report.clusters} readAtMs={costs.dataUpdatedAt} rows="costs" />
          <SavingsSummary report={report} />
          <Text size="sm" c="dimmed">
            A month is 730 hours, at the rate of the hours that the server saw in this period.
          </Text>
          <SavingsCards
            rows={rows}
            currency={report.currency}
            isSeen={Comparison.isSeen(report.clusters)}
            coversWeek={Savings.coversWeek(report)}
            isUnusedShown={view.isUnused}
            linkTo={(isUnused) => linkTo({ isUnused })}
          />
          <Listed
            rows={rows}
            view={view}
            currency={report.currency}
            isLoading={present.isLoading}
            linkTo={(id) => linkTo({ open: id })}
          />
        </>
      )}
      <SavingsDetails
        opened={rows.find(({ row }) => row.id === view.open)?.row}
        currency={report?.currency ?? "USD"}
        window={window}
        onClose={() => set({ open: undefined })}
      />
    </Stack>
  )
}

const SavingsSummary = ({ report }: { readonly report: WorkloadCosts }) => (
  <Text role="status">
    {Comparison.isSeen(report.clusters)
      ? `Recommended requests would have saved ${Quantity.money(report.totals.savingsAvailable, report.currency)} of ${Quantity.money(report.totals.totalCost, report.currency)}`
      : "Savings are not known yet: no data for this period"}
    {report.totals.costIncrease > 0
      ? `, and cost up to ${Quantity.money(report.totals.costIncrease, report.currency)} more for workloads that request less than they need`
      : ""}
    {report.nextCursor === undefined ? "." : `. The list ranks the ${Quantity.count(RANKED)} most expensive workloads.`}
  </Text>
)

interface ListedProps extends Pick<Parameters<typeof SavingsTable>[0], "currency" | "isLoading" | "linkTo" | "rows"> {
  readonly view: SavingsView.SavingsView
}

const Listed = ({ rows, view, ...table }: ListedProps) => {
  const text = view.text.trim().toLowerCase()
  const found = rows.filter(
    ({ isUnused, row }) =>
      (!view.isUnused || isUnused) && (text === "" || row.workloadName.toLowerCase().includes(text))
  )
  const isFound = found.some(({ monthly }) => monthly !== undefined && monthly > 0)
  if (found.length === 0 && (view.isUnused || text !== "")) {
    return (
      <Empty title="No workload matches">
        {view.isUnused
          ? "No workload used under 5 % of its requested CPU and memory for 7 days, with known usage throughout."
          : "Change the name above."}
      </Empty>
    )
  }
  return (
    <>
      {isFound || view.isUnused ? undefined : (
        <Empty title="No savings found">
          Recommendations need a day of usage data, which the server reads from metrics.k8s.io or Prometheus.
        </Empty>
      )}
      {found.length === 0 ? undefined : (
        <SavingsTable
          rows={found}
          by={view.by}
          labelKey={view.labelKey}
          isFolded={isFound && !view.isUnused && text === ""}
          {...table}
        />
      )}
    </>
  )
}
