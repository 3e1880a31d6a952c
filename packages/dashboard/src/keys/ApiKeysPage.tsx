/**
 * Users > API Keys.
 */
import { Button, Group, NativeSelect, Stack, Text, TextInput, Title } from "@mantine/core"
import { useInfiniteQuery } from "@tanstack/react-query"
import { useState } from "react"
import { Link } from "react-router"
import { ApiFailure } from "../api/Client.ts"
import { apiKeysQuery } from "../api/Queries.ts"
import type { ApiKey, Status } from "../api/Shapes.ts"
import { useCaller } from "../app/Caller.ts"
import { PLACES } from "../app/places.ts"
import { useTitle } from "../app/useTitle.ts"
import { FailureAlert } from "../feedback/FailureAlert.tsx"
import { Empty, Loading } from "../feedback/PageState.tsx"
import { type KeyFilter, matches } from "./KeyFilter.ts"
import { KeyTable } from "./KeyTable.tsx"
import { RevokeDialog } from "./RevokeDialog.tsx"

const STATUSES: ReadonlyArray<Status> = ["active", "expiring", "expired", "revoked"]

const createButton = (
  <Button component={Link} to={PLACES.createKey}>
    Create API Key
  </Button>
)

export const ApiKeysPage = () => {
  const heading = useTitle("API Keys")
  const caller = useCaller()
  const keys = useInfiniteQuery(apiKeysQuery)
  const [name, setName] = useState("")
  const [status, setStatus] = useState<Status>()
  const [revoked, setRevoked] = useState<ApiKey>()

  const all = keys.data?.pages.flatMap(({ apiKeys }) => apiKeys) ?? []
  const shown = all.filter((key) => matches({ name, status }, key))
  const isFiltered = name.trim() !== "" || status !== undefined

  return (
    <Stack gap="md">
      <Group justify="space-between" align="flex-start">
        <div>
          <Title order={1} size="h2" ref={heading} tabIndex={-1}>
            API Keys
          </Title>
          <Text c="dimmed">Who may call this server, what they reach, and until when.</Text>
        </div>
        {createButton}
      </Group>
      <Filters
        filter={{ name, status }}
        onName={setName}
        onStatus={setStatus}
        count={keys.data === undefined ? "" : countText(shown.length, all.length, keys.hasNextPage)}
      />
      {keys.error instanceof ApiFailure ? (
        <FailureAlert failure={keys.error} onRetry={() => void keys.refetch()}>
          {keys.error.code === "role_forbidden" ? (
            <Text size="sm">Only an Admin sees the keys of others. Yours is under Your key.</Text>
          ) : undefined}
        </FailureAlert>
      ) : undefined}
      {keys.isPending ? <Loading what="keys" /> : undefined}
      {shown.length > 0 ? <KeyTable keys={shown} caller={caller} onRevoke={setRevoked} /> : undefined}
      {keys.data !== undefined && shown.length === 0 ? (
        isFiltered ? (
          <Empty
            title="No key matches"
            action={
              <Button
                variant="default"
                onClick={() => {
                  setName("")
                  setStatus(undefined)
                }}
              >
                Show every key
              </Button>
            }
          >
            No key that you may see has such a name and status.
          </Empty>
        ) : (
          <Empty title="No keys yet" action={createButton}>
            Make one for each program and each person, with a rule that reaches what it needs.
          </Empty>
        )
      ) : undefined}
      {keys.hasNextPage ? (
        <Group>
          <Button variant="default" loading={keys.isFetchingNextPage} onClick={() => void keys.fetchNextPage()}>
            Load more keys
          </Button>
        </Group>
      ) : undefined}
      <RevokeDialog apiKey={revoked} onClose={() => setRevoked(undefined)} />
    </Stack>
  )
}

interface FiltersProps {
  readonly filter: KeyFilter
  readonly count: string
  readonly onName: (name: string) => void
  readonly onStatus: (status: Status | undefined) => void
}

const Filters = ({ count, filter, onName, onStatus }: FiltersProps) => (
  <Group align="flex-end">
    <TextInput
      type="search"
      label="Name"
      placeholder="Part of a name"
      value={filter.name}
      onChange={(event) => onName(event.currentTarget.value)}
      w={{ base: "100%", xs: 260 }}
    />
    <NativeSelect
      label="Status"
      value={filter.status ?? ""}
      onChange={({ currentTarget: { value } }) => onStatus(STATUSES.find((one) => one === value))}
      data={[{ value: "", label: "Every status" }, ...STATUSES]}
      w={{ base: "100%", xs: 180 }}
    />
    <Text size="sm" c="dimmed" role="status" pb={8}>
      {count}
    </Text>
  </Group>
)

const number = new Intl.NumberFormat()

const countText = (shown: number, all: number, hasMore: boolean): string => {
  const of = shown === all ? number.format(all) : `${number.format(shown)} of ${number.format(all)}`
  return `${of} ${all === 1 ? "key" : "keys"}${hasMore ? " loaded, there are more" : ""}`
}
