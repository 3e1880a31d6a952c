/**
 * One cluster.
 */
import { Anchor, Badge, Button, Group, Paper, SimpleGrid, Stack, Table, Text, Title } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { Link, useParams } from "react-router"
import { ApiFailure } from "../api/Client.ts"
import { type CostGroup, costGroupsQuery, seesIdle } from "../api/CostQueries.ts"
import { clustersQuery } from "../api/Queries.ts"
import type { Cluster } from "../api/Shapes.ts"
import { useCaller } from "../frame/Caller.ts"
import { PLACES } from "../frame/places.ts"
import { useTitle } from "../frame/useTitle.ts"
import { Fact } from "../feedback/Fact.tsx"
import { FailureAlert } from "../feedback/FailureAlert.tsx"
import { Timestamp } from "../feedback/Instant.tsx"
import { LabelList } from "../feedback/LabelList.tsx"
import { Empty, Loading } from "../feedback/PageState.tsx"
import * as Quantity from "../format/Quantity.ts"
import * as ClusterTarget from "../api/ClusterTarget.ts"
import { answers } from "../clusterScope/CoverageText.ts"
import { CoverageStrip } from "../clusterScope/CoverageStrip.tsx"
import { useTarget } from "../clusterScope/useTarget.ts"
import { Capacity } from "./Capacity.tsx"
import { useDayCosts } from "./DayCosts.ts"
import { ClusterHealth } from "./ClusterHealth.tsx"
import { DayCostText } from "./DayCostText.tsx"
import { RemoveCluster } from "./RemoveCluster.tsx"
import { Reachability } from "./Reachability.tsx"
import { SameCluster } from "./SameCluster.tsx"

export const ClusterPage = () => {
  const { cluster: name = "" } = useParams()
  const heading = useTitle(name)
  const { linkTo } = useTarget()
  const list = useQuery(clustersQuery(ClusterTarget.named([name])))
  const cluster = list.data?.clusters[0]
  return (
    <Stack gap="md">
      <div>
        <Text size="sm">
          <Anchor component={Link} to={linkTo(PLACES.clusters)} underline="always">
            Clusters
          </Anchor>
        </Text>
        <Group gap="sm">
          <Title order={1} size="h2" ref={heading} tabIndex={-1} className="qd-text">
            {name}
          </Title>
          {cluster?.role === "parent" ? (
            <Badge tt="none" variant="outline">
              parent
            </Badge>
          ) : undefined}
          {cluster === undefined ? undefined : <Reachability cluster={cluster} />}
          {cluster === undefined ? undefined : <ClusterHealth cluster={cluster} />}
        </Group>
        <SameCluster names={cluster?.sameCluster} />
      </div>
      {list.error instanceof ApiFailure ? (
        <FailureAlert failure={list.error} onRetry={() => void list.refetch()} />
      ) : undefined}
      {list.isLoading ? <Loading what="the cluster" /> : undefined}
      {cluster === undefined ? undefined : <ClusterFacts cluster={cluster} readAtMs={list.dataUpdatedAt} />}
    </Stack>
  )
}

interface FactsProps {
  readonly cluster: Cluster
  /** Time when the cluster was read. **Units** milliseconds since the epoch. */
  readonly readAtMs: number
}

const ClusterFacts = ({ cluster, readAtMs }: FactsProps) => {
  const target = ClusterTarget.named([cluster.name])
  const costs = useDayCosts(target)
  const day = costs.data?.get(cluster.name)
  const search = ClusterTarget.write(new URLSearchParams(), target).toString()
  return (
    <>
      <CoverageStrip coverages={[cluster.coverage]} readAtMs={readAtMs} rows="figures" />
      <SimpleGrid
        cols={{ base: 2, sm: 3, lg: 6 }}
        spacing="sm"
        className={answers(cluster.coverage) ? "" : "qd-last-known"}
      >
        <Fact name="Version">{cluster.version ?? Quantity.UNKNOWN}</Fact>
        <Fact name="Nodes">{Quantity.count(cluster.nodes)}</Fact>
        <Fact name="Pods">{Quantity.count(cluster.pods)}</Fact>
        <Fact name="Last answer">{cluster.lastSeen === null ? "Never" : <Timestamp at={cluster.lastSeen} />}</Fact>
        <Fact name="Cost, last day">
          <DayCostText cost={day} />
        </Fact>
        <Fact name="Usage of requests, last day">
          CPU {Quantity.percent(day?.cpuEfficiency)}, memory {Quantity.percent(day?.memoryEfficiency)}
        </Fact>
      </SimpleGrid>
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
        <Fact name="CPU requested of capacity">
          <Capacity
            name="CPU"
            requested={cluster.cpuRequestMillis}
            allocatable={cluster.cpuAllocatableMillis}
            print={Quantity.cpu}
          />
        </Fact>
        <Fact name="Memory requested of capacity">
          <Capacity
            name="Memory"
            requested={cluster.memoryRequestBytes}
            allocatable={cluster.memoryAllocatableBytes}
            print={Quantity.bytes}
          />
        </Fact>
      </SimpleGrid>
      {Object.keys(cluster.labels).length === 0 ? undefined : (
        <Fact name="Labels">
          <LabelList labels={cluster.labels} isTruncated={cluster.labelsTruncated ?? false} />
        </Fact>
      )}
      <Group>
        <Button component={Link} to={`${PLACES.workloads}?${search}`} variant="default">
          Workloads
        </Button>
        <Button component={Link} to={`${PLACES.cost}?${search}`} variant="default">
          Costs
        </Button>
        <RemoveCluster cluster={cluster} />
      </Group>
      <NamespaceCosts target={target} />
    </>
  )
}

const SHOWN_NAMESPACES = 10
const WEEK = { range: "7d" }

const NamespaceCosts = ({ target }: { readonly target: ClusterTarget.ClusterTarget }) => {
  const { rule } = useCaller()
  const idle = seesIdle(rule) ? "show" : "hide"
  const costs = useQuery(costGroupsQuery(target, WEEK, { groupBy: ["namespace"], idle }, SHOWN_NAMESPACES))
  return (
    <Stack gap="xs" component="section" aria-label="Cost by namespace">
      <Title order={2} size="h4">
        Most expensive namespaces, last 7 days
      </Title>
      {costs.error instanceof ApiFailure ? (
        <FailureAlert failure={costs.error} onRetry={() => void costs.refetch()} />
      ) : undefined}
      {costs.isLoading ? <Loading what="costs" /> : undefined}
      {costs.data?.rows.length === 0 ? (
        <Empty title="No costs yet">The server counts costs from the first minutes in which it sees a cluster.</Empty>
      ) : undefined}
      {costs.data !== undefined && costs.data.rows.length > 0 ? (
        <Paper withBorder>
          <Table horizontalSpacing="md" aria-label="Most expensive namespaces">
            <Table.Tbody>
              {costs.data.rows.map((row) => (
                <Table.Tr key={labelOf(row)}>
                  <Table.Td className="qd-text">{labelOf(row)}</Table.Td>
                  <Table.Td ta="right" className="qd-number">
                    {Quantity.money(row.totalCost, costs.data.currency)}
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Paper>
      ) : undefined}
    </Stack>
  )
}

const labelOf = ({ group, idle, management, unmounted }: CostGroup): string => {
  if (idle) return "Idle machines"
  if (management) return "Control plane"
  if (unmounted) return "Volumes that no pod mounts"
  return group["namespace"] ?? Quantity.UNKNOWN
}
