/**
 * Explanation of a sum of costs: its parts and its workloads.
 */
import { Code, Stack, Table, Text, Title, UnstyledButton } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { ApiFailure } from "../api/Client.ts"
import {
  type CostGroup,
  costGroupsQuery,
  type CostParameters,
  type CostWindow,
  type WorkloadCost
} from "../api/CostQueries.ts"
import { FailureAlert } from "../feedback/FailureAlert.tsx"
import { Loading } from "../feedback/PageState.tsx"
import * as Quantity from "../format/Quantity.ts"
import * as ClusterTarget from "../api/ClusterTarget.ts"
import { besideOf } from "../chart/CostLabels.ts"
import { LABEL } from "./CostView.ts"
import type { Explained } from "./Explained.ts"
import { PartsTable } from "./PartsTable.tsx"

interface Props {
  readonly sum: Extract<Explained, { readonly _tag: "Sum" }>
  readonly currency: string
  readonly target: ClusterTarget.ClusterTarget
  readonly window: CostWindow
  /** Clusters of the report, by name. */
  readonly clusters: ReadonlyMap<string, WorkloadCost["cluster"]>
  readonly filters: Omit<CostParameters, "groupBy">
  readonly onExplain: (explained: Explained) => void
}

const WORKLOAD = ["cluster", "namespace", "kind", "workload"]
/** Number of the most expensive workloads that are searched. */
const SEARCHED = 1_000
const SHOWN = 25

/** Makes the parameters that list the workloads of a sum, with every filter that the API supports. */
const parametersOf = (
  group: Readonly<Record<string, string>>,
  filters: Omit<CostParameters, "groupBy">
): CostParameters => {
  const labels = Object.keys(group).filter((key) => key.startsWith(LABEL))
  const { kind, namespace } = group
  const selector = labels.map((label) => {
    const [key, value = ""] = [label.slice(LABEL.length), group[label]]
    return value === "" ? `!${key}` : `${key}=${value}`
  })
  if (filters.labelSelector !== undefined) selector.push(filters.labelSelector)
  return {
    ...filters,
    groupBy: [...WORKLOAD, ...labels],
    ...(namespace === undefined || namespace === "" ? {} : { namespaces: [namespace] }),
    ...(kind === undefined ? {} : { workloadTypes: [kind] }),
    ...(selector.length === 0 ? {} : { labelSelector: selector.join(",") })
  }
}

export const SumExplanation = ({ clusters, currency, filters, onExplain, sum, target, window }: Props) => {
  const { group, hasWorkloads, meaning, sums } = sum
  const { cluster } = group
  const clusterTarget = cluster === undefined ? target : ClusterTarget.named([cluster])
  const workloads = useQuery({
    ...costGroupsQuery(clusterTarget, window, parametersOf(group, filters), SEARCHED),
    enabled: hasWorkloads
  })
  const rows = workloads.data?.rows.filter(
    (row) =>
      besideOf(row) === undefined && Object.entries(group).every(([key, value]) => (row.group[key] ?? "") === value)
  )
  return (
    <Stack gap="md">
      {meaning === undefined ? undefined : <Text size="sm">{meaning}</Text>}
      <PartsTable costs={sums} currency={currency} />
      {hasWorkloads ? (
        <Text size="sm">
          Its workloads existed for {Quantity.hours(sums.hoursExisted)}. The server saw{" "}
          {Quantity.hours(sums.hoursCovered)} of them; the rest is not included.
        </Text>
      ) : undefined}
      {workloads.error instanceof ApiFailure ? (
        <FailureAlert failure={workloads.error} onRetry={() => void workloads.refetch()} />
      ) : undefined}
      {workloads.isLoading ? <Loading what="workloads" /> : undefined}
      {rows === undefined ? undefined : (
        <>
          <Title order={3} size="h5">
            {Quantity.counted(rows.length, "workload")}, the most expensive first
          </Title>
          <Table verticalSpacing={4} aria-label="Workloads">
            <Table.Tbody>
              {rows.slice(0, SHOWN).map((row) => (
                <WorkloadLine key={idOf(row)} row={row} currency={currency} clusters={clusters} onExplain={onExplain} />
              ))}
            </Table.Tbody>
          </Table>
          {rows.length > SHOWN || workloads.data?.nextCursor !== undefined ? (
            <Text size="sm" c="dimmed">
              The CSV file grouped by <Code>Workload</Code> has all of them.
            </Text>
          ) : undefined}
        </>
      )}
    </Stack>
  )
}

const idOf = ({ group }: CostGroup): string => WORKLOAD.map((key) => group[key] ?? "").join("/")

interface LineProps extends Pick<Props, "clusters" | "currency" | "onExplain"> {
  readonly row: CostGroup
}

const WorkloadLine = ({ clusters, currency, onExplain, row }: LineProps) => {
  const { cluster: clusterName = "", kind, namespace, workload = "" } = row.group
  const cluster = clusters.get(clusterName)
  const cost = Quantity.money(row.totalCost, currency)
  return (
    <Table.Tr>
      <Table.Td className="qd-text">
        {workload}
        <Text size="xs" c="dimmed">
          {kind} in {namespace} of {clusterName}
        </Text>
      </Table.Td>
      <Table.Td ta="right" className="qd-number">
        {cluster === undefined ? (
          cost
        ) : (
          <UnstyledButton
            fz="sm"
            className="qd-explains"
            aria-label={`${cost}: explain the cost of ${workload}`}
            onClick={() => onExplain({ _tag: "Workload", cluster, id: idOf(row), name: workload })}
          >
            {cost}
          </UnstyledButton>
        )}
      </Table.Td>
    </Table.Tr>
  )
}
