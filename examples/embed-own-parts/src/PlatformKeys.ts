/** API keys in the platform's own database. */
import { AllowFrom } from "@quarterdeck/keys/AllowFrom"
import { KeyStoreError, MakerFull, StoreFailed } from "@quarterdeck/keys/KeyError"
import { KeyHash } from "@quarterdeck/keys/KeyHash"
import { type KeyRecord, type KeyStore, lineOf, type Page, type Quota } from "@quarterdeck/keys/KeyStore"
import { Rule } from "@quarterdeck/keys/Rule"
import { DateTime, Effect, Option, Schema } from "effect"
import type { DatabaseSync } from "node:sqlite"

const Instant = Schema.DateTimeUtcFromString

/** A key as stored, in one JSON column. */
const StoredKey = Schema.fromJsonString(
  Schema.Struct({
    id: Schema.String,
    name: Schema.String,
    description: Schema.optionalKey(Schema.String),
    hash: KeyHash,
    start: Schema.String,
    rule: Rule,
    allowFrom: Schema.optionalKey(AllowFrom),
    line: Schema.optionalKey(Schema.String),
    maker: Schema.optionalKey(Schema.String),
    createdAt: Instant,
    createdBy: Schema.optionalKey(Schema.String),
    rotatedFrom: Schema.optionalKey(Schema.String),
    rotatedAt: Schema.optionalKey(Instant),
    expiresAt: Schema.optionalKey(Instant),
    revokedAt: Schema.optionalKey(Instant),
    revokedBy: Schema.optionalKey(Schema.String),
    lastUsedAt: Schema.optionalKey(Instant)
  })
)
const encode = Schema.encodeSync(StoredKey)
const decodeRows = Schema.decodeUnknownSync(Schema.Array(Schema.Struct({ key: StoredKey })))

/** The table of keys. **Shape** `change` returns the changed key, or `undefined` if there is none. */
const tableOf = (database: DatabaseSync) => {
  database.exec(
    "CREATE TABLE IF NOT EXISTS api_keys (id TEXT PRIMARY KEY, hash TEXT NOT NULL UNIQUE, created_at_ms INTEGER NOT NULL, key TEXT NOT NULL)"
  )
  const insert = database.prepare("INSERT INTO api_keys (id, hash, created_at_ms, key) VALUES (?, ?, ?, ?)")
  const update = database.prepare("UPDATE api_keys SET key = ? WHERE id = ?")
  const byId = database.prepare("SELECT key FROM api_keys WHERE id = ?")
  const byHash = database.prepare("SELECT key FROM api_keys WHERE hash = ?")
  const page = database.prepare(
    "SELECT key FROM api_keys WHERE (created_at_ms, id) > (?, ?) ORDER BY created_at_ms, id LIMIT ?"
  )
  const all = database.prepare("SELECT key FROM api_keys")
  const count = database.prepare("SELECT count(*) AS count FROM api_keys")
  const find = (id: string): KeyRecord | undefined => decodeRows(byId.all(id))[0]?.key

  return {
    add: (key: KeyRecord): void => {
      insert.run(key.id, key.hash, DateTime.toEpochMillis(key.createdAt), encode(key))
    },
    find,
    /** Returns the keys that are neither revoked nor expired. */
    live: (at: DateTime.Utc): ReadonlyArray<KeyRecord> =>
      decodeRows(all.all())
        .map(({ key }) => key)
        .filter(
          ({ expiresAt, revokedAt }) =>
            revokedAt === undefined && (expiresAt === undefined || DateTime.isGreaterThan(expiresAt, at))
        ),
    findByHash: (hash: KeyHash): KeyRecord | undefined => decodeRows(byHash.all(hash))[0]?.key,
    list: ({ after, limit }: Page): ReadonlyArray<KeyRecord> => {
      const afterMs = after === undefined ? Number.MIN_SAFE_INTEGER : DateTime.toEpochMillis(after.createdAt)
      return decodeRows(page.all(afterMs, after?.id ?? "", limit)).map(({ key }) => key)
    },
    change: (id: string, to: (key: KeyRecord) => KeyRecord): KeyRecord | undefined => {
      const key = find(id)
      if (key === undefined) return undefined
      const changed = to(key)
      update.run(encode(changed), id)
      return changed
    },
    count: () => Number(count.get()?.["count"]),
    /** Runs work in a transaction. */
    together: <A>(work: () => A): A => {
      database.exec("BEGIN IMMEDIATE")
      try {
        const result = work()
        database.exec("COMMIT")
        return result
      } catch (error) {
        database.exec("ROLLBACK")
        throw error
      }
    }
  }
}

