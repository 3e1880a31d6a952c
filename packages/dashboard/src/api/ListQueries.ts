/**
 * Queries of pods, events and namespaces, page by page.
 */
import { infiniteQueryOptions, keepPreviousData } from "@tanstack/react-query"
import * as ClusterTarget from "./ClusterTarget.ts"
import { call } from "./Client.ts"
import type { Coverage } from "./Shapes.ts"
import { mayBeReread } from "./WorkloadQueries.ts"

type Target = ClusterTarget.ClusterTarget

/** Rows on a page: more than fit on a screen. */
const PAGE = 100
const FRESH_EVERY_MS = 5_000

/** A page of rows. */
interface RowPage<Row> {
  readonly rows: ReadonlyArray<Row>
  readonly clusters: ReadonlyArray<Coverage>
  readonly nextCursor?: string
}

interface PageRequest {
  readonly limit: number
  readonly cursor?: string
}

/** Reads one page. **Errors** rejects with `ApiFailure`. */
type ReadPage<Row> = (page: PageRequest, signal: AbortSignal) => Promise<RowPage<Row>>

const pagesOf = <Row>(name: string, target: Target, parameters: object, readPage: ReadPage<Row>) =>
  infiniteQueryOptions({
    queryKey: ["list", name, ClusterTarget.keyOf(target), parameters],
    queryFn: ({ pageParam, signal }) =>
      readPage({ limit: PAGE, ...(pageParam === "" ? {} : { cursor: pageParam }) }, signal),
    initialPageParam: "",
    getNextPageParam: ({ nextCursor }) => nextCursor,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (mayBeReread(state.data?.pages.length ?? 0) ? FRESH_EVERY_MS : false)
  })

export type ListQuery<Row> = ReturnType<typeof pagesOf<Row>>

/** Filters and order of the list of pods, as API parameters. */
export interface PodParameters {
  readonly name?: string
  readonly labelSelector?: string
  readonly namespace?: ReadonlyArray<string>
  readonly status?: ReadonlyArray<string>
  readonly sort?: "name" | "namespace" | "cluster" | "status" | "node" | "restarts" | "createdAt"
  readonly order?: "asc" | "desc"
}

export const podPages = (target: Target, parameters: PodParameters) =>
  pagesOf("pods", target, parameters, async (page, signal) => {
    const query = { ...parameters, ...page }
    const { pods, ...rest } = await call(
      (api) => api.pods.list({ headers: ClusterTarget.headersOf(target), query }),
      signal
    )
    return { ...rest, rows: pods }
  })

/** Filters of the list of events, as API parameters. */
export interface EventParameters {
  readonly namespace?: ReadonlyArray<string>
  readonly type?: ReadonlyArray<string>
  readonly reason?: ReadonlyArray<string>
}

export const eventPages = (target: Target, parameters: EventParameters) =>
  pagesOf("events", target, parameters, async (page, signal) => {
    const query = { ...parameters, ...page }
    const { events, ...rest } = await call(
      (api) => api.events.list({ headers: ClusterTarget.headersOf(target), query }),
      signal
    )
    return { ...rest, rows: events }
  })

/** Filters and order of the list of namespaces, as API parameters. */
export interface NamespaceParameters {
  readonly name?: string
  readonly labelSelector?: string
  readonly sort?: "name" | "cluster"
  readonly order?: "asc" | "desc"
}

export const namespacePages = (target: Target, parameters: NamespaceParameters) =>
  pagesOf("namespaces", target, parameters, async (page, signal) => {
    const query = { ...parameters, ...page }
    const { namespaces, ...rest } = await call(
      (api) => api.namespaces.list({ headers: ClusterTarget.headersOf(target), query }),
      signal
    )
    return { ...rest, rows: namespaces }
  })
