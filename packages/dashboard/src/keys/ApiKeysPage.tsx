/**
 * The page Users > API Keys.
 */
import { Button, Group, Pill, Stack, Text, Title } from "@mantine/core"
import { useInfiniteQuery, useQuery } from "@tanstack/react-query"
import { useMemo, useState } from "react"
import { Link, useSearchParams } from "react-router"
import { ApiFailure } from "../api/Client.ts"
import { apiKeyQuery, apiKeysQuery } from "../api/KeyQueries.ts"
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
import { isNarrowed, type KeyFilter, NO_FILTER, parse, parametersOf, STATUSES, statusOf, write } from "./KeyFilter.ts"
import { KeyTable } from "./KeyTable.tsx"
import { RevokeDialog } from "./RevokeDialog.tsx"
import { RotateDialog } from "./RotateDialog.tsx"

export const ApiKeysPage = () => {
  const heading = useTitle("API Keys")
  const caller = useCaller()
  const [search, setSearch] = useSearchParams()
  const filter = useMemo(() => parse(search), [search])
  const list = useInfiniteQuery(apiKeysQuery(parametersOf(filter)))
  const [revoked, setRevoked] = useState<ApiKey>()
  const [rotated, setRotated] = useState<ApiKey>()
  const keys = list.data?.pages.flatMap(({ apiKeys }) => apiKeys) ?? []

  // Filter changes replace the address: the back button leaves the page.
  const change = (part: Partial<KeyFilter>) => {
    setSearch((before) => write(before, { ...parse(before), ...part }), { replace: true })
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
      <Filters
        filter={filter}
        onChange={change}
        count={
          list.data === undefined
            ? ""
            : `${Quantity.counted(keys.length, "key")}${list.hasNextPage ? " loaded, there are more" : ""}`
        }
      />
      {list.error instanceof ApiFailure ? (
        <FailureAlert failure={list.error} onRetry={() => void list.refetch()}>
          {list.error.code === "role_forbidden" ? (
            <Text size="sm">Only an Admin can see other keys. Your own key is on the page Your key.</Text>
          ) : undefined}
        </FailureAlert>
      ) : undefined}
      {list.isPending ? <Loading what="keys" /> : undefined}
      {keys.length > 0 ? (
        <KeyTable keys={keys} caller={caller} onRevoke={setRevoked} onRotate={setRotated} />
      ) : undefined}
      {list.data !== undefined && keys.length === 0 ? <NoKeys filter={filter} onChange={change} /> : undefined}
      {list.hasNextPage ? (
        <Group>
          <Button variant="default" loading={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
            Load more keys
          </Button>
        </Group>
      ) : undefined}
      <RotateDialog apiKey={rotated} onClose={() => setRotated(undefined)} />
      <RevokeDialog apiKey={revoked} onClose={() => setRevoked(undefined)} />
    </Stack>
  )
}

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
      No key that you can see matches the name, status and creator. The name is case-sensitive.
    </Empty>
  ) : (
    <Empty title="No keys yet" action={<CreateButton />}>
      Create one key for each program and each person, with a rule that covers only what it needs.
    </Empty>
  )

interface FiltersProps extends NoKeysProps {
  readonly count: string
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
    {filter.createdBy === "" ? undefined : <Maker id={filter.createdBy} onRemove={() => onChange({ createdBy: "" })} />}
    <Text size="sm" c="dimmed" role="status" pb={8}>
      {count}
    </Text>
  </Group>
)

/** The creator that the list is filtered by. **Shape** shows the id of a person, and of a key that the caller may not see. */
const Maker = ({ id, onRemove }: { readonly id: string; readonly onRemove: () => void }) => {
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
