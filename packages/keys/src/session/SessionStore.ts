/**
 * Port of the session store, which stores the sessions of signed-in browsers.
 */
import { Context, type DateTime, type Effect, type Option } from "effect"
import type { KeyStoreError } from "../KeyError.ts"
import type { KeyHash } from "../KeyHash.ts"
import * as Person from "../Person.ts"
import type { SessionHash } from "./SessionId.ts"

/**
 * The owner of a session.
 *
 * **Shape** `Key`: bound to the hash of the key. The id of a configured key stays the same when its secret is replaced.
 * `Person`: the claims at `readAt`, and the encrypted tokens for refreshing them.
 */
export type SessionOwner =
  | { readonly _tag: "Key"; readonly keyHash: KeyHash }
  | {
      readonly _tag: "Person"
      readonly person: Person.Person
      readonly readAt: DateTime.Utc
      readonly sealedTokens: string
    }

/** Returns the owner as text: the hash of a key, or the id of a person. The two formats never collide. */
export const ownerText = (owner: SessionOwner): string =>
  owner._tag === "Key" ? owner.keyHash : Person.idOf(owner.person)

/** A stored session. **Shape** instants are whole milliseconds. */
export interface SessionRecord {
  readonly hash: SessionHash
  readonly owner: SessionOwner
  readonly createdAt: DateTime.Utc
  readonly lastUsedAt: DateTime.Utc
}

/**
 * Limits that apply when a session is added. Sessions that were created or last used before the two instants are
 * deleted, and so are the owner's oldest sessions beyond `perOwner`.
 */
export interface Retention {
  readonly createdBefore: DateTime.Utc
  readonly lastUsedBefore: DateTime.Utc
  readonly perOwner: number
}

/**
 * The session store. One test suite checks all adapters.
 *
 * **Errors** every call: `KeyStoreError`.
 */
export class SessionStore extends Context.Service<
  SessionStore,
  {
    /** Adds a session and applies the retention, both or neither. **Errors** also if the hash is taken. */
    readonly insert: (record: SessionRecord, retention: Retention) => Effect.Effect<void, KeyStoreError>
    /** Finds a session, also one that has ended but is not deleted yet. **Limits** one indexed read. */
    readonly find: (hash: SessionHash) => Effect.Effect<Option.Option<SessionRecord>, KeyStoreError>
    /** Lists the hashes of the `count` most recently used sessions, newest first. Some of them may have ended. */
    readonly newest: (count: number) => Effect.Effect<ReadonlyArray<SessionHash>, KeyStoreError>
    /** Records a use. A use older than the stored one, or of an unknown session, is ignored. */
    readonly touch: (hash: SessionHash, at: DateTime.Utc) => Effect.Effect<void, KeyStoreError>
    /** Replaces the owner of a session. An unknown session is ignored. */
    readonly replaceOwner: (hash: SessionHash, owner: SessionOwner) => Effect.Effect<void, KeyStoreError>
    /** Deletes a session. An unknown session is ignored. */
    readonly remove: (hash: SessionHash) => Effect.Effect<void, KeyStoreError>
    /** Deletes every session of an owner. `owner` is the result of {@link ownerText}. */
    readonly removeOfOwner: (owner: string) => Effect.Effect<void, KeyStoreError>
  }
>()("@quarterdeck/keys/session/SessionStore") {}
