/**
 * The list of keys: rows, or cards on a narrow screen.
 */
import {
  Anchor,
  Badge,
  Checkbox,
  Code,
  Group,
  Paper,
  SimpleGrid,
  Stack,
  Table,
  Text,
  UnstyledButton
} from "@mantine/core"
import { useMediaQuery } from "@mantine/hooks"
import type { ReactNode } from "react"
import { Link } from "react-router"
import type { ApiKey } from "../api/Shapes.ts"
import { keyPlace } from "../frame/places.ts"
import { Instant } from "../feedback/Instant.tsx"
import { useTarget } from "../clusterScope/useTarget.ts"
import { type KeyActionProps, KeyActions } from "./KeyActions.tsx"
import { LABELS, type Mark, marksOf, type Sort, type Sorting } from "./KeyMarks.ts"
import { Maker } from "./Maker.tsx"
import { RotatedFrom } from "./RotatedFrom.tsx"
import { RuleText } from "./RuleText.tsx"
import { StatusBadge } from "./StatusBadge.tsx"

interface Props extends Omit<KeyActionProps, "apiKey"> {
  readonly keys: ReadonlyArray<ApiKey>
  /** Every loaded key, by id. It names creators and predecessors without a further request. */
  readonly known: ReadonlyMap<string, ApiKey>
  readonly caller: ApiKey
  readonly sorting: Sorting
  readonly onSort: (sort: Sort) => void
  readonly selected: ReadonlySet<string>
  readonly onSelect: (ids: ReadonlyArray<string>, isSelected: boolean) => void
}

const COLUMNS: ReadonlyArray<readonly [title: string, sort?: Sort]> = [
  ["Name", "name"],
  ["Status"],
  ["Rule"],
  ["Expires", "expires"],
  ["Last used", "lastUsed"],
  ["Created", "created"],
  ["Actions"]
]

/** Checks whether a key can be selected for revocation. Callers revoke their own key on its own page. */
const isSelectable = ({ id, source, status }: ApiKey, caller: ApiKey): boolean =>
  source === "created" && status !== "revoked" && id !== caller.id

export const KeyTable = ({ caller, keys, known, onSelect, onSort, selected, sorting, ...actions }: Props) => {
  const isWide = useMediaQuery("(min-width: 75em)", false, { getInitialValueInEffect: false })
  const nowMs = new Date().getTime()
  const rows = keys.map((key) => ({
    apiKey: key,
    marks: marksOf(key, nowMs),
    predecessor: known.get(key.rotatedFrom ?? ""),
    maker: known.get(key.createdBy ?? ""),
    isOwn: key.id === caller.id,
    select: isSelectable(key, caller) ? (
      <Checkbox
        aria-label={`Select ${key.name}`}
        checked={selected.has(key.id)}
        onChange={(event) => onSelect([key.id], event.currentTarget.checked)}
      />
    ) : undefined
  }))
  const selectable = keys.filter((key) => isSelectable(key, caller)).map(({ id }) => id)
  const count = selectable.filter((id) => selected.has(id)).length
  const selectAll = (
    <Checkbox
      aria-label="Select all shown"
      checked={count > 0 && count === selectable.length}
      indeterminate={count > 0 && count < selectable.length}
      disabled={selectable.length === 0}
      onChange={(event) => onSelect(selectable, event.currentTarget.checked)}
    />
  )
  if (!isWide) {
    return (
      <Stack gap="sm" component="ul" p={0} m={0}>
        {rows.map((row) => (
          <KeyCard key={row.apiKey.id} {...row} {...actions} />
        ))}
      </Stack>
    )
  }
  return (
    <Paper withBorder>
      <Table verticalSpacing="sm" horizontalSpacing="sm" aria-label="API keys">
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col" w={44}>
              {selectAll}
            </Table.Th>
            {COLUMNS.map(([title, sort]) => (
              <Heading key={title} title={title} sort={sort} sorting={sorting} onSort={onSort} />
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row) => (
            <KeyRow key={row.apiKey.id} {...row} {...actions} />
          ))}
        </Table.Tbody>
      </Table>
    </Paper>
  )
}

interface HeadingProps extends Pick<Props, "onSort" | "sorting"> {
  readonly title: string
  readonly sort: Sort | undefined
}

const Heading = ({ onSort, sort, sorting, title }: HeadingProps) => {
  if (sort === undefined) return <Table.Th scope="col">{title}</Table.Th>
  const isSorted = sorting.sort === sort
  const direction = sorting.order === "asc" ? "ascending" : "descending"
  return (
    <Table.Th scope="col" aria-sort={isSorted ? direction : "none"}>
      <UnstyledButton fz="sm" fw={700} className="qd-sort" onClick={() => onSort(sort)}>
        {title} <span aria-hidden="true">{isSorted ? (sorting.order === "asc" ? "▲" : "▼") : ""}</span>
      </UnstyledButton>
    </Table.Th>
  )
}

