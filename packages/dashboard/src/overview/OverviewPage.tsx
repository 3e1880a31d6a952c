/**
 * The first page: the clusters that answer, what needs attention, what it costs, and who has access.
 */
import { Anchor, Skeleton, Stack, Text, Title, VisuallyHidden } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { Link } from "react-router"
import { ApiFailure } from "../api/Client.ts"
import { type Overview, overviewQuery } from "../api/OverviewQueries.ts"
import { CoverageStrip } from "../clusterScope/CoverageStrip.tsx"
import { useLastKnown } from "../clusterScope/LastKnown.ts"
import { TargetFailure } from "../clusterScope/TargetFailure.tsx"
import { useTarget } from "../clusterScope/useTarget.ts"
import { Empty } from "../feedback/PageState.tsx"
import * as Quantity from "../format/Quantity.ts"
import { PLACES } from "../frame/places.ts"
import { useTitle } from "../frame/useTitle.ts"
import { AttentionList } from "./AttentionList.tsx"
import { CardSkeletons, OverviewCards } from "./OverviewCards.tsx"
import { needing, restText } from "./OverviewText.ts"

export const OverviewPage = () => {
  const heading = useTitle("Overview")
  const { target } = useTarget()
  const found = useQuery(overviewQuery(target))
  const overview = found.data
  return (
    <Stack gap="md">
      <Title order={1} size="h2" ref={heading} tabIndex={-1}>
        Overview
      </Title>
      {found.error instanceof ApiFailure ? (
        <TargetFailure
          failure={found.error}
          onRetry={() => void found.refetch()}
          shownSinceMs={overview === undefined ? undefined : found.dataUpdatedAt}
        />
      ) : undefined}
      {found.isLoading ? <LoadingOverview /> : undefined}
      {overview === undefined ? undefined : (
        <>
          <CoverageStrip coverages={overview.clusters} readAtMs={found.dataUpdatedAt} rows="figures" />
          <OverviewCards overview={overview} />
          <Attention overview={overview} readAtMs={found.dataUpdatedAt} />
        </>
      )}
    </Stack>
  )
}

interface AttentionProps {
  readonly overview: Overview
  /** Time when the overview was read. **Units** milliseconds since the epoch. */
  readonly readAtMs: number
}

const Attention = ({ overview, readAtMs }: AttentionProps) => {
  const { linkTo } = useTarget()
  const lastKnown = useLastKnown(overview.clusters, readAtMs)
  const { attention, clusters, statusCounts } = overview
  const count = needing(statusCounts)
  if (clusters.length === 0) return undefined
  if (attention.length === 0) return <Empty title="Nothing needs attention">{restText(overview)}</Empty>
  return (
    <Stack gap="xs" component="section" aria-label="Needs attention">
      <Title order={2} size="h4">
        Needs attention
      </Title>
      <AttentionList workloads={attention} lastKnown={lastKnown} />
      {count > attention.length ? (
        <Text size="sm">
          The {Quantity.count(attention.length)} worst are shown.{" "}
          <Anchor component={Link} to={linkTo(PLACES.workloads, { sort: "status" })} inherit underline="always">
            Show all {Quantity.count(count)}
          </Anchor>
        </Text>
      ) : undefined}
    </Stack>
  )
}

/** Rows that fill the place of the list while it loads. */
const SKELETON_ROWS = [0, 1, 2, 3, 4]

const LoadingOverview = () => (
  <Stack gap="md" role="status">
    <VisuallyHidden>Loading the overview</VisuallyHidden>
    <CardSkeletons>
      <Skeleton height={28} width="55%" />
      <Skeleton height={14} width="80%" />
      <Skeleton height={14} width="40%" />
    </CardSkeletons>
    <Text fw={650} aria-hidden="true">
      Needs attention
    </Text>
    {SKELETON_ROWS.map((row) => (
      <Skeleton key={row} height={40} />
    ))}
  </Stack>
)
