/**
 * Audit: who asked for what, and what was decided.
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
import { type AuditFilter, isNarrowed, NO_FILTER, parse, questionOf, write } from "./AuditFilter.ts"
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

  // What is typed is not a step to go back to.
  const change = (part: Partial<AuditFilter>) => {
    setSearch((before) => write(before, { ...parse(before), ...part }), { replace: true })
  }
  const { fetchNextPage, hasNextPage, isFetching } = list
  const goOn = useCallback(() => {
    if (hasNextPage && !isFetching) void fetchNextPage()
  }, [fetchNextPage, hasNextPage, isFetching])
  const question = list.data?.pages[0]?.question

  return (
    <Stack gap="md">
      <Group justify="space-between" align="flex-start">
        <div>
          <Title order={1} size="h2" ref={heading} tabIndex={-1}>
            Audit
          </Title>
          <Text c="dimmed">Who asked for what, and what was decided.</Text>
        </div>
        {question === undefined ? undefined : (
          <Button component="a" href={exportAddress(question)} download="audit.ndjson" variant="default">
            Save as NDJSON
          </Button>
        )}
      </Group>
      <Scope />
      <AuditFilters filter={filter} onChange={change} />
      {failure instanceof ApiFailure ? (
        <FailureAlert failure={failure} onRetry={() => void list.refetch()}>
          {failure.code === "role_forbidden" ? <Text size="sm">Only an Admin reads the audit.</Text> : undefined}
          {list.data === undefined ? undefined : (
            <Text size="sm">What you see is from {clockTimeOf(list.dataUpdatedAt)}.</Text>
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
      {events.length > 0 ? <AuditRows events={events} onOpen={setOpened} onNearEnd={goOn} /> : undefined}
      {list.data !== undefined && events.length === 0 && !hasNextPage ? (
        <NoEvents filter={filter} onChange={change} />
      ) : undefined}
      {list.isFetchingNextPage ? (
        <Text size="sm" c="dimmed" role="status">
          Reading older events
        </Text>
      ) : undefined}
      <EventDrawer
        event={opened}
        onClose={() => setOpened(undefined)}
        onKey={(keyId) => {
          setOpened(undefined)
          change({ ...NO_FILTER, range: filter.range, from: filter.from, to: filter.to, keyId })
        }}
      />
    </Stack>
  )
}

/** Reads the events that a filter asks for, and what is decided from then on. */
const useEvents = (filter: AuditFilter) => {
  const queries = useQueryClient()
  const [isOn, turn] = useState(true)
  const name = write(new URLSearchParams(), filter).toString()
  const ask = useCallback((nowMs: number) => questionOf(filter, nowMs), [filter])
  const list = useInfiniteQuery(auditQuery(name, ask))
  const hasEnd = filter.range === CUSTOM && filter.to !== ""
  const following = useQuery({
    queryKey: ["auditFollowed", name],
    queryFn: async () => {
      await followAudit(queries, name, ask)
      return new Date().getTime()
    },
    enabled: isOn && !hasEnd && list.isSuccess,
    refetchInterval: FOLLOW_EVERY_MS
  })
  const pages = list.data?.pages
  const events = useMemo(() => inOrder(pages?.flatMap((page) => page.events) ?? []), [pages])
  const { fetchNextPage, hasNextPage, isFetching } = list
  // A page may have no event and not be the last: the server looks at a bounded part of the audit for each.
  const isLookingOn = list.data !== undefined && events.length === 0 && hasNextPage && !isFetching
  useEffect(() => {
    if (isLookingOn) void fetchNextPage()
  }, [isLookingOn, fetchNextPage])
  return { events, list, follow: { isOn, turn, error: following.error } }
}

/** What a key with a scope is not shown, which its holder may not know. */
const Scope = () => {
  const { rule } = useCaller()
  const isScoped = rule.targetClusters !== undefined || rule.targetNamespaces !== undefined
  return rule.role === "Admin" && isScoped ? (
    <Text size="sm">
      Your key has a scope: you see events on clusters, namespaces and keys that all lie within it, and no others.
    </Text>
  ) : undefined
}

interface NoEventsProps {
  readonly filter: AuditFilter
  readonly onChange: (part: Partial<AuditFilter>) => void
}

const NoEvents = ({ filter, onChange }: NoEventsProps) => (
  <Empty
    title={isNarrowed(filter) ? "No event matches" : "No events"}
    action={
      isNarrowed(filter) || filter.range !== "all" ? (
        <Button variant="default" onClick={() => onChange({ ...NO_FILTER, range: "all" })}>
          Show every event
        </Button>
      ) : undefined
    }
  >
    Changes and refusals are kept. Reads that were allowed are kept where the setting audit.reads says all.
  </Empty>
)
