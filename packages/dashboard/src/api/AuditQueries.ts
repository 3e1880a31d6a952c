/**
 * What the pages read of the audit.
 */
import type { AuditQuery } from "@quarterdeck/contract/AuditGroup"
import { infiniteQueryOptions, type InfiniteData, type QueryClient } from "@tanstack/react-query"
import { type AuditEvent, atMs, isGap } from "./AuditTail.ts"
import { call, serverUrl } from "./Client.ts"

export type Decision = AuditEvent["decision"]
export type Verb = AuditEvent["verb"]

/** What narrows the audit. **Shape** as the API's parameters; what is absent narrows nothing. */
export type AuditQuestion = Omit<AuditQuery, "cursor" | "format" | "limit">

/** Makes a question of this moment: the same for all of its pages. */
export type Ask = (nowMs: number) => AuditQuestion

interface Place {
  readonly question: AuditQuestion
  readonly cursor?: string
}

/** Rows of one reply: what a screen shows, and some to scroll to. */
const PAGE = 100

const read = ({ cursor, question }: Place, limit: number, signal?: AbortSignal) =>
  call((api) => api.audit.list({ query: { ...question, limit, ...(cursor === undefined ? {} : { cursor }) } }), signal)

interface Part {
  readonly events: ReadonlyArray<AuditEvent>
  readonly question: AuditQuestion
  readonly nextCursor?: string
}

/** The newest events first, going on as they are scrolled. **Shape** `name` tells questions apart, whatever the moment. */
export const auditQuery = (name: string, ask: Ask) =>
  infiniteQueryOptions({
    queryKey: ["audit", name],
    queryFn: async ({ pageParam, signal }): Promise<Part> => {
      const place = pageParam ?? { question: ask(new Date().getTime()) }
      return { question: place.question, ...(await read(place, PAGE, signal)) }
    },
    initialPageParam: undefined as Place | undefined,
    getNextPageParam: ({ nextCursor, question }) =>
      nextCursor === undefined ? undefined : { question, cursor: nextCursor },
    // It is followed instead, from its newest event on.
    staleTime: Number.POSITIVE_INFINITY
  })

type Pages = InfiniteData<Part, Place | undefined>

/** Events of one reply that follows. */
const TAIL = 500
/** More events than these in one page are read anew, from the newest on. */
const MAX_FIRST = 2_000

/** Reads what has been decided since, into the list that is shown. **Errors** rejects with `ApiFailure`. */
export const followAudit = async (queries: QueryClient, name: string, ask: Ask): Promise<void> => {
  const { queryKey } = auditQuery(name, ask)
  const first = queries.getQueryData<Pages>(queryKey)?.pages[0]
  if (first === undefined) return
  const newest = first.events[0]
  const since = newest === undefined ? first.question.since : new Date(atMs(newest)).toISOString()
  const question = { ...first.question, ...(since === undefined ? {} : { since }) }
  const { events, nextCursor } = await read({ question }, TAIL)
  // A reply also ends where the server has looked far enough back for events that the key may see.
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

/** Where every event that matches is a file, one a line. */
export const exportAddress = (question: AuditQuestion): string =>
  `${serverUrl}/api/v1/audit?${new URLSearchParams({ ...question, format: "ndjson" }).toString()}`
