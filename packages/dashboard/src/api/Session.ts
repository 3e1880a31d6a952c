/**
 * Who is signed in, asked again and again: a page whose key was revoked is signed out within seconds, and says why.
 */
import type { ApiKey } from "./Shapes.ts"
import { type QueryClient, queryOptions } from "@tanstack/react-query"
import { Redacted } from "effect"
import * as Provider from "./IdentityProvider.ts"
import { ApiFailure, call } from "./Client.ts"

/** Whether the browser is signed in; `reason` is absent for one that was not signed in. */
export type Session =
  | { readonly _tag: "SignedIn"; readonly apiKey: ApiKey }
  | { readonly _tag: "SignedOut"; readonly reason?: ApiFailure }

const ASKED_EVERY_MS = 2_000

const signedOut = (failure: ApiFailure): Session =>
  failure.code === "missing_credential" ? { _tag: "SignedOut" } : { _tag: "SignedOut", reason: failure }

export const sessionQuery = queryOptions({
  queryKey: ["session"],
  queryFn: async ({ signal }): Promise<Session> => {
    try {
      return { _tag: "SignedIn", apiKey: await call((api) => api.session.get(), signal) }
    } catch (error) {
      if (error instanceof ApiFailure && error.status === 401) return signedOut(error)
      throw error
    }
  },
  refetchInterval: ({ state }) => (state.data?._tag === "SignedOut" ? false : ASKED_EVERY_MS),
  refetchIntervalInBackground: true,
  retry: false
})

/** Forgets all that a signed-in page has read, and says why it is signed out. */
const leave = (queries: QueryClient, session: Extract<Session, { readonly _tag: "SignedOut" }>): void => {
  queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== "session" })
  queries.setQueryData(sessionQuery.queryKey, session)
}

/** Any reply of 401 means that the page is signed out. */
export const noteFailure = (queries: QueryClient, error: unknown): void => {
  if (error instanceof ApiFailure && error.status === 401) leave(queries, { _tag: "SignedOut", reason: error })
}

/** Drops an answer that is on its way: it tells who was signed in before, and must not undo what has changed since. */
const dropAsked = (queries: QueryClient): Promise<void> => queries.cancelQueries({ queryKey: sessionQuery.queryKey })

/** Signs in. **Errors** {@link ApiFailure}. */
export const signIn = async (queries: QueryClient, key: string): Promise<void> => {
  const apiKey = await call((api) => api.session.create({ payload: { key: Redacted.make(key) } }))
  const session: Session = { _tag: "SignedIn", apiKey }
  await dropAsked(queries)
  queries.setQueryData(sessionQuery.queryKey, session)
}

/**
 * Signs out, in every browser that has signed in with the same key where `everywhere` says so; a person at the provider
 * too, which the page is left for.
 */
export const signOut = async (queries: QueryClient, everywhere: boolean): Promise<void> => {
  const session = queries.getQueryData(sessionQuery.queryKey)
  if (!everywhere && session?._tag === "SignedIn" && Provider.isPerson(session.apiKey)) {
    location.assign(Provider.LOGOUT_ADDRESS)
    return
  }
  await call((api) => api.session.end({ query: { all: everywhere ? "true" : "false" } }))
  await dropAsked(queries)
  leave(queries, { _tag: "SignedOut" })
}
