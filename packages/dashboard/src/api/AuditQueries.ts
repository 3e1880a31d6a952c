/**
 * Queries of the audit log.
 */
import type { AuditQuery } from "@quarterdeck/contract/AuditGroup"
import { infiniteQueryOptions, type InfiniteData, type QueryClient, queryOptions } from "@tanstack/react-query"
import { type AuditEvent, atMs, isGap } from "./AuditTail.ts"
import { call, serverUrl } from "./Client.ts"

export type Decision = AuditEvent["decision"]
export type Verb = AuditEvent["verb"]

/** Filters of the audit log, as API parameters. */
export type AuditParameters = Omit<AuditQuery, "cursor" | "format" | "limit">

/** Computes the parameters at a moment. All pages of a list share them. */
export type ParametersAt = (nowMs: number) => AuditParameters

interface PageRequest {
  readonly parameters: AuditParameters
  readonly cursor?: string
}

/** Rows on a page: more than fit on a screen. */
const PAGE = 100

const read = ({ cursor, parameters }: PageRequest, limit: number, signal?: AbortSignal) =>
  call(
    (api) => api.audit.list({ query: { ...parameters, limit, ...(cursor === undefined ? {} : { cursor }) } }),
    signal
  )

interface Part {
  readonly events: ReadonlyArray<AuditEvent>
  readonly parameters: AuditParameters
  readonly nextCursor?: string
}

/** Events, the newest first, loaded page by page. **Shape** `name` identifies the filter independent of the moment. */
export const auditQuery = (name: string, at: ParametersAt) =>
  infiniteQueryOptions({
    queryKey: ["audit", name],
    queryFn: async ({ pageParam, signal }): Promise<Part> => {
      const place = pageParam ?? { parameters: at(new Date().getTime()) }
      return { parameters: place.parameters, ...(await read(place, PAGE, signal)) }
    },
    initialPageParam: undefined as PageRequest | undefined,
    getNextPageParam: ({ nextCursor, parameters }) =>
      nextCursor === undefined ? undefined : { parameters, cursor: nextCursor },
    // `followAudit` adds new events instead.
    staleTime: Number.POSITIVE_INFINITY
  })

/** Events that a page of one key shows. */
const NEWEST = 10

/** The newest events of a filter. **Shape** `isWhole` is false if the server searched only a part of the log. */
export const newestQuery = (parameters: AuditParameters) =>
  queryOptions({
    queryKey: ["auditNewest", parameters],
    queryFn: async ({ signal }) => {
      const { events, nextCursor } = await read({ parameters }, NEWEST, signal)
      return { events, isWhole: nextCursor === undefined }
    }
  })

type Pages = InfiniteData<Part, PageRequest | undefined>

/** Rows on a page of new events. */
const TAIL = 500
/** If the first page holds more events than this, the list is read again. */
const MAX_FIRST = 2_000

/** Reads the events since the newest one and adds them to the list. **Errors** rejects with `ApiFailure`. */
export const followAudit = async (queries: QueryClient, name: string, at: ParametersAt): Promise<void> => {
  const { queryKey } = auditQuery(name, at)
  const first = queries.getQueryData<Pages>(queryKey)?.pages[0]
  if (first === undefined) return
  const newest = first.events[0]
  const since = newest === undefined ? first.parameters.since : new Date(atMs(newest)).toISOString()
  const parameters = { ...first.parameters, ...(since === undefined ? {} : { since }) }
  const { events, nextCursor } = await read({ parameters }, TAIL)
  // The server may return a short page with a cursor: it bounds how far back it searches for visible events.
  const isCut = nextCursor !== undefined && events.length >= TAIL
  if (isGap(newest, { events, isCut }) || first.events.length > MAX_FIRST) {
    await queries.resetQueries({ queryKey })
    return
  }
  queries.setQueryData<Pages>(queryKey, (before) => {
    const [head, ...rest] = before?.pages ?? []
    if (before === undefined || head === undefined) return before
    const known = new Set(before.pages.flatMap((part) => part.events.map(({ id }) => id)))
    const fresh = events.filter(({ id }) => !known.has(id))
    return fresh.length === 0
      ? before
      : { ...before, pages: [{ ...head, events: [...fresh, ...head.events] }, ...rest] }
  })
}

/** Address of a file with every matching event, one per line. */
export const exportAddress = (parameters: AuditParameters): string =>
  `${serverUrl}/api/v1/audit?${new URLSearchParams({ ...parameters, format: "ndjson" }).toString()}`
