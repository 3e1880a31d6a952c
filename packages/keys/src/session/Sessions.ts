/**
 * Signs browsers in with a key, so that a page holds no key, and tells who a signed-in browser is.
 */
import { Context, DateTime, Duration, Effect, Layer, Option } from "effect"
import { randomBytes } from "node:crypto"
import { Authenticator, type Purpose, type Verdict } from "../Authenticator.ts"
import type { KeyStoreError } from "../KeyError.ts"
import * as KeyHash from "../KeyHash.ts"
import type { RawKey } from "../RawKey.ts"
import * as SessionId from "./SessionId.ts"
import { type SessionRecord, SessionStore } from "./SessionStore.ts"

/**
 * How long sessions last and how many are kept.
 *
 * **Units** a session ends `idle` after its last use, at most `whole` after its start. Uses are noted once in
 * `precision`: a session that idles ends up to that much earlier. One more than `perKey` ends the key's oldest.
 */
export const SessionLimits = Context.Reference("@quarterdeck/keys/session/SessionLimits", {
  defaultValue: () => ({
    idle: Duration.hours(12),
    whole: Duration.days(7),
    precision: Duration.minutes(1),
    perKey: 100
  })
})

type Refused = Extract<Verdict, { readonly _tag: "Refused" }>

/** What became of a key that somebody signs in with. */
export type SignIn =
  | Refused
  | (Extract<Verdict, { readonly _tag: "Valid" }> & {
      readonly id: SessionId.SessionId
      /** How long the browser need keep the id. */
      readonly lasts: Duration.Duration
    })

/** What became of a presented session: its key's verdict, or that the session itself is over. */
export type SessionVerdict =
  | Verdict
  | { readonly _tag: "Refused"; readonly code: "session_ended"; readonly detail: string }

export class Sessions extends Context.Service<
  Sessions,
  {
    /** Signs in with a key, whose use is for the caller to note. **Errors** `KeyStoreError` when the store cannot tell. */
    readonly open: (key: RawKey) => Effect.Effect<SignIn, KeyStoreError>
    /**
     * Judges a session.
     *
     * **Shape** valid if and only if it has not ended and its key is valid now: a session ends with its key, and says why.
     * The use of the session is noted, that of its key is for the caller to note.
     *
     * **Errors** `KeyStoreError` when the store cannot tell.
     */
    readonly authenticate: (id: SessionId.SessionId) => Effect.Effect<SessionVerdict, KeyStoreError>
    /** Judges a session without using it: a page that only waits does not keep itself signed in. */
    readonly look: (id: SessionId.SessionId) => Effect.Effect<SessionVerdict, KeyStoreError>
    /** Signs out; a session that has ended before changes nothing. */
    readonly end: (id: SessionId.SessionId) => Effect.Effect<void, KeyStoreError>
    /** Signs out every browser that was signed in with the same key. */
    readonly endAll: (id: SessionId.SessionId) => Effect.Effect<void, KeyStoreError>
  }
>()("@quarterdeck/keys/session/Sessions") {
  static readonly layer: Layer.Layer<Sessions, never, Authenticator | SessionStore> = Layer.effect(
    Sessions,
    Effect.suspend(() => make())
  )
}

const make = Effect.fnUntraced(function* () {
  const authenticator = yield* Authenticator
  const store = yield* SessionStore
  const { idle, perKey, precision, whole } = yield* SessionLimits

  const open = Effect.fn("Sessions.open")(function* (key: RawKey): Effect.fn.Return<SignIn, KeyStoreError> {
    const verdict = yield* authenticator.authenticate(key, "look")
    if (verdict._tag === "Refused") return verdict
    const id = SessionId.generate(randomBytes)
    const now = yield* DateTime.now
    const record = {
      hash: SessionId.hashOf(id),
      keyHash: KeyHash.fromRawKey(key),
      createdAt: now,
      lastUsedAt: now
    }
    yield* store.insert(record, {
      createdBefore: DateTime.subtractDuration(now, whole),
      lastUsedBefore: DateTime.subtractDuration(now, idle),
      perKey
    })
    return { ...verdict, id, lasts: whole }
  })

  const reasonOfEnd = ({ createdAt, lastUsedAt }: SessionRecord, now: DateTime.Utc): string | undefined => {
    const isPast = (start: DateTime.Utc, length: Duration.Duration) =>
      !DateTime.isLessThan(now, DateTime.addDuration(start, length))
    if (isPast(createdAt, whole)) return `it was opened ${Duration.format(whole)} ago`
    if (isPast(lastUsedAt, idle)) return `it was not used for ${Duration.format(idle)}`
    return undefined
  }

  const judge = Effect.fnUntraced(function* (
    id: SessionId.SessionId,
    purpose: Purpose
  ): Effect.fn.Return<SessionVerdict, KeyStoreError> {
    const record = Option.getOrUndefined(yield* store.find(SessionId.hashOf(id)))
    if (record === undefined) return ended("it was signed out")
    const now = yield* DateTime.now
    const reason = reasonOfEnd(record, now)
    if (reason !== undefined) return ended(reason)
    const verdict = yield* authenticator.recognise(record.keyHash, "look")
    const isDue = !DateTime.isLessThan(now, DateTime.addDuration(record.lastUsedAt, precision))
    if (verdict._tag === "Valid" && purpose === "use" && isDue) yield* store.touch(record.hash, now)
    return verdict
  })

  const endAll = Effect.fn("Sessions.endAll")(function* (id: SessionId.SessionId) {
    const record = Option.getOrUndefined(yield* store.find(SessionId.hashOf(id)))
    if (record !== undefined) yield* store.removeOfKey(record.keyHash)
  })

  return Sessions.of({
    open,
    authenticate: (id) => judge(id, "use"),
    look: (id) => judge(id, "look"),
    end: (id) => store.remove(SessionId.hashOf(id)),
    endAll
  })
})

const ended = (reason: string): SessionVerdict => ({
  _tag: "Refused",
  code: "session_ended",
  detail: `the session has ended: ${reason}`
})
