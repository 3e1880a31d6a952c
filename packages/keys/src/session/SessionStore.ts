/**
 * Where the sessions of signed-in browsers are kept.
 */
import { Context, type DateTime, type Effect, type Option } from "effect"
import type { KeyStoreError } from "../KeyError.ts"
import type { KeyHash } from "../KeyHash.ts"
import type { SessionHash } from "./SessionId.ts"

/**
 * A session as it is stored, bound to the secret of its key and not to the key's id: an id of the configuration
 * outlives a replaced secret.
 *
 * **Shape** instants are whole milliseconds.
 */
export interface SessionRecord {
  readonly hash: SessionHash
  readonly keyHash: KeyHash
  readonly createdAt: DateTime.Utc
  readonly lastUsedAt: DateTime.Utc
}

/** What is forgotten as a session is added. **Shape** sessions older than an instant, and a key's oldest beyond `perKey`. */
export interface Retention {
  readonly createdBefore: DateTime.Utc
  readonly lastUsedBefore: DateTime.Utc
  readonly perKey: number
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
    /** Notes a use; an older one than is stored changes nothing, nor does an unknown session. */
    readonly touch: (hash: SessionHash, at: DateTime.Utc) => Effect.Effect<void, KeyStoreError>
    /** Forgets a session; an unknown one changes nothing. */
    readonly remove: (hash: SessionHash) => Effect.Effect<void, KeyStoreError>
    /** Forgets every session of a key. */
    readonly removeOfKey: (keyHash: KeyHash) => Effect.Effect<void, KeyStoreError>
  }
>()("@quarterdeck/keys/session/SessionStore") {}
