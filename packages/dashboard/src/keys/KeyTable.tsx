/**
 * The list of keys: rows, or cards on a narrow screen.
 */
import { Badge, Code, Group, Paper, SimpleGrid, Stack, Table, Text } from "@mantine/core"
import { useMediaQuery } from "@mantine/hooks"
import type { ReactNode } from "react"
import type { ApiKey } from "../api/Shapes.ts"
import { Instant } from "../feedback/Instant.tsx"
import { type KeyActionProps, KeyActions } from "./KeyActions.tsx"
import { RotatedFrom } from "./RotatedFrom.tsx"
import { RuleText } from "./RuleText.tsx"
import { StatusBadge } from "./StatusBadge.tsx"

interface Props extends Omit<KeyActionProps, "apiKey"> {
  readonly keys: ReadonlyArray<ApiKey>
  readonly caller: ApiKey
}

const COLUMNS = ["Name", "Status", "Role", "Scope", "Expires", "Last used", "Origin", "Actions"]

export const KeyTable = ({ caller, keys, ...actions }: Props) => {
  const isWide = useMediaQuery("(min-width: 75em)", false, { getInitialValueInEffect: false })
  const predecessorOf = ({ rotatedFrom }: ApiKey) => keys.find(({ id }) => id === rotatedFrom)
  if (!isWide) {
    return (
      <Stack gap="sm" component="ul" p={0} m={0}>
        {keys.map((key) => (
          <KeyCard
            key={key.id}
            apiKey={key}
            predecessor={predecessorOf(key)}
            isOwn={key.id === caller.id}
            {...actions}
          />
        ))}
      </Stack>
    )
  }
  return (
    <Paper withBorder>
      <Table verticalSpacing="sm" horizontalSpacing="md" aria-label="API keys">
        <Table.Thead>
          <Table.Tr>
            {COLUMNS.map((column) => (
              <Table.Th key={column} scope="col">
                {column}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {keys.map((key) => (
            <Table.Tr key={key.id} data-key={key.id}>
              <Table.Td maw={240}>
                <Name apiKey={key} predecessor={predecessorOf(key)} isOwn={key.id === caller.id} />
              </Table.Td>
              <Table.Td>
                <StatusBadge status={key.status} />
              </Table.Td>
              <Table.Td>{key.rule.role}</Table.Td>
              <Table.Td maw={320}>
                <RuleText rule={key.rule} />
              </Table.Td>
              <Table.Td>
                <Instant at={key.expiresAt} none="Never" />
              </Table.Td>
              <Table.Td>
                <Instant at={key.lastUsedAt} none={unusedText(key)} />
              </Table.Td>
              <Table.Td>{originText(key)}</Table.Td>
              <Table.Td>
                <KeyActions apiKey={key} {...actions} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Paper>
  )
}

const originText = ({ source }: ApiKey): string => (source === "configured" ? "Configuration" : "Created")

/** The server does not record the last use of configured keys. */
const unusedText = ({ source }: ApiKey): string => (source === "configured" ? "Not recorded" : "Never")

interface NameProps {
  readonly apiKey: ApiKey
  /** The key that this one replaces, if it is in the list. */
  readonly predecessor: ApiKey | undefined
  readonly isOwn: boolean
}

const Name = ({
  apiKey: { allowFrom, description, isMakerGone = false, name, rotatedFrom, start },
  isOwn,
  predecessor
}: NameProps) => (
  <Stack gap={2}>
    <Group gap={6}>
      <Text fw={600} className="qd-text">
        {name}
      </Text>
      {isOwn ? (
        <Badge size="sm" tt="none" variant="outline">
          yours
        </Badge>
      ) : undefined}
      {isMakerGone ? (
        <Badge size="sm" tt="none" variant="default" title="The key that created it is no longer valid">
          creator gone
        </Badge>
      ) : undefined}
    </Group>
    {description === undefined ? undefined : (
      <Text size="xs" className="qd-text">
        {description}
      </Text>
    )}
    {allowFrom === undefined ? undefined : (
      <Text size="xs" c="dimmed" className="qd-text">
        Only from {allowFrom.join(", ")}
      </Text>
    )}
    {start === undefined ? undefined : (
      <Text size="xs">
        <Code>{start}…</Code>
      </Text>
    )}
    {rotatedFrom === undefined ? undefined : <RotatedFrom id={rotatedFrom} start={predecessor?.start} />}
  </Stack>
)

interface CardProps extends KeyActionProps, NameProps {}

const KeyCard = ({ apiKey, isOwn, predecessor, ...actions }: CardProps) => (
  <Paper withBorder p="md" component="li" data-key={apiKey.id}>
    <Stack gap="sm">
      <Group justify="space-between" align="flex-start" wrap="nowrap">
        <Name apiKey={apiKey} predecessor={predecessor} isOwn={isOwn} />
        <StatusBadge status={apiKey.status} />
      </Group>
      <SimpleGrid cols={2} spacing="xs" verticalSpacing="xs">
        <Fact name="Role">{apiKey.rule.role}</Fact>
        <Fact name="Origin">{originText(apiKey)}</Fact>
        <Fact name="Expires">
          <Instant at={apiKey.expiresAt} none="Never" />
        </Fact>
        <Fact name="Last used">
          <Instant at={apiKey.lastUsedAt} none={unusedText(apiKey)} />
        </Fact>
      </SimpleGrid>
      <Fact name="Scope">
        <RuleText rule={apiKey.rule} />
      </Fact>
      <Group>
        <KeyActions apiKey={apiKey} {...actions} />
      </Group>
    </Stack>
  </Paper>
)

const Fact = ({ children, name }: { readonly name: string; readonly children: ReactNode }) => (
  <div>
    <Text size="xs" c="dimmed">
      {name}
    </Text>
    <Text size="sm" component="div">
      {children}
    </Text>
  </div>
)
