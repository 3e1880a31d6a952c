/**
 * The page of one workload.
 */
import { Anchor, Group, Stack, Tabs, Text, Title } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import type { ReactNode } from "react"
import { Link, useParams, useSearchParams } from "react-router"
import { ApiFailure } from "../api/Client.ts"
import { podsQuery } from "../api/PodQueries.ts"
import { type Workload, workloadDetailQuery, workloadQuery } from "../api/WorkloadQueries.ts"
import { ActionButtons } from "../actions/ActionButtons.tsx"
import { answers } from "../clusterScope/CoverageText.ts"
import { CoverageStrip } from "../clusterScope/CoverageStrip.tsx"
import { useTarget } from "../clusterScope/useTarget.ts"
import { FailureAlert } from "../feedback/FailureAlert.tsx"
import { Empty, Loading } from "../feedback/PageState.tsx"
import { StatusMark } from "../feedback/StatusMark.tsx"
import { useCaller } from "../frame/Caller.ts"
import { clusterPlace, PLACES } from "../frame/places.ts"
import { useTitle } from "../frame/useTitle.ts"
import { CostTab } from "./CostTab.tsx"
import { EventsTable } from "./EventsTable.tsx"
import { LogTab } from "./LogTab.tsx"
import { PodsTable } from "./PodsTable.tsx"
import { answerOf } from "./WorkloadAnswer.ts"
import { WorkloadSummary } from "./WorkloadSummary.tsx"

export const WorkloadPage = () => {
  const { cluster = "", kind = "", name = "", namespace = "" } = useParams()
  const heading = useTitle(name)
  const { linkTo } = useTarget()
  const found = useQuery(workloadQuery({ cluster, kind, name, namespace }))
  const workload = found.data?.workload
  const coverage = found.data?.clusters[0]
  const isLastKnown = coverage !== undefined && !answers(coverage)
  const refusal = isLastKnown
    ? `${cluster} does not answer. You can change the workload when it answers again.`
    : undefined
  return (
    <Stack gap="md">
      <Group gap="sm" justify="space-between">
        <div>
          <Text size="sm">
            <Anchor component={Link} to={linkTo(PLACES.workloads)} underline="always">
              Workloads
            </Anchor>
          </Text>
          <Group gap="sm">
            <Title order={1} size="h2" ref={heading} tabIndex={-1} className="qd-text">
              {name}
            </Title>
            {workload === undefined ? undefined : <StatusMark status={workload.status} />}
          </Group>
          <Text c="dimmed" className="qd-text">
            {kind} in namespace {namespace} of{" "}
            <Anchor component={Link} to={linkTo(clusterPlace(cluster))} underline="always">
              {cluster}
            </Anchor>
          </Text>
        </div>
        {workload === undefined ? undefined : <ActionButtons workload={workload} refusal={refusal} />}
      </Group>
      {found.error instanceof ApiFailure ? (
        <FailureAlert failure={found.error} onRetry={() => void found.refetch()} />
      ) : undefined}
      {coverage === undefined || !isLastKnown ? undefined : (
        <CoverageStrip coverages={[coverage]} readAtMs={found.dataUpdatedAt} rows="workloads" />
      )}
      {found.isLoading ? <Loading what="the workload" /> : undefined}
      {found.data !== undefined && workload === undefined ? (
        <Empty title="No such workload">
          Your key's scope has no workload of this kind and name in the cluster. It may have been deleted.
        </Empty>
      ) : undefined}
      {workload === undefined ? undefined : (
        <>
          <Answer workload={workload} />
          <WorkloadTabs workload={workload} isLastKnown={isLastKnown} />
        </>
      )}
    </Stack>
  )
}

/** The sentence that describes the workload's state and its reason. */
const Answer = ({ workload }: { readonly workload: Workload }) => {
  const pods = useQuery(podsQuery(workload))
  if (pods.data === undefined) return undefined
  return (
    <Text fw={600} className="qd-text" role="status" data-answer>
      {answerOf(workload, pods.data.pods, new Date().getTime())}
    </Text>
  )
}

const TAB = "tab"
const TABS = ["overview", "pods", "logs", "events", "cost"] as const
type Tab = (typeof TABS)[number]

const LABELS: Readonly<Record<Tab, string>> = {
  overview: "Overview",
  pods: "Pods",
  logs: "Logs",
  events: "Events",
  cost: "Cost"
}

interface TabsProps {
  readonly workload: Workload
  /** True if the workload's cluster does not answer. */
  readonly isLastKnown: boolean
}

const WorkloadTabs = ({ isLastKnown, workload }: TabsProps) => {
  const [search, setSearch] = useSearchParams()
  const mayReadLogs = useCaller().rule.role !== "Viewer"
  const detail = useQuery({ ...workloadDetailQuery(workload), enabled: !isLastKnown })
  const shown = TABS.find((tab) => tab === search.get(TAB)) ?? "overview"
  const open = (tab: string, more: Readonly<Record<string, string>> = {}) => {
    setSearch((before) => {
      const next = new URLSearchParams(before)
      if (tab === "overview") next.delete(TAB)
      else next.set(TAB, tab)
      for (const [key, value] of Object.entries(more)) next.set(key, value)
      return next
    })
  }
  const onLog = mayReadLogs && !isLastKnown ? (pod: string) => open("logs", { pod }) : undefined
  const contents: Readonly<Record<Tab, () => ReactNode>> = {
    overview: () => <WorkloadSummary workload={workload} detail={detail} isLastKnown={isLastKnown} onLog={onLog} />,
    pods: () => <PodsTable workload={workload} onLog={onLog} />,
    logs: () => <Logs mayRead={mayReadLogs} isLastKnown={isLastKnown} workload={workload} detail={detail.data} />,
    events: () => <EventsTable workload={workload} />,
    cost: () => <CostTab workload={workload} />
  }
  return (
    <Tabs value={shown} onChange={(tab) => open(tab ?? "overview")} keepMounted={false}>
      <Tabs.List mb="md">
        {TABS.map((tab) => (
          <Tabs.Tab key={tab} value={tab}>
            {LABELS[tab]}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {TABS.map((tab) => (
        <Tabs.Panel key={tab} value={tab}>
          {tab === shown ? contents[tab]() : undefined}
        </Tabs.Panel>
      ))}
    </Tabs>
  )
}

interface LogsProps extends TabsProps {
  readonly mayRead: boolean
  readonly detail: Parameters<typeof LogTab>[0]["detail"]
}

/** The log, or why it cannot be read. */
const Logs = ({ detail, isLastKnown, mayRead, workload }: LogsProps) => {
  if (!mayRead) return <Text c="dimmed">Only the keys of Operators and Admins read logs. Yours is a Viewer's.</Text>
  if (isLastKnown) return <Text c="dimmed">{workload.cluster} does not answer, so its logs cannot be read now.</Text>
  return <LogTab workload={workload} detail={detail} />
}
