/**
 * The pods of a workload, the worst first.
 */
import { Button, Stack, Table, Text, Title } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import type { ReactNode } from "react"
import { ApiFailure } from "../api/Client.ts"
import { type Pod, podsQuery } from "../api/PodQueries.ts"
import type { WorkloadName } from "../api/WorkloadQueries.ts"
import { FailureAlert } from "../feedback/FailureAlert.tsx"
import { PlainTimestamp } from "../feedback/Instant.tsx"
import { Loading } from "../feedback/PageState.tsx"
import { PodDot } from "../feedback/PodDot.tsx"
import { ScrollTable } from "../feedback/ScrollTable.tsx"
import * as Quantity from "../format/Quantity.ts"
import { isUnready, terminationText, worstFirst } from "./WorkloadAnswer.ts"

/** Minimum width of the table, in pixels. */
const MIN_WIDTH = 860

interface Props {
  readonly workload: WorkloadName
  /** Opens the log of a pod; absent if it cannot be read. */
  readonly onLog: ((pod: string) => void) | undefined
  /** Shows only pods that are not ready, and nothing if all are. */
  readonly isUnreadyOnly?: boolean
}

export const PodsTable = ({ isUnreadyOnly = false, onLog, workload }: Props) => {
  const found = useQuery(podsQuery(workload))
  const all = found.data?.pods ?? []
  const pods = worstFirst(isUnreadyOnly ? all.filter(isUnready) : all)
  const [coverage] = found.data?.clusters ?? []
  if (isUnreadyOnly && pods.length === 0 && found.error === null) return undefined
  return (
    <Stack gap="xs" component="section" aria-label="Pods">
      <Title order={2} size="h5">
        {isUnreadyOnly ? "Pods that are not ready" : "Pods"}
      </Title>
      {found.error instanceof ApiFailure ? (
        <FailureAlert failure={found.error} onRetry={() => void found.refetch()} />
      ) : undefined}
      {found.isLoading ? <Loading what="the pods" /> : undefined}
      {found.data !== undefined && pods.length === 0 ? (
        <Text size="sm" c="dimmed">
          The workload has no pods now.
        </Text>
      ) : undefined}
      {pods.length === 0 ? undefined : <Rows pods={pods} onLog={onLog} />}
      {coverage !== undefined && coverage.count > all.length ? (
        <Text size="sm" c="dimmed">
          Showing the first {Quantity.count(all.length)} of {Quantity.counted(coverage.count, "pod")}, by name.
        </Text>
      ) : undefined}
    </Stack>
  )
}

const COLUMNS = ["Name", "Status", "Ready", "Restarts", "Last termination", "Node", "Created"] as const

interface RowsProps extends Pick<Props, "onLog"> {
  readonly pods: ReadonlyArray<Pod>
}

const Rows = ({ onLog, pods }: RowsProps) => (
  <ScrollTable minWidth={MIN_WIDTH} label="Pods">
    <Table aria-label="Pods" horizontalSpacing="sm" verticalSpacing={6} className="qd-keeps-name">
      <Table.Thead>
        <Table.Tr>
          {COLUMNS.map((title) => (
            <Table.Th key={title} scope="col">
              {title}
            </Table.Th>
          ))}
          {onLog === undefined ? undefined : <Table.Th scope="col">Log</Table.Th>}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {pods.map((pod) => (
          <Table.Tr key={pod.id} data-pod={pod.name}>
            <Table.Td className="qd-text">{pod.name}</Table.Td>
            <Table.Td maw={300}>
              <PodStatus pod={pod} />
            </Table.Td>
            <Table.Td className="qd-number">
              {isUnready(pod) ? <b className="qd-lacking">{readyText(pod)}</b> : readyText(pod)}
            </Table.Td>
            <Table.Td className="qd-number">
              {Quantity.count(pod.restarts)}
              {pod.lastRestartAt === undefined ? undefined : (
                <Note>
                  <PlainTimestamp at={pod.lastRestartAt} />
                </Note>
              )}
            </Table.Td>
            <Table.Td maw={300} className="qd-text">
              <LastTermination pod={pod} />
            </Table.Td>
            <Table.Td className="qd-text">{pod.node ?? "not scheduled"}</Table.Td>
            <Table.Td>
              <PlainTimestamp at={pod.createdAt} />
            </Table.Td>
            {onLog === undefined ? undefined : (
              <Table.Td>
                <Button
                  size="compact-xs"
                  variant="default"
                  onClick={() => onLog(pod.name)}
                  aria-label={`Log of ${pod.name}`}
                >
                  Log
                </Button>
              </Table.Td>
            )}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  </ScrollTable>
)

const Note = ({ children }: { readonly children: ReactNode }) => (
  <Text component="div" size="xs" c="dimmed" className="qd-text">
    {children}
  </Text>
)

const LastTermination = ({ pod: { lastTermination } }: { readonly pod: Pod }) =>
  lastTermination === undefined ? (
    Quantity.UNKNOWN
  ) : (
    <>
      {terminationText(lastTermination)}
      <Note>
        <PlainTimestamp at={lastTermination.finishedAt} />
        {lastTermination.message === undefined ? "" : `: ${lastTermination.message}`}
      </Note>
    </>
  )

const readyText = ({ containers, readyContainers }: Pod): string => `${readyContainers} of ${containers}`

const PodStatus = ({ pod }: { readonly pod: Pod }) => (
  <span className="qd-text">
    <PodDot pod={pod} /> {pod.status}
    {pod.waiting === undefined || pod.waiting.message === "" ? undefined : <Note>{pod.waiting.message}</Note>}
  </span>
)
