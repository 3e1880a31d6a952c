/**
 * Preview of a rule: the namespaces that it reaches now, by cluster.
 */
import { Alert, Badge, Group, Paper, Stack, Text, Title } from "@mantine/core"
import { includes } from "@quarterdeck/contract/RuleMatch"
import { useQuery } from "@tanstack/react-query"
import { ApiFailure } from "../api/Client.ts"
import { type NamespaceView, namespacesQuery } from "../api/Queries.ts"
import type { Coverage, Rule } from "../api/Shapes.ts"
import { FailureAlert } from "../feedback/FailureAlert.tsx"
import { Loading } from "../feedback/PageState.tsx"

/** Namespaces of a cluster shown by name. The rest is counted. */
const SHOWN_NAMES = 30

/** Reached namespaces of one cluster. **Shape** without `coverage` no cluster of this name is registered. */
interface Reach {
  readonly cluster: string
  readonly namespaces: ReadonlyArray<string>
  readonly coverage?: Coverage
}

/** Returns the reached namespaces for each cluster of a rule, registered or not. */
const reachOf = (rule: Rule, { clusters, namespaces }: NamespaceView): ReadonlyArray<Reach> => {
  const coverages = new Map<string, Coverage>(clusters.map((coverage) => [coverage.name, coverage]))
  return (rule.targetClusters ?? clusters.map(({ name }) => name)).map((cluster) => {
    const coverage = coverages.get(cluster)
    return {
      cluster,
      namespaces: namespaces
        .filter((namespace) => namespace.cluster === cluster && includes(rule, namespace))
        .map(({ name }) => name)
        .toSorted(),
      ...(coverage === undefined ? {} : { coverage })
    }
  })
}

export const RulePreview = ({ rule }: { readonly rule: Rule | undefined }) => {
  const view = useQuery(namespacesQuery)
  const reach = rule === undefined || view.data === undefined ? [] : reachOf(rule, view.data)
  const count = reach.reduce((sum, { namespaces }) => sum + namespaces.length, 0)
  return (
    <Paper withBorder p="md" component="section" aria-label="Current scope of the key">
      <Stack gap="sm">
        <div>
          <Title order={2} size="h4">
            Current scope
          </Title>
          <Text size="sm" c="dimmed" role="status">
            {rule === undefined || view.data === undefined
              ? "Fill in the rule to see the namespaces that it matches."
              : `${namespacesText(count)} in ${clustersText(reach.length)}. Namespaces created later are included if they match.`}
          </Text>
        </div>
        {view.error instanceof ApiFailure ? (
          <FailureAlert failure={view.error} onRetry={() => void view.refetch()} />
        ) : undefined}
        {view.isPending ? <Loading what="namespaces" /> : undefined}
        {view.data?.isCut === true ? (
          <Alert color="yellow">
            There are more namespaces than a preview reads. It shows the first{" "}
            {number.format(view.data.namespaces.length)}.
          </Alert>
        ) : undefined}
        {reach.map((clusterReach) => (
          <ClusterReach key={clusterReach.cluster} {...clusterReach} />
        ))}
      </Stack>
    </Paper>
  )
}

const ClusterReach = ({ cluster, coverage, namespaces }: Reach) => (
  <Stack gap={6} data-cluster={cluster}>
    <Group gap="xs">
      <Text fw={600} className="qd-text">
        {cluster}
      </Text>
      <Text size="sm" c="dimmed">
        {coverage === undefined ? "not registered" : namespacesText(namespaces.length)}
      </Text>
    </Group>
    {coverage === undefined ? (
      <Text size="sm">No cluster with this name is registered yet. The rule will apply once one is.</Text>
    ) : undefined}
    {coverage === undefined || coverage.status === "ok" ? undefined : (
      <Text size="sm">
        {cluster} does not answer fully ({coverage.status}). The rule may match more namespaces there.
      </Text>
    )}
    {coverage?.status === "ok" && namespaces.length === 0 ? (
      <Text size="sm">No namespace in this cluster matches now.</Text>
    ) : undefined}
    {namespaces.length > 0 ? (
      <Group gap={6} component="ul" p={0} m={0}>
        {namespaces.slice(0, SHOWN_NAMES).map((name) => (
          <Badge key={name} component="li" variant="default" tt="none" fw={500} maw="100%">
            {name}
          </Badge>
        ))}
        {namespaces.length > SHOWN_NAMES ? (
          <Text size="sm" component="li" lts={0}>
            and {number.format(namespaces.length - SHOWN_NAMES)} more
          </Text>
        ) : undefined}
      </Group>
    ) : undefined}
  </Stack>
)

const number = new Intl.NumberFormat()
const namespacesText = (count: number): string => `${number.format(count)} ${count === 1 ? "namespace" : "namespaces"}`
const clustersText = (count: number): string => `${number.format(count)} ${count === 1 ? "cluster" : "clusters"}`
