/**
 * The list of clusters: rows, or cards on a narrow screen.
 */
import { Anchor, Badge, Group, Paper, SimpleGrid, Stack, Table, Text } from "@mantine/core"
import { useMediaQuery } from "@mantine/hooks"
import type { ReactNode } from "react"
import { Link } from "react-router"
import type { Cluster } from "../api/Shapes.ts"
import { clusterPlace } from "../frame/places.ts"
import * as Quantity from "../format/Quantity.ts"
import { answers } from "../clusterScope/CoverageText.ts"
import { useTarget } from "../clusterScope/useTarget.ts"
import { Capacity } from "./Capacity.tsx"
import type { DayCost } from "./DayCosts.ts"
import { ClusterHealth } from "./ClusterHealth.tsx"
import { DayCostText } from "./DayCostText.tsx"
import { Reachability } from "./Reachability.tsx"
import { SameCluster } from "./SameCluster.tsx"

interface Props {
  readonly clusters: ReadonlyArray<Cluster>
  /** Costs by cluster name; absent while they load. */
  readonly costs: ReadonlyMap<string, DayCost> | undefined
}

interface Column {
  readonly title: string
  readonly cell: (cluster: Cluster, cost: DayCost | undefined) => ReactNode
}

const COLUMNS: ReadonlyArray<Column> = [
  { title: "Reachable", cell: (cluster) => <Reachability cluster={cluster} /> },
  { title: "Health", cell: (cluster) => <ClusterHealth cluster={cluster} /> },
  { title: "Version", cell: ({ version }) => <Figure>{version ?? Quantity.UNKNOWN}</Figure> },
  { title: "Nodes", cell: ({ nodes }) => <Figure>{Quantity.count(nodes)}</Figure> },
  { title: "Pods", cell: ({ pods }) => <Figure>{Quantity.count(pods)}</Figure> },
  {
    title: "CPU",
    cell: (cluster) => (
      <Capacity
        name="CPU"
        requested={cluster.cpuRequestMillis}
        allocatable={cluster.cpuAllocatableMillis}
        print={Quantity.cpu}
      />
    )
  },
  {
    title: "Memory",
    cell: (cluster) => (
      <Capacity
        name="Memory"
        requested={cluster.memoryRequestBytes}
        allocatable={cluster.memoryAllocatableBytes}
        print={Quantity.bytes}
      />
    )
  },
  { title: "Cost, last day", cell: (_cluster, cost) => <DayCostText cost={cost} /> }
]

export const ClusterTable = ({ clusters, costs }: Props) => {
  const isWide = useMediaQuery("(min-width: 75em)", false, { getInitialValueInEffect: false })
  if (!isWide) {
    return (
      <Stack gap="sm" component="ul" p={0} m={0}>
        {clusters.map((cluster) => (
          <ClusterCard key={cluster.name} cluster={cluster} cost={costs?.get(cluster.name)} />
        ))}
      </Stack>
    )
  }
  return (
    <Paper withBorder>
      <Table verticalSpacing="sm" horizontalSpacing="md" aria-label="Clusters">
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">Cluster</Table.Th>
            {COLUMNS.map(({ title }) => (
              <Table.Th key={title} scope="col">
                {title}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {clusters.map((cluster) => (
            <Table.Tr key={cluster.name} data-cluster={cluster.name} className={ageClassOf(cluster)}>
              <Table.Td maw={300}>
                <Name cluster={cluster} />
              </Table.Td>
              {COLUMNS.map(({ cell, title }) => (
                <Table.Td key={title}>{cell(cluster, costs?.get(cluster.name))}</Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Paper>
  )
}

/** Dims the figures of a cluster that does not answer. */
const ageClassOf = ({ coverage }: Cluster): string => (answers(coverage) ? "" : "qd-last-known")

const Figure = ({ children }: { readonly children: ReactNode }) => (
  <Text size="sm" className="qd-number">
    {children}
  </Text>
)

const Name = ({ cluster: { name, role, sameCluster } }: { readonly cluster: Cluster }) => {
  const { linkTo } = useTarget()
  return (
    <Group gap={6}>
      <Anchor component={Link} to={linkTo(clusterPlace(name))} fw={600} className="qd-text" underline="always">
        {name}
      </Anchor>
      {role === "parent" ? (
        <Badge size="sm" tt="none" variant="outline">
          parent
        </Badge>
      ) : undefined}
      <SameCluster names={sameCluster} />
    </Group>
  )
}

const ClusterCard = ({ cluster, cost }: { readonly cluster: Cluster; readonly cost: DayCost | undefined }) => (
  <Paper withBorder p="md" component="li" data-cluster={cluster.name} className={ageClassOf(cluster)}>
    <Stack gap="sm">
      <Name cluster={cluster} />
      <SimpleGrid cols={{ base: 2, xs: 3 }} spacing="xs" verticalSpacing="xs">
        {COLUMNS.map(({ cell, title }) => (
          <div key={title}>
            <Text size="xs" c="dimmed">
              {title}
            </Text>
            {cell(cluster, cost)}
          </div>
        ))}
      </SimpleGrid>
    </Stack>
  </Paper>
)
