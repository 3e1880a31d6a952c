/**
 * Where created keys are kept.
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
  /** Of a key that took another's place: the id of the first key of that chain of rotations. */
  readonly line?: string
  /** Whose {@link Quota} the key counts against: the line of the key, or the person, that made the first key of the line. */
  readonly maker?: string
  /** The id of the key whose place this one took. */
  readonly rotatedFrom?: string
  /** When another key took the place of this one, which ends at `expiresAt` from then on. */
  readonly rotatedAt?: DateTime.Utc
  readonly expiresAt?: DateTime.Utc
  readonly revokedAt?: DateTime.Utc
  /** The id of the key that revoked this one; unknown of a revocation by a program before this one. */
  readonly revokedBy?: string
  readonly lastUsedAt?: DateTime.Utc
}

/** The id of the first key of the chain of rotations that a key belongs to. */
export const lineOf = ({ id, line = id }: Pick<KeyRecord, "id" | "line">): string => line

/** A place in the list, valid whatever is inserted or revoked meanwhile. */
export interface Position {
  readonly createdAt: DateTime.Utc
  readonly id: string
}

/** One page. **Shape** `after` is the place of the last record seen; absent starts at the oldest. */
export interface Page {
  readonly limit: number
  readonly after?: Position
}

/** What changes of a key. **Shape** an absent field stays as it is; an empty description removes it. */
export interface Change {
  readonly name?: string
  readonly description?: string
  readonly rule?: Rule
  readonly allowFrom?: AllowFrom
}

/** How many keys of one maker may be live at once: neither revoked nor expired at `at`. */
export interface Quota {
  readonly most: number
  readonly at: DateTime.Utc
}

/** How a key gives its place to another. **Shape** the old one ends at `endsAt`, unless it ended before. */
export interface Rotation {
  readonly at: DateTime.Utc
  readonly endsAt: DateTime.Utc
  readonly successor: KeyRecord
  /** Bounds the maker of the successor. A rotation that adds no live key is never refused. */
  readonly quota?: Quota
}

/** When a key was last used. */
export interface Use {
  readonly id: string
  readonly at: DateTime.Utc
}

/** The order of the list: the oldest first, then by id. */
export const order: Order.Order<Position> = Order.combine(
  Order.mapInput(DateTime.Order, (position: Position) => position.createdAt),
  Order.mapInput(Order.String, (position: Position) => position.id)
)

/**
 * Keeps created keys: a port, for a database of one's own too. `KeyStoreLaws` checks what a store must do.
 *
 * **Shape** what `insert` has taken every later call sees, after a crash too. A key is never removed: a revoked one is
 * kept, so that its owner can be told. Several programs may share a store: it is then their database that holds `insert`
 * to one key of a hash, and a revocation in one is seen by the others after `CacheLimits.timeToLive`, 2 s.
 *
 * **Errors** every call: `KeyStoreError`, of which callers see a 503; the reason of one's own is `StoreFailed`.
 *
 * **Limits** calls come at once and in any order. `findByHash` stands on the path of requests, behind a cache; `touch`
 * comes about once a minute with the keys used since; `list` walks all keys every 15 s until it meets a label selector.
 */
export class KeyStore extends Context.Service<
  KeyStore,
  {
    /**
     * Adds a key. Counting the maker's live keys and adding the key are one step: concurrent calls never pass the quota.
     *
     * **Errors** also when its id or hash is taken; `MakerFull` when the maker would have more live keys than the quota.
     */
    readonly insert: (record: KeyRecord, quota?: Quota) => Effect.Effect<void, KeyStoreError>
    /** Finds a key, revoked and expired ones too. **Limits** on the path of every request: one indexed read. */
    readonly findByHash: (hash: KeyHash) => Effect.Effect<Option.Option<KeyRecord>, KeyStoreError>
    readonly find: (id: string) => Effect.Effect<Option.Option<KeyRecord>, KeyStoreError>
    /** Lists in {@link order}, at most `limit` records. */
    readonly list: (page: Page) => Effect.Effect<ReadonlyArray<KeyRecord>, KeyStoreError>
    /** Marks a key as revoked; the first time stays, and who did it. **Shape** the key as it is now, `none` if no key has the id. */
    readonly revoke: (
      id: string,
      at: DateTime.Utc,
      by?: string
    ) => Effect.Effect<Option.Option<KeyRecord>, KeyStoreError>
    /** Revokes several keys as `revoke` does, all or none. **Shape** the keys as they are now; an unknown id changes nothing. */
    readonly revokeAll: (
      ids: ReadonlyArray<string>,
      at: DateTime.Utc,
      by?: string
    ) => Effect.Effect<ReadonlyArray<KeyRecord>, KeyStoreError>
    /** Finds which of some lines have a key that is neither revoked nor expired. **Limits** one indexed read. */
    readonly findLiving: (
      lines: ReadonlyArray<string>,
      at: DateTime.Utc
    ) => Effect.Effect<ReadonlySet<string>, KeyStoreError>
    /** Changes a key. **Shape** the key as it is now, `none` if no key has the id or it is revoked. */
    readonly update: (id: string, change: Change) => Effect.Effect<Option.Option<KeyRecord>, KeyStoreError>
    /**
     * Ends a key and adds the one that takes its place, both or neither.
     *
     * **Shape** the old key as it is now; `none`, and nothing is added, if no key has the id or it is revoked.
     *
     * **Errors** also when the successor's id or hash is taken; `MakerFull` as `insert`.
     */
    readonly rotate: (id: string, rotation: Rotation) => Effect.Effect<Option.Option<KeyRecord>, KeyStoreError>
    /** Notes uses, all or none; an older one than is stored changes nothing, nor does an unknown id. */
    readonly touch: (uses: ReadonlyArray<Use>) => Effect.Effect<void, KeyStoreError>
    /** Counts all keys, revoked and expired ones too. */
    readonly count: Effect.Effect<number, KeyStoreError>
  }
>()("@quarterdeck/keys/KeyStore") {}
