/**
 * The session of the browser, polled every two seconds: a page whose key is revoked signs out and shows the reason.
 */
import type { ApiKey } from "./Shapes.ts"
import { type QueryClient, queryOptions } from "@tanstack/react-query"
import { Redacted } from "effect"
import * as IdentityProvider from "./IdentityProvider.ts"
import { ApiFailure, call } from "./Client.ts"

/** State of the session. `reason` is absent if the browser was not signed in before. */
export type Session =
  | { readonly _tag: "SignedIn"; readonly apiKey: ApiKey }
  | { readonly _tag: "SignedOut"; readonly reason?: ApiFailure }

const POLL_MS = 2_000

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
  refetchInterval: ({ state }) => (state.data?._tag === "SignedOut" ? false : POLL_MS),
  refetchIntervalInBackground: true,
  retry: false
})

/** Removes all cached data and sets the session to signed out. */
const leave = (queries: QueryClient, session: Extract<Session, { readonly _tag: "SignedOut" }>): void => {
  queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== "session" })
  queries.setQueryData(sessionQuery.queryKey, session)
}

/** Signs the page out if a call failed with 401. */
export const noteFailure = (queries: QueryClient, error: unknown): void => {
  if (error instanceof ApiFailure && error.status === 401) leave(queries, { _tag: "SignedOut", reason: error })
}

/** Cancels a running poll: its reply may hold the previous session. */
const cancelPoll = (queries: QueryClient): Promise<void> => queries.cancelQueries({ queryKey: sessionQuery.queryKey })

/** Channel on which a tab tells other tabs of the browser that the session has changed. Messages are empty. */
const CHANNEL = "quarterdeck.session"

/** Notifies other tabs that the browser has signed in. */
const tellTabs = (): void => {
  const channel = new BroadcastChannel(CHANNEL)
  channel.postMessage("")
  channel.close()
}

/** Reads the session again when another tab signs in. Returns the function that stops. */
export const followSignIn = (queries: QueryClient): (() => void) => {
  const channel = new BroadcastChannel(CHANNEL)
  channel.addEventListener("message", () => void queries.invalidateQueries({ queryKey: sessionQuery.queryKey }))
  return () => channel.close()
}

/** Signs in. **Errors** {@link ApiFailure}. */
export const signIn = async (queries: QueryClient, key: string): Promise<void> => {
  const apiKey = await call((api) => api.session.create({ payload: { key: Redacted.make(key) } }))
  const session: Session = { _tag: "SignedIn", apiKey }
  await cancelPoll(queries)
  queries.setQueryData(sessionQuery.queryKey, session)
  tellTabs()
}

/**
 * Signs out. With `everywhere` all sessions of the same key end. If the user signed in at the identity provider, the browser
 * leaves the page to sign out at the provider too.
 */
export const signOut = async (queries: QueryClient, everywhere: boolean): Promise<void> => {
  const session = queries.getQueryData(sessionQuery.queryKey)
  if (!everywhere && session?._tag === "SignedIn" && IdentityProvider.isPerson(session.apiKey)) {
    location.assign(IdentityProvider.LOGOUT_ADDRESS)
    return
  }
  await call((api) => api.session.end({ query: { all: everywhere ? "true" : "false" } }))
  await cancelPoll(queries)
  leave(queries, { _tag: "SignedOut" })
}
