/**
 * The result of a registration.
 */
import { Button, Code, Group, SimpleGrid, Stack, Text, Title } from "@mantine/core"
import { Link } from "react-router"
import type { Cluster } from "../api/Shapes.ts"
import { clusterPlace, PLACES } from "../frame/places.ts"
import { useTitle } from "../frame/useTitle.ts"
import { Fact } from "../feedback/Fact.tsx"
import * as Quantity from "../format/Quantity.ts"
import { troubleOf } from "../clusterScope/CoverageText.ts"
import { useTarget } from "../clusterScope/useTarget.ts"
import { Reachability } from "./Reachability.tsx"

interface Props {
  readonly cluster: Cluster
  readonly onAnother: () => void
}

export const RegisteredCluster = ({ cluster, onAnother }: Props) => {
  const heading = useTitle("Cluster registered")
  const { linkTo } = useTarget()
  const reason = troubleOf(cluster.coverage, "figures", new Date().getTime())
  return (
    <Stack gap="md" maw={820}>
      <Title order={1} size="h2" ref={heading} tabIndex={-1} className="qd-text">
        {cluster.name} is registered
      </Title>
      <Text>Requests can name it now if it is in their key's scope. It stays registered after a restart.</Text>
      <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="sm">
        <Fact name="Reachable">
          <Reachability cluster={cluster} />
        </Fact>
        <Fact name="Version">{cluster.version ?? Quantity.UNKNOWN}</Fact>
        <Fact name="Read so far">
          {Quantity.counted(cluster.nodes ?? 0, "node")}, {Quantity.counted(cluster.pods ?? 0, "pod")}
        </Fact>
      </SimpleGrid>
      {reason === undefined ? undefined : (
        <Text role="status" className="qd-text">
          {reason} {cluster.coverage.error === undefined ? undefined : <Code>{cluster.coverage.error.code}</Code>}
        </Text>
      )}
      <Group>
        <Button component={Link} to={linkTo(clusterPlace(cluster.name))}>
          Open {cluster.name}
        </Button>
        {/* The link drops the choice of clusters, because the choice would not include the new cluster. */}
        <Button component={Link} to={PLACES.clusters} variant="default">
          All clusters
        </Button>
        <Button variant="default" onClick={onAnother}>
          Register another
        </Button>
      </Group>
    </Stack>
  )
}
