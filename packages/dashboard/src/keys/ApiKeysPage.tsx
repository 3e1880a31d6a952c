/**
 * The page Users > API Keys.
 */
import { Box, Button, Group, NativeSelect, Pill, Stack, Text, Title } from "@mantine/core"
import { useInfiniteQuery, useQuery } from "@tanstack/react-query"
import { useEffect, useMemo, useState } from "react"
import { Link, useSearchParams } from "react-router"
import { ApiFailure } from "../api/Client.ts"
import { apiKeyQuery, apiKeysQuery, MAX_PAGES } from "../api/KeyQueries.ts"
import type { ApiKey } from "../api/Shapes.ts"
import { useCaller } from "../frame/Caller.ts"
import { PLACES } from "../frame/places.ts"
import { useTitle } from "../frame/useTitle.ts"
import { FailureAlert } from "../feedback/FailureAlert.tsx"
import { Empty, Loading } from "../feedback/PageState.tsx"
import { FilterSelect } from "../form/FilterSelect.tsx"
import * as Quantity from "../format/Quantity.ts"
import { TypedField } from "../form/TypedField.tsx"
import { useTarget } from "../clusterScope/useTarget.ts"
import { BulkRevokeDialog, MAX_KEYS } from "./BulkRevokeDialog.tsx"
import { KeyChips } from "./KeyChips.tsx"
import {
  isNarrowed,
  type KeyFilter,
  needsAll,
  NO_FILTER,
  parse,
  parametersOf,
  STATUSES,
  statusOf,
  write
} from "./KeyFilter.ts"
import { clicked, countsOf, marked, type Sort, sorted, SORTS } from "./KeyMarks.ts"
import { KeyTable } from "./KeyTable.tsx"
import { RevokeDialog } from "./RevokeDialog.tsx"
import { RotateDialog } from "./RotateDialog.tsx"

/** Rows that the table shows at first, and more with each click. */
const SHOWN = 100

export const ApiKeysPage = () => {
  const heading = useTitle("API Keys")
  const caller = useCaller()
  const [search, setSearch] = useSearchParams()
  const filter = useMemo(() => parse(search), [search])
  const { keys, list } = useKeys(filter)
  const [revoked, setRevoked] = useState<ApiKey>()
  const [rotated, setRotated] = useState<ApiKey>()
  const [bulk, setBulk] = useState<ReadonlyArray<ApiKey>>()
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const [shown, setShown] = useState(SHOWN)
  const [nowMs] = useState(() => new Date().getTime())
  const known = useMemo(() => new Map(keys.map((key) => [key.id, key])), [keys])
  const rows = sorted(marked(keys, filter.marks, nowMs), filter)
  const chosen = rows.filter(({ id, status }) => selected.has(id) && status !== "revoked")

  // Filter changes replace the address: the back button leaves the page.
  const change = (part: Partial<KeyFilter>) => {
    setSearch((before) => write(before, { ...parse(before), ...part }), { replace: true })
  }
  const select = (ids: ReadonlyArray<string>, isSelected: boolean) => {
    setSelected((before) => new Set(isSelected ? [...before, ...ids] : [...before].filter((id) => !ids.includes(id))))
  }

  return (
    <Stack gap="md">
      <Group justify="space-between" align="flex-start">
        <div>
          <Title order={1} size="h2" ref={heading} tabIndex={-1}>
            API Keys
          </Title>
          <Text c="dimmed">Keys that may call this server, their scope and their expiry.</Text>
        </div>
        <CreateButton />
      </Group>
      <Filters filter={filter} onChange={change} count={list.data === undefined ? "" : countText(rows.length, list)} />
      {keys.length > 0 ? (
        <KeyChips
          chosen={filter.marks}
          counts={countsOf(keys, nowMs)}
          onChange={(marks) => {
            setShown(SHOWN)
            change({ marks })
          }}
        />
      ) : undefined}
      <ListFailure error={list.error} onRetry={() => void list.refetch()} />
      {list.isPending ? <Loading what="keys" /> : undefined}
      <SelectionBar chosen={chosen} onRevoke={() => setBulk(chosen)} onClear={() => setSelected(new Set())} />
      {rows.length > 0 ? (
        <KeyTable
          keys={rows.slice(0, shown)}
          known={known}
          caller={caller}
          sorting={filter}
          onSort={(sort) => change(clicked(filter, sort))}
          selected={selected}
          onSelect={select}
          onRevoke={setRevoked}
          onRotate={setRotated}
        />
      ) : undefined}
      {list.data !== undefined && rows.length === 0 ? <NoKeys filter={filter} onChange={change} /> : undefined}
      <MoreKeys hidden={rows.length - shown} list={list} onShow={() => setShown(shown + SHOWN)} />
      <RotateDialog apiKey={rotated} onClose={() => setRotated(undefined)} />
      <RevokeDialog apiKey={revoked} onClose={() => setRevoked(undefined)} />
      <BulkRevokeDialog
        keys={bulk}
        onClose={() => {
          setBulk(undefined)
          setSelected(new Set())
        }}
      />
    </Stack>
  )
}

interface SelectionProps {
  readonly chosen: ReadonlyArray<ApiKey>
  readonly onRevoke: () => void
  readonly onClear: () => void
}

