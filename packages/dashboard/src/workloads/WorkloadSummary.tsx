/**
 * The first tab of a workload: replicas, pods that are not ready, conditions, containers and rollout.
 */
import { List, SimpleGrid, Stack, Table, Text, Title } from "@mantine/core"
import type { UseQueryResult } from "@tanstack/react-query"
import { ApiFailure } from "../api/Client.ts"
import type { Workload, WorkloadDetail } from "../api/WorkloadQueries.ts"
import { Fact } from "../feedback/Fact.tsx"
import { FailureAlert } from "../feedback/FailureAlert.tsx"
import { PlainTimestamp, Timestamp } from "../feedback/Instant.tsx"
import { LabelList } from "../feedback/LabelList.tsx"
import { ScrollTable } from "../feedback/ScrollTable.tsx"
import * as Quantity from "../format/Quantity.ts"
import { Containers } from "./Containers.tsx"
import { PodsTable } from "./PodsTable.tsx"

interface Props {
  readonly workload: Workload
  readonly detail: UseQueryResult<WorkloadDetail>
  /** True if the workload's cluster does not answer. */
  readonly isLastKnown: boolean
  readonly onLog: ((pod: string) => void) | undefined
}

export const WorkloadSummary = ({ detail, isLastKnown, onLog, workload }: Props) => {
  const { createdAt, images, labels, labelsTruncated = false, replicas } = workload
  const found = detail.data
  return (
    <Stack gap="lg" className={isLastKnown ? "qd-last-known" : ""}>
      <SimpleGrid cols={{ base: 2, xs: 3, md: 5 }} spacing="sm">
        <Fact name="Desired">{Quantity.count(replicas.desired)}</Fact>
        <Fact name="Ready">{Quantity.count(replicas.ready)}</Fact>
        <Fact name="Up to date">{Quantity.count(replicas.updated)}</Fact>
        <Fact name="Available">{Quantity.count(replicas.available)}</Fact>
        <Fact name="Created">
          <Timestamp at={createdAt} />
        </Fact>
      </SimpleGrid>
      <PodsTable workload={workload} onLog={onLog} isUnreadyOnly />
      {detail.error instanceof ApiFailure ? (
        <FailureAlert failure={detail.error} onRetry={() => void detail.refetch()} />
      ) : undefined}
      {found === undefined ? (
        <Fact name={images.length === 1 ? "Image" : "Images"}>
          <List size="sm" listStyleType="none">
            {images.map((image) => (
              <List.Item key={image}>{image}</List.Item>
            ))}
          </List>
        </Fact>
      ) : (
        <>
          <Conditions conditions={found.conditions} />
          <Containers containers={found.containers} />
          <Rollout {...found.rollout} />
        </>
      )}
      <Fact name="Labels">
        <LabelList labels={labels} isTruncated={labelsTruncated} />
      </Fact>
    </Stack>
  )
}

/** Minimum width of the table, in pixels. */
const MIN_WIDTH = 640

const Conditions = ({ conditions }: Pick<WorkloadDetail, "conditions">) =>
  conditions.length === 0 ? undefined : (
    <Stack gap="xs" component="section" aria-label="Conditions">
      <Title order={2} size="h5">
        Conditions
      </Title>
      <ScrollTable minWidth={MIN_WIDTH} label="Conditions">
        <Table aria-label="Conditions" verticalSpacing={6}>
          <Table.Thead>
            <Table.Tr>
              {["Condition", "Status", "Reason", "Message", "Since"].map((title) => (
                <Table.Th key={title} scope="col">
                  {title}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {conditions.map(({ lastTransitionAt, message, reason, status, type }) => (
              <Table.Tr key={type}>
                <Table.Td>{type}</Table.Td>
                <Table.Td>{status}</Table.Td>
                <Table.Td className="qd-text">{reason}</Table.Td>
                <Table.Td className="qd-text">{message}</Table.Td>
                <Table.Td>
                  {lastTransitionAt === undefined ? undefined : <PlainTimestamp at={lastTransitionAt} />}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </ScrollTable>
    </Stack>
  )

const Rollout = ({ isPaused, progressDeadlineSeconds, revision, strategy }: WorkloadDetail["rollout"]) => {
  const facts = [
    revision === null ? undefined : `revision ${revision}`,
    strategy === null ? undefined : `strategy ${strategy}`,
    isPaused ? "paused" : undefined,
    progressDeadlineSeconds === undefined
      ? undefined
      : `fails after ${Quantity.duration(progressDeadlineSeconds * 1_000)} without progress`
  ].filter((fact) => fact !== undefined)
  return facts.length === 0 ? undefined : (
    <Fact name="Rollout">
      <Text size="sm">{facts.join(", ")}</Text>
    </Fact>
  )
}
