/**
 * Clusters.
 */
import { Button, Code, Group, Stack, Text, Title } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { Link } from "react-router"
import { ApiFailure } from "../api/Client.ts"
import { clustersQuery } from "../api/Queries.ts"
import { isUnscopedAdmin, useCaller } from "../frame/Caller.ts"
import { PLACES } from "../frame/places.ts"
import { useTitle } from "../frame/useTitle.ts"
import { Empty, Loading } from "../feedback/PageState.tsx"
import { TargetFailure } from "../clusterScope/TargetFailure.tsx"
import { CoverageStrip } from "../clusterScope/CoverageStrip.tsx"
import { useTarget } from "../clusterScope/useTarget.ts"
import { ClusterTable } from "./ClusterTable.tsx"
import { useDayCosts } from "./DayCosts.ts"

export const ClustersPage = () => {
  const heading = useTitle("Clusters")
  const { linkTo, target } = useTarget()
  const { rule } = useCaller()
  const list = useQuery(clustersQuery(target))
  const costs = useDayCosts(target)
  const clusters = list.data?.clusters
  return (
    <Stack gap="md">
      <Group justify="space-between" align="flex-start">
        <div>
          <Title order={1} size="h2" ref={heading} tabIndex={-1}>
            Clusters
          </Title>
          <Text c="dimmed">Health, capacity and cost of each cluster in your key's scope.</Text>
        </div>
        {isUnscopedAdmin(rule) ? (
          <Button component={Link} to={linkTo(PLACES.registerCluster)}>
            Register a cluster
          </Button>
        ) : undefined}
      </Group>
      {list.error instanceof ApiFailure ? (
        <TargetFailure
          failure={list.error}
          onRetry={() => void list.refetch()}
          shownSinceMs={clusters === undefined ? undefined : list.dataUpdatedAt}
        />
      ) : undefined}
      {list.isLoading ? <Loading what="clusters" /> : undefined}
      {clusters === undefined ? undefined : (
        <CoverageStrip
          coverages={clusters.map(({ coverage }) => coverage)}
          readAtMs={list.dataUpdatedAt}
          rows="figures"
        />
      )}
      {costs.error instanceof ApiFailure && clusters !== undefined ? (
        <Text size="sm" role="status">
          The costs cannot be read at the moment: {costs.error.message} <Code>{costs.error.code}</Code>
        </Text>
      ) : undefined}
      {clusters !== undefined && clusters.length > 0 ? (
        <ClusterTable clusters={clusters} costs={costs.data} />
      ) : undefined}
      {clusters?.length === 0 ? (
        <Empty title="No cluster to show">
          No registered cluster is in your key's scope. Clusters come from the server's setting{" "}
          <Code>clusters.kubeconfig</Code> or are registered here. The page Your key shows your key's scope.
        </Empty>
      ) : undefined}
    </Stack>
  )
}
