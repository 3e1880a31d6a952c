/**
 * Queries and revocation of API keys.
 */
import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query"
import { call } from "./Client.ts"
import type { Status } from "./Shapes.ts"

/** Filters of the key list, as API parameters. */
export interface KeyParameters {
  readonly name?: string
  readonly status?: Status
  readonly createdBy?: string
}

/** Rows on a page. Further pages are read on demand. */
const PAGE = 500
const REREAD_MS = 15_000
/** A list of more pages than this is not refetched on a timer, only after a change on this page. */
const REREAD_PAGES = 1
/** Maximum number of pages that are read to sort keys or to find marked ones. */
export const MAX_PAGES = 10

/** Cache key prefix of all queries of keys. */
export const KEYS = ["apiKeys"] as const

/** Keys, loaded page by page. The previous list stays visible while another one loads. */
export const apiKeysQuery = (parameters: KeyParameters) =>
  infiniteQueryOptions({
    queryKey: [...KEYS, "list", parameters],
    queryFn: ({ pageParam, signal }) =>
      call(
        (api) =>
          api.apiKeys.list({
            query: { ...parameters, limit: PAGE, ...(pageParam === "" ? {} : { cursor: pageParam }) }
          }),
        signal
      ),
    initialPageParam: "",
    getNextPageParam: ({ nextCursor }) => nextCursor,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) > REREAD_PAGES ? false : REREAD_MS)
  })

export const apiKeyQuery = (id: string) =>
  queryOptions({
    queryKey: [...KEYS, "one", id],
    queryFn: ({ signal }) => call((api) => api.apiKeys.get({ params: { id }, query: {} }), signal)
  })

/** The key that created another one. Its name seldom changes, so the list's timer does not read it again. */
export const makerQuery = (id: string) =>
  queryOptions({ ...apiKeyQuery(id), staleTime: Number.POSITIVE_INFINITY, retry: false })

/** Number of valid keys that descend from a key and would be revoked with it. */
export const descendantsQuery = (id: string) =>
  queryOptions({
    queryKey: [...KEYS, "descendants", id],
    queryFn: async ({ signal }) =>
      (await call((api) => api.apiKeys.get({ params: { id }, query: { children: "true" } }), signal)).descendants ?? 0
  })

interface Revocation {
  readonly id: string
  readonly withChildren: boolean
  readonly isForced: boolean
}

/** Revokes a key; with `withChildren` also its descendants, all or none. **Errors** rejects with `ApiFailure`. */
export const revokeKey = ({ id, isForced, withChildren }: Revocation) =>
  call((api) =>
    api.apiKeys.revoke({
      params: { id },
      query: { ...(isForced ? { force: "true" } : {}), ...(withChildren ? { children: "true" } : {}) }
    })
  )
