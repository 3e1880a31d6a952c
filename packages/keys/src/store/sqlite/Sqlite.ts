/**
 * Stores keys, sessions, idempotent calls and registered clusters in a SQLite file, for one server process.
 *
 * To back up the file of a running server, use SQLite, which copies a consistent state without blocking the server:
 * `sqlite3 keys.sqlite "VACUUM INTO 'backup.sqlite'"`, or `backup()` of `node:sqlite` from any process. A plain copy of the
 * file misses the changes in its log, `keys.sqlite-wal`. A backup contains hashes, never keys; still, make it readable by its
 * owner only. To restore, stop the server, remove `keys.sqlite`, `-wal` and `-shm`, and put the backup in their place.
 */
import { Context, DateTime, Effect, Layer, Option, Result, Schema } from "effect"
import { join } from "node:path"
import * as KeyClient from "./KeyClient.ts"
import type { QuotaRow } from "./KeyProtocol.ts"
import { fromRow, jsonOrNull, toRow } from "./KeyRow.ts"
import { KeyStoreError, RecordCorrupt } from "../../KeyError.ts"
import { type KeyRecord, KeyStore, type Quota } from "../../KeyStore.ts"
import { IdempotencyStore } from "../../IdempotencyStore.ts"
import { RegisteredClusterStore } from "../../RegisteredClusterStore.ts"
import { SessionStore } from "../../session/SessionStore.ts"
import * as SqliteClusters from "./SqliteClusters.ts"
import * as SqliteIdempotency from "./SqliteIdempotency.ts"
import * as SqliteSessions from "./SqliteSessions.ts"

/** The file's name in the data directory. */
const FILE_NAME = "keys.sqlite"

const decodeCount = Schema.decodeUnknownResult(Schema.Tuple([Schema.Struct({ count: Schema.Natural })]))

const decodeLines = Schema.decodeUnknownResult(Schema.Array(Schema.Struct({ line: Schema.String })))

const quotaRow = (quota: Quota | undefined): QuotaRow | null =>
  quota === undefined ? null : { most: quota.most, atMs: DateTime.toEpochMillis(quota.at) }

const make = Effect.fnUntraced(function* (options: { readonly directory: string }) {
  const client = yield* KeyClient.make(join(options.directory, FILE_NAME))
  const { call } = client

  const read = (rows: ReadonlyArray<unknown>): Effect.Effect<ReadonlyArray<KeyRecord>, KeyStoreError> =>
    Effect.fromResult(Result.all(rows.map(fromRow))).pipe(Effect.mapError((reason) => new KeyStoreError({ reason })))
  const readFirst = (rows: ReadonlyArray<unknown>) =>
    Effect.map(read(rows.slice(0, 1)), ([record]) => Option.fromUndefinedOr(record))

  const keys = KeyStore.of({
    insert: (record, quota) => Effect.asVoid(call({ operation: "insert", row: toRow(record), quota: quotaRow(quota) })),
    findByHash: (hash) => Effect.flatMap(call({ operation: "findByHash", hash }), readFirst),
    find: (id) => Effect.flatMap(call({ operation: "find", id }), readFirst),
    list: ({ after, limit }) => {
      const afterMs = after === undefined ? Number.MIN_SAFE_INTEGER : DateTime.toEpochMillis(after.createdAt)
      return Effect.flatMap(call({ operation: "list", limit, afterMs, afterId: after?.id ?? "" }), read)
    },
    revoke: (id, at, by) =>
      Effect.flatMap(call({ operation: "revoke", id, atMs: DateTime.toEpochMillis(at), by: by ?? null }), readFirst),
    revokeAll: (ids, at, by) =>
      Effect.flatMap(call({ operation: "revokeAll", ids, atMs: DateTime.toEpochMillis(at), by: by ?? null }), read),
    findLiving: (lines, at) =>
      Effect.flatMap(call({ operation: "findLiving", lines, atMs: DateTime.toEpochMillis(at) }), (rows) =>
        Effect.fromResult(decodeLines(rows)).pipe(
          Effect.map((found) => new Set(found.map(({ line }) => line))),
          Effect.mapError(
            () => new KeyStoreError({ reason: new RecordCorrupt({ field: "line", problem: "is not a text" }) })
          )
        )
      ),
    update: (id, { allowFrom, description, name, rule }) =>
      Effect.flatMap(
        call({
          operation: "update",
          id,
          name: name ?? null,
          description: description ?? null,
          rule: jsonOrNull(rule),
          allowFrom: jsonOrNull(allowFrom)
        }),
        readFirst
      ),
    rotate: (id, { at, endsAt, quota, successor }) =>
      Effect.flatMap(
        call({
          operation: "rotate",
          id,
          atMs: DateTime.toEpochMillis(at),
          endsAtMs: DateTime.toEpochMillis(endsAt),
          successor: toRow(successor),
          quota: quotaRow(quota)
        }),
        readFirst
      ),
    touch: (uses) =>
      Effect.asVoid(
        call({ operation: "touch", uses: uses.map(({ at, id }) => ({ id, atMs: DateTime.toEpochMillis(at) })) })
      ),
    count: Effect.flatMap(call({ operation: "count" }), (rows) =>
      Effect.fromResult(decodeCount(rows)).pipe(
        Effect.map(([{ count }]) => count),
        Effect.mapError(
          () => new KeyStoreError({ reason: new RecordCorrupt({ field: "count", problem: "is not a number" }) })
        )
      )
    )
  })
  return Context.make(KeyStore, keys).pipe(
    Context.add(SessionStore, SqliteSessions.make(client)),
    Context.add(IdempotencyStore, SqliteIdempotency.make(client)),
    Context.add(RegisteredClusterStore, SqliteClusters.make(client))
  )
})

/**
 * Opens the stores of keys, sessions, idempotent calls and registered clusters in a directory. Creates the directory and the
 * file if they are missing.
 *
 * **Errors** `StoreTooNew` if a newer version wrote the file, `StoreUnopened` if it cannot be opened. Both name the file.
 *
 * **Limits** one thread. The file has mode 0600, and a new directory has mode 0700. Only one process may use the file at a
 * time: a second process would see revocations only after `CacheLimits.timeToLive`.
 */
export const layerSqlite = (options: {
  readonly directory: string
}): Layer.Layer<KeyStore | SessionStore | IdempotencyStore | RegisteredClusterStore, KeyStoreError> =>
  Layer.effectContext(make(options))
