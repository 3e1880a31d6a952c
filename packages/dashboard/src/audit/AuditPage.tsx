/**
 * The page Audit: each request with its caller and the decision on it.
 */
import { Button, Group, Stack, Switch, Text, Title } from "@mantine/core"
import { useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query"
import { useCallback, useEffect, useMemo, useState } from "react"
import { useSearchParams } from "react-router"
import { auditQuery, exportAddress, followAudit } from "../api/AuditQueries.ts"
import { type AuditEvent, inOrder } from "../api/AuditTail.ts"
import { ApiFailure } from "../api/Client.ts"
import { useCaller } from "../frame/Caller.ts"
import { useTitle } from "../frame/useTitle.ts"
import { FailureAlert } from "../feedback/FailureAlert.tsx"
import { clockTimeOf } from "../feedback/Instant.tsx"
import { Empty, Loading } from "../feedback/PageState.tsx"
import * as Quantity from "../format/Quantity.ts"
import { CUSTOM } from "../form/TimeRange.ts"
import { type AuditFilter, isNarrowed, NO_FILTER, parse, parametersOf, write } from "./AuditFilter.ts"
import { AuditFilters } from "./AuditFilters.tsx"
import { AuditRows } from "./AuditRows.tsx"
import { EventDrawer } from "./EventDrawer.tsx"

const FOLLOW_EVERY_MS = 3_000

export const AuditPage = () => {
  const heading = useTitle("Audit")
  const [search, setSearch] = useSearchParams()
  const filter = useMemo(() => parse(search), [search])
  const [opened, setOpened] = useState<AuditEvent>()
  const { events, follow, list } = useEvents(filter)
  const failure = list.error ?? follow.error

  // Filter changes replace the address: the back button leaves the page.
  const change = (part: Partial<AuditFilter>) => {
    setSearch((before) => write(before, { ...parse(before), ...part }), { replace: true })
  }
  const { fetchNextPage, hasNextPage, isFetching } = list
  const loadMore = useCallback(() => {
    if (hasNextPage && !isFetching) void fetchNextPage()
  }, [fetchNextPage, hasNextPage, isFetching])
  const parameters = list.data?.pages[0]?.parameters

  return (
    <Stack gap="md">
      <Group justify="space-between" align="flex-start">
        <div>
          <Title order={1} size="h2" ref={heading} tabIndex={-1}>
            Audit
          </Title>
          <Text c="dimmed">Each request with its caller and the decision on it.</Text>
        </div>
        {parameters === undefined ? undefined : (
          <Button component="a" href={exportAddress(parameters)} download="audit.ndjson" variant="default">
            Save as NDJSON
          </Button>
        )}
      </Group>
      <Scope />
      <AuditFilters filter={filter} onChange={change} />
      {failure instanceof ApiFailure ? (
        <FailureAlert failure={failure} onRetry={() => void list.refetch()}>
          {failure.code === "role_forbidden" ? <Text size="sm">Only an Admin can read the audit log.</Text> : undefined}
          {list.data === undefined ? undefined : (
            <Text size="sm">The data shown is from {clockTimeOf(list.dataUpdatedAt)}.</Text>
          )}
        </FailureAlert>
      ) : undefined}
      {list.isLoading ? <Loading what="events" /> : undefined}
      {list.data === undefined ? undefined : (
        <Group gap="md">
          <Text size="sm" c="dimmed" role="status">
            {Quantity.counted(events.length, "event")}
            {hasNextPage ? " loaded, there are more" : ""}
          </Text>
          {filter.range === CUSTOM && filter.to !== "" ? undefined : (
            <Switch
              size="sm"
              label="Follow new events"
              checked={follow.isOn}
              onChange={(event) => follow.turn(event.currentTarget.checked)}
            />
          )}
        </Group>
      )}
      {events.length > 0 ? <AuditRows events={events} onOpen={setOpened} onNearEnd={loadMore} /> : undefined}
      {list.data !== undefined && events.length === 0 && !hasNextPage ? (
        <NoEvents filter={filter} onChange={change} />
      ) : undefined}
      {list.isFetchingNextPage ? (
        <Text size="sm" c="dimmed" role="status">
          Loading older events
        </Text>
      ) : undefined}
      <EventDrawer
        event={opened}
        onClose={() => setOpened(undefined)}
        onKey={(keyId) => {
          setOpened(undefined)
          change({ ...NO_FILTER, range: filter.range, from: filter.from, to: filter.to, actor: keyId })
        }}
      />
    </Stack>
  )
}

/** Reads the events of a filter and follows new ones. */
const useEvents = (filter: AuditFilter) => {
  const queries = useQueryClient()
  const [isOn, turn] = useState(true)
  const name = write(new URLSearchParams(), filter).toString()
  const parametersAt = useCallback((nowMs: number) => parametersOf(filter, nowMs), [filter])
  const list = useInfiniteQuery(auditQuery(name, parametersAt))
  const hasEnd = filter.range === CUSTOM && filter.to !== ""
  const following = useQuery({
    queryKey: ["auditFollowed", name],
    queryFn: async () => {
      await followAudit(queries, name, parametersAt)
      return new Date().getTime()
    },
    enabled: isOn && !hasEnd && list.isSuccess,
    refetchInterval: FOLLOW_EVERY_MS
  })
  const pages = list.data?.pages
  const events = useMemo(() => inOrder(pages?.flatMap((page) => page.events) ?? []), [pages])
  const { fetchNextPage, hasNextPage, isFetching } = list
  // An empty page need not be the last page, because the server searches only a bounded part of the log per page.
  const isSearching = list.data !== undefined && events.length === 0 && hasNextPage && !isFetching
  useEffect(() => {
    if (isSearching) void fetchNextPage()
  }, [isSearching, fetchNextPage])
  return { events, list, follow: { isOn, turn, error: following.error } }
}

/** A note for keys with a scope, which do not see every event. */
const Scope = () => {
  const { rule } = useCaller()
  const isScoped = rule.targetClusters !== undefined || rule.targetNamespaces !== undefined
  return rule.role === "Admin" && isScoped ? (
    <Text size="sm">
      Your key has a scope. You see only events whose clusters, namespaces and keys all lie inside it.
    </Text>
  ) : undefined
}

interface NoEventsProps {
  readonly filter: AuditFilter
  readonly onChange: (part: Partial<AuditFilter>) => void
}

const NoEvents = ({ filter, onChange }: NoEventsProps) => (
  <Empty
    title={isNarrowed(filter) ? "No event matches the filter" : "No events"}
    action={
      isNarrowed(filter) || filter.range !== "all" ? (
        <Button variant="default" onClick={() => onChange({ ...NO_FILTER, range: "all" })}>
          Show every event
        </Button>
      ) : undefined
    }
  >
    The log contains changes and refusals. It contains allowed reads only if the setting audit.reads is all.
  </Empty>
)