/** Bar with the actions of the selected keys. */
const SelectionBar = ({ chosen, onClear, onRevoke }: SelectionProps) =>
  chosen.length === 0 ? undefined : (
    <Group gap="sm" role="region" aria-label="Selected keys">
      <Text size="sm" role="status">
        {Quantity.counted(chosen.length, "key")} selected
      </Text>
      <Button size="xs" color="red.9" disabled={chosen.length > MAX_KEYS} onClick={onRevoke}>
        Revoke selected
      </Button>
      <Button size="xs" variant="default" onClick={onClear}>
        Clear selection
      </Button>
      {chosen.length > MAX_KEYS ? <Text size="sm">At most {MAX_KEYS} keys can be revoked at once.</Text> : undefined}
    </Group>
  )

interface MoreProps {
  /** Number of loaded keys that the table does not show yet. */
  readonly hidden: number
  readonly list: {
    readonly hasNextPage: boolean
    readonly isFetchingNextPage: boolean
    readonly fetchNextPage: () => Promise<unknown>
  }
  readonly onShow: () => void
}

const MoreKeys = ({ hidden, list: { fetchNextPage, hasNextPage, isFetchingNextPage }, onShow }: MoreProps) => {
  if (hidden <= 0 && !hasNextPage) return undefined
  return (
    <Group>
      {hidden > 0 ? (
        <Button variant="default" onClick={onShow}>
          Show {Math.min(SHOWN, hidden)} more keys
        </Button>
      ) : (
        <Button variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          Load more keys
        </Button>
      )}
    </Group>
  )
}

const ListFailure = ({ error, onRetry }: { readonly error: unknown; readonly onRetry: () => void }) =>
  error instanceof ApiFailure ? (
    <FailureAlert failure={error} onRetry={onRetry}>
      {error.code === "role_forbidden" ? (
        <Text size="sm">Only an Admin can see other keys. Your own key is on the page Your key.</Text>
      ) : undefined}
    </FailureAlert>
  ) : undefined

/** Reads the keys of a filter: further pages on demand, or up to a limit of pages if they are sorted or marked here. */
const useKeys = (filter: KeyFilter) => {
  const list = useInfiniteQuery(apiKeysQuery(parametersOf(filter)))
  const { data, fetchNextPage, hasNextPage, isFetching } = list
  const keys = useMemo(() => data?.pages.flatMap(({ apiKeys }) => apiKeys) ?? [], [data])
  const isReading = needsAll(filter) && hasNextPage && !isFetching && (data?.pages.length ?? 0) < MAX_PAGES
  useEffect(() => {
    if (isReading) void fetchNextPage()
  }, [isReading, fetchNextPage])
  return { keys, list }
}

const countText = (count: number, { hasNextPage }: { readonly hasNextPage: boolean }): string =>
  `${Quantity.counted(count, "key")}${hasNextPage ? " loaded, there are more" : ""}`

const CreateButton = () => {
  const { linkTo } = useTarget()
  return (
    <Button component={Link} to={linkTo(PLACES.createKey)}>
      Create API Key
    </Button>
  )
}

interface NoKeysProps {
  readonly filter: KeyFilter
  readonly onChange: (part: Partial<KeyFilter>) => void
}

const NoKeys = ({ filter, onChange }: NoKeysProps) =>
  isNarrowed(filter) ? (
    <Empty
      title="No key matches the filter"
      action={
        <Button variant="default" onClick={() => onChange(NO_FILTER)}>
          Show every key
        </Button>
      }
    >
      No key that you can see matches the name, status, creator and chips. The name is case-sensitive.
    </Empty>
  ) : (
    <Empty title="No keys yet" action={<CreateButton />}>
      Create one key for each program and each person, with a rule that covers only what it needs.
    </Empty>
  )

interface FiltersProps extends NoKeysProps {
  readonly count: string
}

const SORT_LABELS: Readonly<Record<Sort, string>> = {
  name: "Name",
  created: "Created",
  expires: "Expires",
  lastUsed: "Last used"
}

const Filters = ({ count, filter, onChange }: FiltersProps) => (
  <Group align="flex-end" gap="sm" role="search" aria-label="Keys">
    <TypedField
      label="Name"
      placeholder="Part of a name"
      value={filter.name}
      onPause={(name) => onChange({ name })}
      isSearch
    />
    <FilterSelect
      label="Status"
      every="Any status"
      values={STATUSES}
      chosen={filter.status}
      onChoose={(status) => onChange({ status: statusOf(status) })}
      width={180}
    />
    <Box hiddenFrom="lg" w={{ base: "47%", xs: 180 }}>
      <NativeSelect
        label="Sort by"
        value={filter.sort ?? ""}
        data={[{ value: "", label: "Age" }, ...SORTS.map((value) => ({ value, label: SORT_LABELS[value] }))]}
        onChange={({ currentTarget: { value } }) =>
          onChange({ sort: SORTS.find((sort) => sort === value), order: "asc" })
        }
      />
    </Box>
    {filter.createdBy === "" ? undefined : (
      <ChosenMaker id={filter.createdBy} onRemove={() => onChange({ createdBy: "" })} />
    )}
    <Text size="sm" c="dimmed" role="status" pb={8}>
      {count}
    </Text>
  </Group>
)

/** The creator that the list is filtered by. **Shape** shows the id of a person, and of a key that the caller may not see. */
const ChosenMaker = ({ id, onRemove }: { readonly id: string; readonly onRemove: () => void }) => {
  const maker = useQuery({ ...apiKeyQuery(id), retry: false })
  const name = maker.data?.name ?? id
  return (
    <Pill
      size="lg"
      withRemoveButton
      onRemove={onRemove}
      removeButtonProps={{ "aria-label": "Show keys of every creator" }}
      mb={4}
    >
      Created by {name}
    </Pill>
  )
}
