/**
 * The pods of a workload.
 */
import { Button, Paper, Stack, Table, Text, Title } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { ApiFailure } from "../api/Client.ts"
import { type Pod, podsQuery } from "../api/PodQueries.ts"
import type { WorkloadName } from "../api/WorkloadQueries.ts"
import { useCaller } from "../frame/Caller.ts"
import { FailureAlert } from "../feedback/FailureAlert.tsx"
import { PlainTimestamp } from "../feedback/Instant.tsx"
import { Loading } from "../feedback/PageState.tsx"
import { ScrollTable } from "../feedback/ScrollTable.tsx"
import * as Quantity from "../format/Quantity.ts"
import { LogDrawer } from "./LogDrawer.tsx"

/** Minimum width and maximum height of the table, in pixels. */
const MIN_WIDTH = 760
const MAX_HEIGHT = 420

export const PodsTable = ({ workload }: { readonly workload: WorkloadName }) => {
  const found = useQuery(podsQuery(workload))
  const [read, setRead] = useState<Pod>()
  const pods = found.data?.pods ?? []
  const [coverage] = found.data?.clusters ?? []
  return (
    <Stack gap="xs" component="section" aria-label="Pods">
      <Title order={2} size="h4">
        Pods
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
      {pods.length === 0 ? undefined : <Rows pods={pods} onLog={setRead} />}
      {coverage !== undefined && coverage.count > pods.length ? (
        <Text size="sm" c="dimmed">
          Showing the first {Quantity.count(pods.length)} of {Quantity.counted(coverage.count, "pod")}, by name.
        </Text>
      ) : undefined}
      <LogDrawer pod={read} onClose={() => setRead(undefined)} />
    </Stack>
  )
}

const COLUMNS = ["Name", "Status", "Ready", "Restarts", "Node", "Created"] as const

const Rows = ({ onLog, pods }: { readonly pods: ReadonlyArray<Pod>; readonly onLog: (pod: Pod) => void }) => {
  const { rule } = useCaller()
  const mayRead = rule.role !== "Viewer"
  return (
    <Paper withBorder>
      <ScrollTable minWidth={MIN_WIDTH} maxHeight={MAX_HEIGHT} label="Pods">
        <Table aria-label="Pods" horizontalSpacing="md" verticalSpacing={6} className="qd-keeps-name">
          <Table.Thead>
            <Table.Tr>
              {COLUMNS.map((title) => (
                <Table.Th key={title} scope="col">
                  {title}
                </Table.Th>
              ))}
              {mayRead ? <Table.Th scope="col">Log</Table.Th> : undefined}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {pods.map((pod) => (
              <Table.Tr key={pod.id} data-pod={pod.name}>
                <Table.Td className="qd-text">{pod.name}</Table.Td>
                <Table.Td>
                  <PodStatus pod={pod} />
                </Table.Td>
                <Table.Td className="qd-number">
                  {pod.readyContainers < pod.containers && pod.status !== "Completed" ? (
                    <b className="qd-lacking">{readyText(pod)}</b>
                  ) : (
                    readyText(pod)
                  )}
                </Table.Td>
                <Table.Td className="qd-number">
                  {Quantity.count(pod.restarts)}
                  {pod.lastRestartAt === undefined ? undefined : (
                    <Text span size="xs" c="dimmed">
                      {" "}
                      <PlainTimestamp at={pod.lastRestartAt} />
                    </Text>
                  )}
                </Table.Td>
                <Table.Td className="qd-text">{pod.node ?? "not scheduled"}</Table.Td>
                <Table.Td>
                  <PlainTimestamp at={pod.createdAt} />
                </Table.Td>
                {mayRead ? (
                  <Table.Td>
                    <Button
                      size="compact-xs"
                      variant="default"
                      onClick={() => onLog(pod)}
                      aria-label={`Log of ${pod.name}`}
                    >
                      Log
                    </Button>
                  </Table.Td>
                ) : undefined}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </ScrollTable>
    </Paper>
  )
}

const readyText = ({ containers, readyContainers }: Pod): string => `${readyContainers} of ${containers}`

/** Returns the colour of a status. **Shape** a status that is neither healthy nor in progress is red. */
const colorOf = ({ containers, readyContainers, status }: Pod): string => {
  if (status === "Running") return readyContainers === containers ? "teal" : "orange"
  if (status === "Completed" || status === "Succeeded") return "teal"
  const isInProgress = ["Pending", "ContainerCreating", "PodInitializing", "Terminating", "SchedulingGated"].includes(
    status
  )
  return isInProgress || /^Init:\d+\/\d+$/.test(status) ? "blue" : "red"
}

const PodStatus = ({ pod }: { readonly pod: Pod }) => (
  <span className="qd-text">
    <span className={`qd-dot qd-dot-${colorOf(pod)}`} /> {pod.status}
  </span>
)
