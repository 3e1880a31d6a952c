/**
 * Refreshes the claims of signed-in people. Concurrent requests of one session share one refresh (single flight).
 */
import { DateTime, type Duration, Effect, Fiber, Option } from "effect"
import type { KeyStoreError } from "../KeyError.ts"
import type { IdentityProvider } from "./IdentityProvider.ts"
import * as SealedTokens from "./SealedTokens.ts"
import * as SessionId from "./SessionId.ts"
import type { SessionOwner, SessionStore } from "./SessionStore.ts"

/** Owner of a person's session. */
export type PersonOwner = Extract<SessionOwner, { readonly _tag: "Person" }>

/** Result of a refresh. */
type Reading =
  | { readonly _tag: "Read"; readonly owner: PersonOwner }
  | { readonly _tag: "NotVouched"; readonly problem: string }

/** Refreshes the claims of a session and stores them. **Errors** `KeyStoreError` if the session cannot be read. */
type ReadAgain = (id: SessionId.SessionId, owner: PersonOwner) => Effect.Effect<Reading, KeyStoreError>

const MAX_UNSAVED = 10_000

/**
 * Makes the refresh function of a server.
 *
 * **Shape** one refresh at a time per session, shared by concurrent requests, since a provider may revoke a refresh token
 * that is used twice. Cancelling a waiting request does not cancel the refresh, so new tokens are not lost. If the store
 * cannot save the claims, for example on a full disk, they stay in memory until the next refresh.
 *
 * **Limits** claims are fresh for the duration `claims`. At most 10,000 unsaved sessions are kept, the newest ones.
 */
export const make = Effect.fnUntraced(function* (
  provider: IdentityProvider["Service"],
  store: SessionStore["Service"],
  claims: Duration.Duration
) {
  const scope = yield* Effect.scope
  const running = new Map<SessionId.SessionHash, Fiber.Fiber<Reading, KeyStoreError>>()

  /** Owners of sessions, with fresh claims, that the store could not save. Oldest first. */
  const unsaved = new Map<SessionId.SessionHash, PersonOwner>()

  const save = (hash: SessionId.SessionHash, owner: PersonOwner) => {
    unsaved.delete(hash)
    return store.replaceOwner(hash, owner).pipe(
      Effect.catch((error) => {
        const [oldest] = unsaved.keys()
        if (unsaved.size >= MAX_UNSAVED && oldest !== undefined) unsaved.delete(oldest)
        unsaved.set(hash, owner)
        return Effect.logWarning("the claims of a session could not be saved; keeping them in memory", error)
      })
    )
  }

  const read = Effect.fn("ClaimReading.read")(function* (
    id: SessionId.SessionId,
    stale: PersonOwner
  ): Effect.fn.Return<Reading, KeyStoreError> {
    const hash = SessionId.hashOf(id)
    const record = Option.getOrUndefined(yield* store.find(hash))
    if (record?.owner._tag !== "Person") {
      unsaved.delete(hash)
      return { _tag: "NotVouched", problem: "it was signed out" }
    }
    const latest = unsaved.get(hash) ?? record.owner
    const { person, readAt, sealedTokens } = latest
    // The claims are fresh already: another refresh has ended since this request read the session, or they are unsaved.
    const isFresh = DateTime.isLessThan(yield* DateTime.now, DateTime.addDuration(readAt, claims))
    if (isFresh && DateTime.isGreaterThan(readAt, stale.readAt)) return { _tag: "Read", owner: latest }
    const tokens = SealedTokens.open(id, sealedTokens)
    if (Option.isNone(tokens)) return { _tag: "NotVouched", problem: "its tokens cannot be decrypted" }
    const asked = yield* Effect.result(provider.readAgain({ person, tokens: tokens.value }))
    if (asked._tag === "Failure") return { _tag: "NotVouched", problem: asked.failure.message }
    const owner: PersonOwner = {
      _tag: "Person",
      person: asked.success.person,
      readAt: yield* DateTime.now,
      sealedTokens: SealedTokens.seal(id, asked.success.tokens)
    }
    yield* save(hash, owner)
    return { _tag: "Read", owner }
  })

  const readAgain: ReadAgain = (id, owner) =>
    Effect.suspend(() => {
      const hash = SessionId.hashOf(id)
      const shared = running.get(hash)
      if (shared !== undefined) return Fiber.join(shared)
      return read(id, owner).pipe(
        Effect.forkIn(scope),
        Effect.flatMap((fiber) => {
          running.set(hash, fiber)
          fiber.addObserver(() => running.delete(hash))
          return Fiber.join(fiber)
        })
      )
    })
  return readAgain
})
