/**
 * A drawer with every field of an event.
 */
import * as AuditSentence from "@quarterdeck/contract/AuditSentence"
import { Button, Code, Drawer, Group, Stack, Table, Text } from "@mantine/core"
import { DateTime } from "effect"
import type { ReactNode } from "react"
import type { AuditEvent } from "../api/AuditTail.ts"
import { CopyText } from "../feedback/CopyText.tsx"
import { ExactTime } from "../feedback/Instant.tsx"
import * as Quantity from "../format/Quantity.ts"
import * as AuditText from "./AuditText.ts"

interface Props {
  /** The drawer is open while this is set. */
  readonly event: AuditEvent | undefined
  readonly onClose: () => void
  /** Filters the list by a key or person. */
  readonly onKey: (keyId: string) => void
}

export const EventDrawer = ({ event, onClose, onKey }: Props) => (
  <Drawer
    opened={event !== undefined}
    onClose={onClose}
    position="right"
    size="lg"
    title={event === undefined ? "" : `Event ${event.id}: ${AuditSentence.print(event)}`}
    closeButtonProps={{ "aria-label": "Close" }}
  >
    {event === undefined ? undefined : <Details event={event} onKey={onKey} />}
  </Drawer>
)

const Details = ({ event, onKey }: Pick<Props, "onKey"> & { readonly event: AuditEvent }) => {
  const { keyId } = event.actor
  return (
    <Stack gap="md">
      <Table aria-label="Event details" variant="vertical" verticalSpacing={6} withTableBorder>
        <Table.Tbody>
          {factsOf(event).map(([name, value]) => (
            <Table.Tr key={name}>
              <Table.Th scope="row" w={150}>
                {name}
              </Table.Th>
              <Table.Td className="qd-text">{value}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      {event.status === 0 ? (
        <Text size="sm" c="dimmed">
          A change is logged before it is made. Another event of the same request has its outcome.
        </Text>
      ) : undefined}
      {keyId === undefined ? undefined : (
        <Group>
          <Button size="xs" variant="default" onClick={() => onKey(keyId)}>
            Show all events of this key
          </Button>
        </Group>
      )}
      <CopyText
        text={JSON.stringify({ ...event, at: DateTime.formatIso(event.at) }, undefined, 2)}
        label="Copy the event"
      />
    </Stack>
  )
}

/** The fields of a state, one a line. */
const stateOf = (name: string, state: AuditEvent["before"]): ReadonlyArray<readonly [string, ReactNode]> =>
  state === undefined
    ? []
    : [
        [
          name,
          Object.entries(state).map(([field, value]) => (
            <div key={field}>
              {field}: {typeof value === "string" ? value : JSON.stringify(value)}
            </div>
          ))
        ]
      ]

const listOf = (names: ReadonlyArray<string>): string => (names.length === 0 ? Quantity.UNKNOWN : names.join(", "))

const factsOf = (event: AuditEvent): ReadonlyArray<readonly [name: string, value: ReactNode]> => {
  const { actor, target } = event
  const facts: ReadonlyArray<readonly [string, ReactNode]> = [
    ["Time", <ExactTime key="at" at={event.at} />],
    ["Caller", `${AuditText.caller(event)} (${actor.kind})`],
    ["Id", actor.keyId === undefined ? Quantity.UNKNOWN : <Code key="id">{actor.keyId}</Code>],
    ["Interface", event.via],
    ["From", event.address],
    ["Route", <Code key="route">{event.route}</Code>],
    ["Requested target", target.asked === "" ? Quantity.UNKNOWN : target.asked],
    ["Clusters", listOf(target.clusters)],
    ["Namespaces", listOf(target.namespaces ?? [])],
    ["Object", target.object ?? Quantity.UNKNOWN],
    ["Decision", event.decision],
    ["Outcome", AuditText.outcome(event)],
    ...stateOf("Before", event.before),
    ...stateOf("After", event.after),
    ["Request", <Code key="request">{event.requestId}</Code>]
  ]
  return event.count === undefined ? facts : [...facts, ["Number of requests", Quantity.count(event.count)]]
}
