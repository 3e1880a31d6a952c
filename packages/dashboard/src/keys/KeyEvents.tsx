/**
 * The newest audit events of a key, with a link to all of them.
 */
import { Anchor, Group, Paper, Stack, Text, Title } from "@mantine/core"
import * as AuditSentence from "@quarterdeck/contract/AuditSentence"
import { useQuery } from "@tanstack/react-query"
import { useId } from "react"
import { Link } from "react-router"
import { type AuditParameters, newestQuery } from "../api/AuditQueries.ts"
import { ApiFailure } from "../api/Client.ts"
import { PLACES } from "../frame/places.ts"
import { FailureAlert } from "../feedback/FailureAlert.tsx"
import { ExactTime } from "../feedback/Instant.tsx"
import { Loading } from "../feedback/PageState.tsx"
import { useTarget } from "../clusterScope/useTarget.ts"

interface Props {
  readonly title: string
  readonly parameters: AuditParameters
  /** Filter of the audit page that shows all of these events. */
  readonly place: Readonly<Record<string, string>>
  /** Text shown if there are no such events. */
  readonly none: string
}

export const KeyEvents = ({ none, parameters, place, title }: Props) => {
  const id = useId()
  const { linkTo } = useTarget()
  const newest = useQuery(newestQuery(parameters))
  const { data, error } = newest
  return (
    <Paper withBorder p="md" component="section" aria-labelledby={id}>
      <Stack gap="sm">
        <Group justify="space-between">
          <Title order={2} size="h4" id={id}>
            {title}
          </Title>
          <Anchor component={Link} to={linkTo(PLACES.audit, place)} size="sm" underline="always">
            Show in the audit
          </Anchor>
        </Group>
        {error instanceof ApiFailure ? (
          <FailureAlert failure={error} onRetry={() => void newest.refetch()} />
        ) : undefined}
        {newest.isLoading ? <Loading what="events" /> : undefined}
        {data === undefined ? undefined : data.events.length === 0 ? (
          <Text size="sm" c="dimmed">
            {data.isWhole ? none : "None among the newest events. The audit page searches older ones."}
          </Text>
        ) : (
          <Stack component="ul" gap={6} p={0} m={0}>
            {data.events.map((event) => (
              <Text key={event.id} component="li" size="sm" className="qd-text" style={{ listStyle: "none" }}>
                {AuditSentence.print(event)}
                <Text span size="xs" c="dimmed">
                  {" "}
                  <ExactTime at={event.at} isBrief />
                  {event.address === "" ? "" : `, from ${event.address}`}
                </Text>
              </Text>
            ))}
          </Stack>
        )}
      </Stack>
    </Paper>
  )
}
