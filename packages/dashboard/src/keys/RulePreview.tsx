/**
 * What a rule reaches at this moment, cluster by cluster.
 */
import { Alert, Badge, Group, Paper, Stack, Text, Title } from "@mantine/core"
import { includes } from "@quarterdeck/contract/RuleMatch"
import { useQuery } from "@tanstack/react-query"
import { ApiFailure } from "../api/Client.ts"
import { type NamespaceView, namespacesQuery } from "../api/Queries.ts"
import type { Coverage, Rule } from "../api/Shapes.ts"
import { FailureAlert } from "../feedback/FailureAlert.tsx"
import { Loading } from "../feedback/PageState.tsx"

/** Names of one cluster that are written out; the rest is counted. */
const SHOWN_NAMES = 30

/** What is known of one cluster that a rule reaches. **Shape** no `coverage`: no such cluster is registered. */
interface Reach {
  readonly cluster: string
  readonly namespaces: ReadonlyArray<string>
  readonly coverage?: Coverage
}

/** Tells for each cluster of a rule, registered or not, which namespaces it reaches now. */
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
    <Paper withBorder p="md" component="section" aria-label="What the key reaches now">
      <Stack gap="sm">
        <div>
          <Title order={2} size="h4">
            What it reaches now
          </Title>
          <Text size="sm" c="dimmed" role="status">
            {rule === undefined || view.data === undefined
              ? "Fill in the rule to see what it matches."
              : `${namespacesText(count)} in ${clustersText(reach.length)}. What matches later counts too.`}
          </Text>
        </div>
        {view.error instanceof ApiFailure ? (
          <FailureAlert failure={view.error} onRetry={() => void view.refetch()} />
        ) : undefined}
        {view.isPending ? <Loading what="namespaces" /> : undefined}
        {view.data?.isCut === true ? (
          <Alert color="yellow">
            There are more namespaces than a preview reads; this shows the first{" "}
            {number.format(view.data.namespaces.length)}.
          </Alert>
        ) : undefined}
        {reach.map((one) => (
          <ClusterReach key={one.cluster} {...one} />
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
      <Text size="sm">No cluster of this name is registered; the rule counts once one is.</Text>
    ) : undefined}
    {coverage === undefined || coverage.status === "ok" ? undefined : (
      <Text size="sm">
        {cluster} does not answer as it should ({coverage.status}); the rule may match more there.
      </Text>
    )}
    {coverage?.status === "ok" && namespaces.length === 0 ? (
      <Text size="sm">Nothing matches in this cluster now.</Text>
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