const attempt = <A>(operation: keyof KeyStore["Service"], work: () => A): Effect.Effect<A, KeyStoreError> =>
  Effect.try({
    try: work,
    catch: (cause) =>
      new KeyStoreError({ reason: cause instanceof MakerFull ? cause : new StoreFailed({ operation, cause }) })
  })

/** Returns the key, if there is one. */
const attemptKey = (operation: keyof KeyStore["Service"], work: () => KeyRecord | undefined) =>
  Effect.map(attempt(operation, work), Option.fromUndefinedOr)

/**
 * Creates a key store in an open database, which must stay open until the service has stopped.
 *
 * **Limits** `node:sqlite` blocks the event loop; an asynchronous driver would not.
 */
export const make = (database: DatabaseSync): KeyStore["Service"] => {
  const table = tableOf(database)
  /** Changes a key unless it is revoked. */
  const changeInForce = (id: string, to: (key: KeyRecord) => KeyRecord): KeyRecord | undefined =>
    table.find(id)?.revokedAt === undefined ? table.change(id, to) : undefined

  const revoke = (id: string, at: DateTime.Utc, by: string | undefined): KeyRecord | undefined =>
    table.change(id, (key) =>
      key.revokedAt === undefined ? { ...key, revokedAt: at, ...(by === undefined ? {} : { revokedBy: by }) } : key
    )

  /** Runs work that adds a key. Reverts it if the maker would have more live keys than the quota allows. */
  const withinQuota = <A>({ maker }: KeyRecord, quota: Quota | undefined, work: () => A): A => {
    const count = () =>
      maker === undefined || quota === undefined ? 0 : table.live(quota.at).filter((key) => key.maker === maker).length
    return table.together(() => {
      const before = count()
      const result = work()
      const after = count()
      if (quota !== undefined && after > quota.most && after > before) throw new MakerFull({})
      return result
    })
  }

  return {
    insert: (key, quota) => attempt("insert", () => withinQuota(key, quota, () => table.add(key))),
    find: (id) => attemptKey("find", () => table.find(id)),
    findByHash: (hash) => attemptKey("findByHash", () => table.findByHash(hash)),
    list: (page) => attempt("list", () => table.list(page)),
    revoke: (id, at, by) => attemptKey("revoke", () => revoke(id, at, by)),
    revokeAll: (ids, at, by) =>
      attempt("revokeAll", () => table.together(() => ids.flatMap((id) => revoke(id, at, by) ?? []))),
    findLiving: (lines, at) =>
      attempt("findLiving", () => {
        const wanted = new Set(lines)
        return new Set(
          table
            .live(at)
            .map(lineOf)
            .filter((line) => wanted.has(line))
        )
      }),
    update: (id, changes) =>
      attemptKey("update", () =>
        changeInForce(id, (key) => {
          const { description = "", ...changed } = { ...key, ...changes }
          return description === "" ? changed : { ...changed, description }
        })
      ),
    rotate: (id, { at, endsAt, quota, successor }) =>
      attemptKey("rotate", () =>
        withinQuota(successor, quota, () => {
          const ended = changeInForce(id, (key) => {
            const expiresAt = DateTime.min(key.expiresAt ?? endsAt, endsAt)
            return { ...key, rotatedAt: at, expiresAt }
          })
          if (ended !== undefined) table.add(successor)
          return ended
        })
      ),
    touch: (uses) =>
      attempt("touch", () =>
        table.together(() => {
          for (const { at, id } of uses) {
            table.change(id, (key) => ({ ...key, lastUsedAt: DateTime.max(key.lastUsedAt ?? at, at) }))
          }
        })
      ),
    count: attempt("count", table.count)
  }
}
