import { Anchor, Code, Group, List, SimpleGrid, Stack, Text, Title } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { Link, useParams } from "react-router"
import { ApiFailure } from "../api/Client.ts"
import { explanationQuery } from "../api/CostQueries.ts"
import { type Workload, workloadQuery } from "../api/WorkloadQueries.ts"
import { clusterPlace, PLACES } from "../frame/places.ts"
import { useTitle } from "../frame/useTitle.ts"
import { Fact } from "../feedback/Fact.tsx"
import { FailureAlert } from "../feedback/FailureAlert.tsx"
import { Timestamp } from "../feedback/Instant.tsx"
import { LabelList } from "../feedback/LabelList.tsx"
import { Empty, Loading } from "../feedback/PageState.tsx"
import * as Quantity from "../format/Quantity.ts"
import { answers } from "../clusterScope/CoverageText.ts"
import { CoverageStrip } from "../clusterScope/CoverageStrip.tsx"
import { useTarget } from "../clusterScope/useTarget.ts"
import { ActionButtons } from "../actions/ActionButtons.tsx"
import { CostHistory } from "./CostHistory.tsx"
import { EventsTable } from "./EventsTable.tsx"
import { PodsTable } from "./PodsTable.tsx"
import { Sizing } from "./Sizing.tsx"
import { StatusBadge } from "./StatusBadge.tsx"

const WEEK = { range: "7d" }

export const WorkloadPage = () => {
  const { cluster = "", kind = "", name = "", namespace = "" } = useParams()
  const heading = useTitle(name)
  const { linkTo } = useTarget()
  const found = useQuery(workloadQuery({ cluster, kind, name, namespace }))
  const workload = found.data?.workload
  const coverage = found.data?.clusters[0]
  const refusal =
    coverage === undefined || answers(coverage)
      ? undefined
      : `${cluster} does not answer. You can change the workload when it answers again.`
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
            {workload === undefined ? undefined : <StatusBadge status={workload.status} />}
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
      {coverage === undefined ? undefined : (
        <CoverageStrip coverages={[coverage]} readAtMs={found.dataUpdatedAt} rows="workloads" />
      )}
      {found.isLoading ? <Loading what="the workload" /> : undefined}
      {found.data !== undefined && workload === undefined ? (
        <Empty title="No such workload">
          Your key's scope has no workload of this kind and name in the cluster. It may have been deleted.
        </Empty>
      ) : undefined}
      {workload === undefined ? undefined : <WorkloadFacts workload={workload} />}
    </Stack>
  )
}

const WorkloadFacts = ({ workload }: { readonly workload: Workload }) => {
  const { cluster, createdAt, images, kind, labels, labelsTruncated = false, name, namespace, replicas } = workload
  const id = [cluster, namespace, kind, name].join("/")
  const costs = useQuery(explanationQuery(cluster, id, WEEK))
  const explanation = costs.data
  const isUnknown = costs.error instanceof ApiFailure && costs.error.code === "cost_row_not_found"
  return (
    <>
      <SimpleGrid cols={{ base: 2, sm: 3, lg: 6 }} spacing="sm">
        <Fact name="Desired">{Quantity.count(replicas.desired)}</Fact>
        <Fact name="Ready">{Quantity.count(replicas.ready)}</Fact>
        <Fact name="Up to date">{Quantity.count(replicas.updated)}</Fact>
        <Fact name="Available">{Quantity.count(replicas.available)}</Fact>
        <Fact name="Created">
          <Timestamp at={createdAt} />
        </Fact>
        <Fact name="Cost, last 7 days">
          {explanation === undefined
            ? Quantity.UNKNOWN
            : Quantity.money(explanation.row.totalCost, explanation.currency)}
        </Fact>
      </SimpleGrid>
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="sm">
        <Fact name={images.length === 1 ? "Image" : "Images"}>
          <List size="sm" listStyleType="none" spacing={4}>
            {images.map((image) => (
              <List.Item key={image} className="qd-text">
                <Code>{image}</Code>
              </List.Item>
            ))}
          </List>
        </Fact>
        <Fact name="Labels">
          <LabelList labels={labels} isTruncated={labelsTruncated} />
        </Fact>
      </SimpleGrid>
      {costs.error instanceof ApiFailure && !isUnknown ? (
        <FailureAlert failure={costs.error} onRetry={() => void costs.refetch()} />
      ) : undefined}
      <PodsTable workload={workload} />
      <EventsTable workload={workload} />
      <Sizing workload={workload} explanation={explanation} />
      {isUnknown ? undefined : <CostHistory cluster={cluster} id={id} />}
      {isUnknown ? (
        <Text size="sm" c="dimmed">
          The server has no costs of this workload in the last 7 days.
        </Text>
      ) : undefined}
    </>
  )
}