interface MarkedProps {
  readonly apiKey: ApiKey
  readonly marks: ReadonlyArray<Mark>
}

const Expires = ({ apiKey: { expiresAt }, marks }: MarkedProps) =>
  marks.includes("neverExpires") ? <MarkText>{LABELS.neverExpires}</MarkText> : <Instant at={expiresAt} none="Never" />

const LastUsed = ({ apiKey, marks }: MarkedProps) => (
  <>
    <Instant at={apiKey.lastUsedAt} none={unusedText(apiKey)} />
    {marks.includes("unused") ? <MarkText>{LABELS.unused}</MarkText> : undefined}
  </>
)

const MarkText = ({ children }: { readonly children: ReactNode }) => (
  <Text size="sm" fw={600} className="qd-lacking">
    {children}
  </Text>
)

/** The server does not record the last use of configured keys. */
const unusedText = ({ source }: ApiKey): string => (source === "configured" ? "Not recorded" : "Never")

interface CreatedProps {
  readonly apiKey: ApiKey
  /** The key that created this one, if it is in the list. */
  readonly maker: ApiKey | undefined
}

const Created = ({ apiKey: { createdAt, createdBy, source }, maker }: CreatedProps) =>
  source === "configured" ? (
    <Text size="sm">Configuration</Text>
  ) : (
    <>
      <Instant at={createdAt} none="" />
      {createdBy === undefined ? undefined : (
        <Text size="xs" c="dimmed" className="qd-text">
          by <Maker id={createdBy} known={maker} />
        </Text>
      )}
    </>
  )

interface NameProps {
  readonly apiKey: ApiKey
  /** The key that this one replaces, if it is in the list. */
  readonly predecessor: ApiKey | undefined
  readonly isOwn: boolean
}

const Name = ({
  apiKey: { allowFrom, description, id, isMakerGone = false, name, rotatedFrom, start },
  isOwn,
  predecessor
}: NameProps) => {
  const { linkTo } = useTarget()
  return (
    <Stack gap={2}>
      <Group gap={6}>
        <Anchor component={Link} to={linkTo(keyPlace(id))} fw={600} underline="hover" className="qd-text">
          {name}
        </Anchor>
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
}

interface RowProps extends KeyActionProps, NameProps, MarkedProps, CreatedProps {
  readonly select: ReactNode
}

const KeyRow = ({ apiKey, isOwn, maker, marks, predecessor, select, ...actions }: RowProps) => (
  <Table.Tr data-key={apiKey.id}>
    <Table.Td>{select}</Table.Td>
    <Table.Td maw={240}>
      <Name apiKey={apiKey} predecessor={predecessor} isOwn={isOwn} />
    </Table.Td>
    <Table.Td>
      <StatusBadge status={apiKey.status} />
    </Table.Td>
    <Table.Td maw={300}>
      <Text size="sm">{apiKey.rule.role}</Text>
      <RuleText rule={apiKey.rule} />
    </Table.Td>
    <Table.Td>
      <Expires apiKey={apiKey} marks={marks} />
    </Table.Td>
    <Table.Td>
      <LastUsed apiKey={apiKey} marks={marks} />
    </Table.Td>
    <Table.Td maw={180}>
      <Created apiKey={apiKey} maker={maker} />
    </Table.Td>
    <Table.Td>
      <KeyActions apiKey={apiKey} {...actions} />
    </Table.Td>
  </Table.Tr>
)

const KeyCard = ({ apiKey, isOwn, maker, marks, predecessor, select, ...actions }: RowProps) => (
  <Paper withBorder p="md" component="li" data-key={apiKey.id}>
    <Stack gap="sm">
      <Group justify="space-between" align="flex-start" wrap="nowrap">
        <Group align="flex-start" wrap="nowrap" gap="sm">
          {select}
          <Name apiKey={apiKey} predecessor={predecessor} isOwn={isOwn} />
        </Group>
        <StatusBadge status={apiKey.status} />
      </Group>
      <SimpleGrid cols={2} spacing="xs" verticalSpacing="xs">
        <Fact name="Role">{apiKey.rule.role}</Fact>
        <Fact name="Created">
          <Created apiKey={apiKey} maker={maker} />
        </Fact>
        <Fact name="Expires">
          <Expires apiKey={apiKey} marks={marks} />
        </Fact>
        <Fact name="Last used">
          <LastUsed apiKey={apiKey} marks={marks} />
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
