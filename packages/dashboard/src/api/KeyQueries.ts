/**
 * API keys, read and ended.
 */
import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query"
import { call } from "./Client.ts"
import type { Status } from "./Shapes.ts"

/** What narrows a list of keys. **Shape** as the API's parameters; what is absent narrows nothing. */
export interface KeyQuestion {
  readonly name?: string
  readonly status?: Status
  readonly createdBy?: string
}

/** Rows of one reply; the rest is read when it is asked for. */
const PAGE = 100
const REREAD_MS = 15_000
/** A list of more pages than these is read again when something in it was changed here. */
const REREAD_PAGES = 5

/** What every list of keys, and each key of its own, is remembered under. */
export const KEYS = ["apiKeys"] as const

/** A list that goes on when it is asked to; while another is asked for, the last one is still shown. */
export const apiKeysQuery = (question: KeyQuestion) =>
  infiniteQueryOptions({
    queryKey: [...KEYS, "list", question],
    queryFn: ({ pageParam, signal }) =>
      call(
        (api) =>
          api.apiKeys.list({
            query: { ...question, limit: PAGE, ...(pageParam === "" ? {} : { cursor: pageParam }) }
          }),
        signal
      ),
    initialPageParam: "",
    getNextPageParam: ({ nextCursor }) => nextCursor,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) > REREAD_PAGES ? false : REREAD_MS)
  })

/** One key. */
export const apiKeyQuery = (id: string) =>
  queryOptions({
    queryKey: [...KEYS, "one", id],
    queryFn: ({ signal }) => call((api) => api.apiKeys.get({ params: { id }, query: {} }), signal)
  })

/** How many valid keys descend from a key, and would be revoked with it. */
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

/** Revokes a key, and with `withChildren` every key that descends from it, all or none. **Errors** rejects with `ApiFailure`. */
export const revokeKey = ({ id, isForced, withChildren }: Revocation) =>
  call((api) =>
    api.apiKeys.revoke({
      params: { id },
      query: { ...(isForced ? { force: "true" } : {}), ...(withChildren ? { children: "true" } : {}) }
    })
  )
