/**
 * API keys, read and ended.
 */
import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query"
import { call } from "./Client.ts"
import type { ApiKey, Status } from "./Shapes.ts"

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
    queryFn: ({ signal }) => call((api) => api.apiKeys.get({ params: { id } }), signal)
  })

/** The most that one page of a list may have. */
const MAX_PAGE = 5_000

const keysMadeBy = async (createdBy: string): Promise<ReadonlyArray<ApiKey>> => {
  const found: Array<ApiKey> = []
  let cursor: string | undefined
  for (;;) {
    const query = { createdBy, limit: MAX_PAGE, ...(cursor === undefined ? {} : { cursor }) }
    const page = await call((api) => api.apiKeys.list({ query }))
    found.push(...page.apiKeys)
    cursor = page.nextCursor
    if (cursor === undefined) return found
  }
}

interface Revocation {
  readonly id: string
  /** The key that asks, which is the last to end. */
  readonly ownId: string
  readonly withChildren: boolean
  readonly isForced: boolean
}

/**
 * Revokes a key, and with it those that it made, and those that they made.
 *
 * **Shape** each maker before its keys are looked for, so that it makes no more meanwhile. Keys that the caller may not see
 * are left alone.
 *
 * **Errors** rejects with `ApiFailure`; what was revoked until then stays so, and asking again goes on.
 */
export const revokeKey = async ({ id, isForced, ownId, withChildren }: Revocation): Promise<void> => {
  const revoke = (one: string) =>
    call((api) => api.apiKeys.revoke({ params: { id: one }, query: isForced ? { force: "true" } : {} }))
  if (!withChildren) {
    await revoke(id)
    return
  }
  const found = new Map([[id, true]])
  for (const [maker, isValid] of found) {
    if (isValid && maker !== ownId) await revoke(maker)
    for (const child of await keysMadeBy(maker)) {
      if (!found.has(child.id)) found.set(child.id, child.status === "active" || child.status === "expiring")
    }
  }
  if (found.has(ownId)) await revoke(ownId)
}
