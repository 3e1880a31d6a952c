/**
 * Where the sessions of signed-in browsers are kept.
 */
import { Context, type DateTime, type Effect, type Option } from "effect"
import type { KeyStoreError } from "../KeyError.ts"
import type { KeyHash } from "../KeyHash.ts"
import * as Person from "../Person.ts"
import type { SessionHash } from "./SessionId.ts"

/**
 * Whose session it is.
 *
 * **Shape** a key's is bound to the secret and not to the key's id: an id of the configuration outlives a replaced
 * secret. A person's holds the claims as they were at `readAt`, and the sealed tokens that they are read again with.
 */
export type SessionOwner =
  | { readonly _tag: "Key"; readonly keyHash: KeyHash }
  | {
      readonly _tag: "Person"
      readonly person: Person.Person
      readonly readAt: DateTime.Utc
      readonly sealedTokens: string
    }

/** Names the owner of a session: the hash of a key, or a person's id, which no hash looks like. */
export const ownerText = (owner: SessionOwner): string =>
  owner._tag === "Key" ? owner.keyHash : Person.idOf(owner.person)

/** A session as it is stored. **Shape** instants are whole milliseconds. */
export interface SessionRecord {
  readonly hash: SessionHash
  readonly owner: SessionOwner
  readonly createdAt: DateTime.Utc
  readonly lastUsedAt: DateTime.Utc
}

/** What is forgotten as a session is added. **Shape** sessions older than an instant, and an owner's oldest beyond `perOwner`. */
export interface Retention {
  readonly createdBefore: DateTime.Utc
  readonly lastUsedBefore: DateTime.Utc
  readonly perOwner: number
}

/**
 * The port; its adapters stand beside those of the key store and are held to one suite of tests.
 *
 * **Errors** every call: `KeyStoreError`.
 */
export class SessionStore extends Context.Service<
  SessionStore,
  {
    /** Adds a session and forgets what need not be kept, both or neither. **Errors** also when its hash is taken. */
    readonly insert: (record: SessionRecord, retention: Retention) => Effect.Effect<void, KeyStoreError>
    /** Finds a session, ended ones that were not forgotten yet too. **Limits** one indexed read. */
    readonly find: (hash: SessionHash) => Effect.Effect<Option.Option<SessionRecord>, KeyStoreError>
    /** Lists the hashes of the sessions used last, newest first, at most `count`. Ended ones may be among them. */
    readonly newest: (count: number) => Effect.Effect<ReadonlyArray<SessionHash>, KeyStoreError>
    /** Notes a use; an older one than is stored changes nothing, nor does an unknown session. */
    readonly touch: (hash: SessionHash, at: DateTime.Utc) => Effect.Effect<void, KeyStoreError>
    /** Replaces what is kept of a session's owner; an unknown session stays unknown. */
    readonly replaceOwner: (hash: SessionHash, owner: SessionOwner) => Effect.Effect<void, KeyStoreError>
    /** Forgets a session; an unknown one changes nothing. */
    readonly remove: (hash: SessionHash) => Effect.Effect<void, KeyStoreError>
    /** Forgets every session of an owner, named by {@link ownerText}. */
    readonly removeOfOwner: (owner: string) => Effect.Effect<void, KeyStoreError>
  }
>()("@quarterdeck/keys/session/SessionStore") {}
