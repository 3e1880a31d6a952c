/**
 * Reads the claims of signed-in people again, once for all requests that wait for them.
 */
import { DateTime, type Duration, Effect, Fiber, Option } from "effect"
import type { KeyStoreError } from "../KeyError.ts"
import type { IdentityProvider } from "./IdentityProvider.ts"
import * as SealedTokens from "./SealedTokens.ts"
import * as SessionId from "./SessionId.ts"
import type { SessionOwner, SessionStore } from "./SessionStore.ts"

/** What is kept of a person's session. */
export type PersonOwner = Extract<SessionOwner, { readonly _tag: "Person" }>

/** What became of a reading. */
type Reading =
  | { readonly _tag: "Read"; readonly owner: PersonOwner }
  | { readonly _tag: "NotVouched"; readonly problem: string }

/** Reads the claims of a session again, and keeps them. **Errors** `KeyStoreError` when the session cannot be found. */
type ReadAgain = (id: SessionId.SessionId, owner: PersonOwner) => Effect.Effect<Reading, KeyStoreError>

const MAX_UNSAVED = 10_000

/**
 * Makes the reading of an installation.
 *
 * **Shape** one at a time for a session, shared by who asks meanwhile: a provider takes back a refresh token that is
 * used twice. It goes on when a request that waits for it is given up, so that new tokens are never lost. What the store
 * does not take, such as one on a full disk, is kept in memory until the next reading.
 *
 * **Limits** claims count for `claims`; the newest 10,000 that the store does not take are kept.
 */
export const make = Effect.fnUntraced(function* (
  provider: IdentityProvider["Service"],
  store: SessionStore["Service"],
  claims: Duration.Duration
) {
  const scope = yield* Effect.scope
  const running = new Map<SessionId.SessionHash, Fiber.Fiber<Reading, KeyStoreError>>()

  /** What the store has not taken, the oldest first. */
  const unsaved = new Map<SessionId.SessionHash, PersonOwner>()

  const save = (hash: SessionId.SessionHash, owner: PersonOwner) => {
    unsaved.delete(hash)
    return store.replaceOwner(hash, owner).pipe(
      Effect.catch((error) => {
        const [oldest] = unsaved.keys()
        if (unsaved.size >= MAX_UNSAVED && oldest !== undefined) unsaved.delete(oldest)
        unsaved.set(hash, owner)
        return Effect.logWarning("the claims of a session are kept in memory alone", error)
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
    // Another request's reading has ended since this one found the session, or the store did not take the last one.
    const isFresh = DateTime.isLessThan(yield* DateTime.now, DateTime.addDuration(readAt, claims))
    if (isFresh && DateTime.isGreaterThan(readAt, stale.readAt)) return { _tag: "Read", owner: latest }
    const tokens = SealedTokens.open(id, sealedTokens)
    if (Option.isNone(tokens)) return { _tag: "NotVouched", problem: "what it was opened with cannot be read" }
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
