/**
 * Port of the key store, which stores created keys.
 */
import { Context, DateTime, type Effect, type Option, Order } from "effect"
import type { AllowFrom } from "./AllowFrom.ts"
import type { KeyStoreError } from "./KeyError.ts"
import type { KeyHash } from "./KeyHash.ts"
import type { Rule } from "./Rule.ts"

/** A created key as it is stored. **Shape** instants are whole milliseconds. */
export interface KeyRecord {
  readonly id: string
  readonly name: string
  readonly description?: string
  readonly hash: KeyHash
  readonly start: string
  readonly rule: Rule
  /** The client addresses that the key may be used from, in canonical form. */
  readonly allowFrom?: AllowFrom
  readonly createdAt: DateTime.Utc
  readonly createdBy?: string
  /** Id of the first key of the chain of rotations; present if this key replaced another key. */
  readonly line?: string
  /** Maker whose {@link Quota} the key counts against: the line, or the person, that created the first key of `line`. */
  readonly maker?: string
  /** Id of the key that this key replaced. */
  readonly rotatedFrom?: string
  /** When a successor replaced this key. `expiresAt` is then the end of the grace period, or an earlier expiry. */
  readonly rotatedAt?: DateTime.Utc
  readonly expiresAt?: DateTime.Utc
  readonly revokedAt?: DateTime.Utc
  /** Id of the key that revoked this key; absent if an older version recorded the revocation. */
  readonly revokedBy?: string
  readonly lastUsedAt?: DateTime.Utc
}

/** Returns the id of the first key of the chain of rotations that a key belongs to. */
export const lineOf = ({ id, line = id }: Pick<KeyRecord, "id" | "line">): string => line

/** A position in the list. It stays valid while keys are inserted and revoked. */
export interface Position {
  readonly createdAt: DateTime.Utc
  readonly id: string
}

/** A page to read. **Shape** `after`: position of the last record of the previous page; absent for the first page. */
export interface Page {
  readonly limit: number
  readonly after?: Position
}

/** Changes of a key. **Shape** an absent field stays as it is; an empty description removes the description. */
export interface Change {
  readonly name?: string
  readonly description?: string
  readonly rule?: Rule
  readonly allowFrom?: AllowFrom
}

/** Maximum number of live keys of one maker. A key is live if it is neither revoked nor expired at `at`. */
export interface Quota {
  readonly most: number
  readonly at: DateTime.Utc
}

/** Replacement of a key by a successor. **Shape** `endsAt`: when the old key expires, unless it expires earlier. */
export interface Rotation {
  readonly at: DateTime.Utc
  readonly endsAt: DateTime.Utc
  readonly successor: KeyRecord
  /** Quota of the successor's maker. A rotation that does not increase the number of live keys is never refused. */
  readonly quota?: Quota
}

/** When a key was last used. */
export interface Use {
  readonly id: string
  readonly at: DateTime.Utc
}

/** Order of the list: oldest first, then by id. */
export const order: Order.Order<Position> = Order.combine(
  Order.mapInput(DateTime.Order, (position: Position) => position.createdAt),
  Order.mapInput(Order.String, (position: Position) => position.id)
)

/**
 * The key store. You can implement it for another database; `KeyStoreLaws` checks an implementation.
 *
 * **Shape** an inserted key is durable and visible to every later call. A key is never deleted: a revoked key is kept, so
 * that its owner receives `key_revoked`. Several processes may share a store. The shared database must then keep hashes
 * unique, and a revocation in one process reaches the others within `CacheLimits.timeToLive`, 2 s.
 *
 * **Errors** every call: `KeyStoreError`, which clients see as HTTP 503. Other implementations use the reason `StoreFailed`.
 *
 * **Limits** calls are concurrent and unordered. Requests call `findByHash`, through a cache. `touch` is called about once a
 * minute with the keys that were used since. `list` reads all keys every 15 s.
 */
export class KeyStore extends Context.Service<
  KeyStore,
  {
    /**
     * Adds a key. The quota check and the insert are atomic, so concurrent calls never exceed the quota.
     *
     * **Errors** `StoreFailed` if the id or hash is taken; `MakerFull` if the maker would exceed the quota.
     */
    readonly insert: (record: KeyRecord, quota?: Quota) => Effect.Effect<void, KeyStoreError>
    /** Finds a key, also a revoked or expired one. **Limits** one indexed read; requests wait for it. */
    readonly findByHash: (hash: KeyHash) => Effect.Effect<Option.Option<KeyRecord>, KeyStoreError>
    readonly find: (id: string) => Effect.Effect<Option.Option<KeyRecord>, KeyStoreError>
    /** Lists in {@link order}, at most `limit` records. */
    readonly list: (page: Page) => Effect.Effect<ReadonlyArray<KeyRecord>, KeyStoreError>
    /** Revokes a key. An earlier revocation stays unchanged. **Shape** the updated key; `none` if no key has the id. */
    readonly revoke: (
      id: string,
      at: DateTime.Utc,
      by?: string
    ) => Effect.Effect<Option.Option<KeyRecord>, KeyStoreError>
    /** Revokes several keys, all or none, like `revoke`. **Shape** the updated keys; unknown ids are ignored. */
    readonly revokeAll: (
      ids: ReadonlyArray<string>,
      at: DateTime.Utc,
      by?: string
    ) => Effect.Effect<ReadonlyArray<KeyRecord>, KeyStoreError>
    /**
     * Returns those of the given chains of rotations (lines) that have a key that is neither revoked nor expired.
     * **Limits** one indexed read.
     */
    readonly findLiving: (
      lines: ReadonlyArray<string>,
      at: DateTime.Utc
    ) => Effect.Effect<ReadonlySet<string>, KeyStoreError>
    /** Changes a key. **Shape** the updated key; `none` if no key has the id or the key is revoked. */
    readonly update: (id: string, change: Change) => Effect.Effect<Option.Option<KeyRecord>, KeyStoreError>
    /**
     * Sets the expiry of a key and adds its successor, both or neither.
     *
     * **Shape** the updated old key. `none`, without adding a key, if no key has the id or the key is revoked.
     *
     * **Errors** `StoreFailed` if the successor's id or hash is taken; `MakerFull` like `insert`.
     */
    readonly rotate: (id: string, rotation: Rotation) => Effect.Effect<Option.Option<KeyRecord>, KeyStoreError>
    /** Records uses, all or none. A use older than the stored one, or of an unknown id, is ignored. */
    readonly touch: (uses: ReadonlyArray<Use>) => Effect.Effect<void, KeyStoreError>
    /** Counts all keys, including revoked and expired keys. */
    readonly count: Effect.Effect<number, KeyStoreError>
  }
>()("@quarterdeck/keys/KeyStore") {}
