/**
 * Recent Kubernetes events of a workload and its pods.
 */
import { Stack, Table, Text, Title } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { ApiFailure } from "../api/Client.ts"
import { eventsQuery, type KubeEvent, podsQuery } from "../api/PodQueries.ts"
import type { WorkloadName } from "../api/WorkloadQueries.ts"
import { FailureAlert } from "../feedback/FailureAlert.tsx"
import { PlainTimestamp } from "../feedback/Instant.tsx"
import { Loading } from "../feedback/PageState.tsx"
import { ScrollTable } from "../feedback/ScrollTable.tsx"
import * as Quantity from "../format/Quantity.ts"

/** Minimum width of the table, in pixels. */
const MIN_WIDTH = 760

export const EventsTable = ({ workload }: { readonly workload: WorkloadName }) => {
  const { cluster, kind, name, namespace } = workload
  const found = useQuery(eventsQuery(cluster, namespace))
  const pods = useQuery(podsQuery(workload))
  const podNames = new Set(pods.data?.pods.map((pod) => pod.name))
  const isAbout = ({ regarding }: KubeEvent): boolean => {
    if (regarding.kind === kind) return regarding.name === name
    if (regarding.kind === "Pod") return podNames.has(regarding.name)
    // ReplicaSets and Jobs between a workload and its pods are named `<workload>-<suffix>`.
    const isBetween = regarding.kind === "ReplicaSet" || regarding.kind === "Job"
    return isBetween && regarding.name.startsWith(`${name}-`) && !regarding.name.slice(name.length + 1).includes("-")
  }
  const events = found.data?.events.filter(isAbout) ?? []
  return (
    <Stack gap="xs" component="section" aria-label="Events">
      <Title order={2} size="h4">
        Events
      </Title>
      {found.error instanceof ApiFailure ? (
        <FailureAlert failure={found.error} onRetry={() => void found.refetch()} />
      ) : undefined}
      {found.isLoading ? <Loading what="the events" /> : undefined}
      {found.data !== undefined && events.length === 0 ? (
        <Text size="sm" c="dimmed">
          No recent events. Clusters usually keep events for an hour.
        </Text>
      ) : undefined}
      {events.length === 0 ? undefined : <Rows events={events} />}
      {found.data?.nextCursor === undefined ? undefined : (
        <Text size="sm" c="dimmed">
          Only the newest {Quantity.count(found.data.events.length)} events of the namespace were searched.
        </Text>
      )}
    </Stack>
  )
}

const Rows = ({ events }: { readonly events: ReadonlyArray<KubeEvent> }) => (
  <ScrollTable minWidth={MIN_WIDTH} label="Events, the newest first">
    <Table aria-label="Events" horizontalSpacing="sm" verticalSpacing={6}>
      <Table.Thead>
        <Table.Tr>
          {["Last seen", "Type", "Reason", "Object", "Message"].map((title) => (
            <Table.Th key={title} scope="col">
              {title}
            </Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {events.map(({ count, id, lastSeenAt, message, reason, regarding, type }) => (
          <Table.Tr key={id} data-event={reason}>
            <Table.Td>
              <PlainTimestamp at={lastSeenAt} />
              {count > 1 ? (
                <Text span size="xs" c="dimmed">
                  , {Quantity.count(count)} times
                </Text>
              ) : undefined}
            </Table.Td>
            <Table.Td>
              <span className={`qd-dot qd-dot-${type === "Normal" ? "gray" : "orange"}`} /> {type}
            </Table.Td>
            <Table.Td className="qd-text">{reason}</Table.Td>
            <Table.Td className="qd-text">
              {regarding.kind} {regarding.name}
            </Table.Td>
            <Table.Td className="qd-text">{message}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  </ScrollTable>
)
