/**
 * The cost of one workload: its change from the period before, and the explanation of both.
 */
import { Anchor, Button, Group, Paper, Stack, Text, Title } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { Link } from "react-router"
import { ApiFailure } from "../api/Client.ts"
import * as ClusterTarget from "../api/ClusterTarget.ts"
import { type CostGroups, costGroupsQuery, type CostWindow, type WorkloadCost } from "../api/CostQueries.ts"
import { useTarget } from "../clusterScope/useTarget.ts"
import { FailureAlert } from "../feedback/FailureAlert.tsx"
import { Empty } from "../feedback/PageState.tsx"
import * as Quantity from "../format/Quantity.ts"
import { workloadPlace } from "../frame/places.ts"
import * as Comparison from "./Comparison.ts"
import * as CostPeriod from "./CostPeriod.ts"
import { type CostView, groupByOf } from "./CostView.ts"
import * as Drill from "./Drill.ts"
import { WorkloadExplanation } from "./WorkloadExplanation.tsx"

interface Props {
  /** Cluster, namespace, kind and name, joined by `/`. */
  readonly id: string
  readonly view: CostView
  readonly window: CostWindow
}

/** Number of workloads among which the shown one is searched: the most expensive of its namespace and kind. */
const SEARCHED = 1_000

export const WorkloadCostView = ({ id, view, window }: Props) => {
  const { linkTo, target } = useTarget()
  const [cluster = "", namespace = "", kind = "", name = ""] = id.split("/")
  const groups = useQuery(
    costGroupsQuery(
      ClusterTarget.named([cluster]),
      window,
      {
        groupBy: groupByOf({ by: "workload", thenBy: undefined }),
        namespaces: [namespace],
        workloadTypes: [kind],
        ...(view.compare ? { compare: true } : {})
      },
      SEARCHED
    )
  )
  const report = groups.data
  const known = report?.clusters.find((coverage) => coverage.name === cluster)?.name
  if (cluster === "" || namespace === "" || kind === "" || name === "") {
    return <Empty title="No such workload">The address names no workload. Go back to all costs.</Empty>
  }
  return (
    <Stack gap="md">
      <Group justify="space-between">
        <Text>
          {kind} in {namespace} of {cluster}
        </Text>
        <Anchor
          component={Link}
          to={linkTo(workloadPlace({ cluster, namespace, kind, name }), clusterParameter(target, cluster))}
          size="sm"
          underline="always"
        >
          Open the workload
        </Anchor>
      </Group>
      {groups.error instanceof ApiFailure ? (
        <FailureAlert failure={groups.error} onRetry={() => void groups.refetch()} />
      ) : undefined}
      {report === undefined || known === undefined ? undefined : (
        <Found cluster={known} id={id} report={report} window={window} isCompared={view.compare} />
      )}
    </Stack>
  )
}

/** Keeps the target of the page in the link, or shows the workload's cluster if the target is the parent. */
const clusterParameter = (target: ClusterTarget.ClusterTarget, cluster: string): Readonly<Record<string, string>> =>
  target._tag === "Parent" ? { cluster } : {}

interface FoundProps {
  readonly cluster: WorkloadCost["cluster"]
  readonly id: string
  readonly report: CostGroups
  readonly window: CostWindow
  readonly isCompared: boolean
}

const Found = ({ cluster, id, isCompared, report, window }: FoundProps) => {
  const [isBeforeShown, setIsBeforeShown] = useState(false)
  const { currency, previous } = report
  const row = report.rows.find((group) => Drill.idOf(group) === id)
  const before = row?.previous?.totalCost
  const change = row === undefined ? undefined : Comparison.changeOf({ now: row.totalCost, before }, currency)
  return (
    <>
      {isCompared ? (
        <Text role="status">
          {change === undefined
            ? (Comparison.reasonOf(report) ?? "Not compared with the period before.")
            : `${Comparison.lineOf(change)} from ${Quantity.money(before, currency)} in the period before.`}
        </Text>
      ) : undefined}
      <Paper withBorder p="md" component="section" aria-label="Explanation">
        <Title order={2} size="h4" mb="sm">
          Explanation
        </Title>
        <WorkloadExplanation cluster={cluster} id={id} window={window} />
      </Paper>
      {previous !== undefined && before !== undefined && before > 0 ? (
        <Paper withBorder p="md" component="section" aria-label="Explanation of the period before">
          <Group justify="space-between">
            <Title order={2} size="h4">
              The period before
            </Title>
            <Button
              variant="default"
              size="xs"
              aria-expanded={isBeforeShown}
              onClick={() => setIsBeforeShown(!isBeforeShown)}
            >
              {isBeforeShown ? "Hide" : "Explain"}
            </Button>
          </Group>
          {isBeforeShown ? (
            <WorkloadExplanation cluster={cluster} id={id} window={CostPeriod.resolved(previous.window)} />
          ) : undefined}
        </Paper>
      ) : undefined}
    </>
  )
}
