/**
 * The cards of the overview. Each leads to the page of its subject.
 */
import { Anchor, Group, Stack, Text, Title } from "@mantine/core"
import type { ReactNode } from "react"
import { Link } from "react-router"
import type { Overview, OverviewAccess, OverviewCost } from "../api/OverviewQueries.ts"
import { useTarget } from "../clusterScope/useTarget.ts"
import { STATUS_COLORS } from "../feedback/StatusMark.tsx"
import * as Quantity from "../format/Quantity.ts"
import { PLACES } from "../frame/places.ts"
import { BAD, needing, podReasonsText, totalOf, WATCHED, weekText } from "./OverviewText.ts"
import { Sparkline } from "./Sparkline.tsx"

interface CardProps {
  readonly title: string
  readonly to: string
  readonly children: ReactNode
}

/** A card whose title is a link. */
const Card = ({ children, title, to }: CardProps) => (
  <section className="qd-card" aria-label={title}>
    <Title order={2} size="sm" fw={600}>
      <Anchor component={Link} to={to} c="dimmed" inherit underline="hover">
        {title}
      </Anchor>
    </Title>
    {children}
  </section>
)

/** The figure that a card is about. */
const Figure = ({ children, note }: { readonly children: ReactNode; readonly note: string }) => (
  <Text className="qd-number" fz={28} fw={650} lh={1.2}>
    {children}
    <Text span size="sm" fw={400} ml={6}>
      {note}
    </Text>
  </Text>
)

const ClustersCard = ({ clusterCounts: { failed, ok, stale }, clusters }: Overview) => {
  const { linkTo } = useTarget()
  const counted = [
    [stale, "no longer answers: last known", "no longer answer: last known"],
    [failed, "did not answer: missing here", "did not answer: missing here"]
  ] as const
  const troubles = counted.filter(([count]) => count > 0)
  return (
    <Card title="Clusters" to={linkTo(PLACES.clusters)}>
      <Figure note={`of ${Quantity.counted(clusters.length, "cluster")} ${ok === 1 ? "answers" : "answer"}`}>
        {Quantity.count(ok)}
      </Figure>
      {troubles.map(([count, one, many]) => (
        <Text key={many} size="sm">
          <span className="qd-dot qd-dot-red" aria-hidden="true" /> {Quantity.count(count)} {count === 1 ? one : many}
        </Text>
      ))}
      {troubles.length === 0 ? (
        <Text size="sm" c="dimmed">
          {clusters.length === 0 ? "No registered cluster is in your key's scope." : "All of them are reachable."}
        </Text>
      ) : undefined}
    </Card>
  )
}

/** Reasons of pods that the card names. */
const SHOWN_REASONS = 3

const AttentionCard = ({ podReasons, statusCounts }: Overview) => {
  const { linkTo } = useTarget()
  const count = needing(statusCounts)
  const shown = WATCHED.filter((status) => statusCounts[status] > 0)
  return (
    <Card title="Attention" to={linkTo(PLACES.workloads, { sort: "status" })}>
      <Figure note={`of ${Quantity.counted(totalOf(statusCounts), "workload")} ${count === 1 ? "needs" : "need"} it`}>
        <span className={BAD.some((status) => statusCounts[status] > 0) ? "qd-lacking" : undefined}>
          {Quantity.count(count)}
        </span>
      </Figure>
      <Group gap="sm">
        {shown.map((status) => (
          <Anchor key={status} component={Link} to={linkTo(PLACES.workloads, { status })} size="sm" c="inherit">
            <span className={`qd-dot qd-dot-${STATUS_COLORS[status]}`} aria-hidden="true" />{" "}
            {Quantity.count(statusCounts[status])} {status}
          </Anchor>
        ))}
      </Group>
      {podReasons.length === 0 ? undefined : (
        <Text size="sm" c="dimmed" className="qd-text">
          Pods: {podReasonsText(podReasons, SHOWN_REASONS)}
        </Text>
      )}
    </Card>
  )
}

const CostCard = (cost: OverviewCost) => {
  const { linkTo } = useTarget()
  const isKnown = cost.perDay.some(({ hoursCovered }) => hoursCovered > 0)
  return (
    <Card title="Cost" to={linkTo(PLACES.cost)}>
      {isKnown ? (
        <>
          <Figure note="today (UTC), without idle costs">{Quantity.money(cost.today, cost.currency)}</Figure>
          <Text size="sm">{weekText(cost)}</Text>
          <Sparkline currency={cost.currency} perDay={cost.perDay} />
        </>
      ) : (
        <Text size="sm" c="dimmed">
          No costs yet. The server counts them from the first minutes in which it sees a cluster.
        </Text>
      )}
    </Card>
  )
}

const AccessCard = ({ denials24h, expiringKeys }: OverviewAccess) => {
  const { linkTo } = useTarget()
  return (
    <Card title="Access" to={linkTo(PLACES.apiKeys)}>
      <Figure note={expiringKeys === 1 ? "key expires soon" : "keys expire soon"}>
        {Quantity.count(expiringKeys)}
      </Figure>
      {expiringKeys === 0 ? undefined : (
        <Anchor component={Link} to={linkTo(PLACES.apiKeys, { status: "expiring" })} size="sm">
          Keys that expire within 7 days
        </Anchor>
      )}
      {denials24h === undefined ? undefined : (
        <Anchor component={Link} to={linkTo(PLACES.audit, { decision: "deny" })} size="sm">
          {Quantity.counted(denials24h, "denied request")} in 24 hours
        </Anchor>
      )}
    </Card>
  )
}

/** The cards of the parts that the key may read. */
export const OverviewCards = ({ overview }: { readonly overview: Overview }) => (
  <div className="qd-cards">
    <ClustersCard {...overview} />
    <AttentionCard {...overview} />
    {overview.cost === undefined ? undefined : <CostCard {...overview.cost} />}
    {overview.access === undefined ? undefined : <AccessCard {...overview.access} />}
  </div>
)

/** Fills the place of the cards while they load. */
export const CardSkeletons = ({ children }: { readonly children: ReactNode }) => (
  <div className="qd-cards" aria-hidden="true">
    {["Clusters", "Attention", "Cost"].map((title) => (
      <Stack key={title} className="qd-card" gap={8}>
        <Text size="sm" fw={600} c="dimmed">
          {title}
        </Text>
        {children}
      </Stack>
    ))}
  </div>
)
