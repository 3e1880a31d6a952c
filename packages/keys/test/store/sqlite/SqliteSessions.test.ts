import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option, Redacted } from "effect"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { randomBytes } from "node:crypto"
import { readFile } from "node:fs/promises"
import * as SessionId from "../../../src/session/SessionId.ts"
import { SessionStore } from "../../../src/session/SessionStore.ts"
import { layerSqlite } from "../../../src/store/sqlite/Sqlite.ts"
import { at, hashOf } from "../../samples.ts"
import { keepsSessions } from "../../session/contract.ts"
import { temporaryDirectory } from "../../temporaryDirectory.ts"

/** Removes the additions of later schema versions, except those for sessions. */
const WITHOUT_LATER =
  "DROP TABLE registered_clusters; DROP TABLE idempotent_calls; ALTER TABLE keys DROP COLUMN rotated_from; ALTER TABLE keys DROP COLUMN rotated_at_ms; DROP INDEX keys_by_line; DROP INDEX keys_by_maker; ALTER TABLE keys DROP COLUMN line; ALTER TABLE keys DROP COLUMN maker; ALTER TABLE keys DROP COLUMN description; ALTER TABLE keys DROP COLUMN allow_from;"

const withStore = <A, E>(directory: string, body: (store: SessionStore["Service"]) => Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    return yield* body(yield* SessionStore)
  }).pipe(Effect.provide(Layer.fresh(layerSqlite({ directory }))))

describe("the store of sessions in SQLite", () => {
  keepsSessions(Layer.unwrap(Effect.map(temporaryDirectory, (directory) => layerSqlite({ directory }))))

  it.live("keeps its sessions over a restart, and not what opens them", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const id = SessionId.generate(randomBytes)
      const now = at("2026-01-01T00:00:00Z")
      const record = {
        hash: SessionId.hashOf(id),
        owner: { _tag: "Key" as const, keyHash: hashOf("a") },
        createdAt: now,
        lastUsedAt: now
      }
      yield* withStore(directory, (store) =>
        store.insert(record, { createdBefore: now, lastUsedBefore: now, perOwner: 1 })
      )
      assert.deepStrictEqual(yield* withStore(directory, (store) => store.find(record.hash)), Option.some(record))
      const content = yield* Effect.promise(() => readFile(join(directory, "keys.sqlite"), "latin1"))
      assert.include(content, record.hash)
      assert.notInclude(content, Redacted.value(id))
    })
  )

  it.live("opens a file that was written before there were sessions, and keeps its keys", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      yield* withStore(directory, () => Effect.void)
      const file = new DatabaseSync(join(directory, "keys.sqlite"))
      file.exec(`DROP TABLE sessions; ${WITHOUT_LATER} DELETE FROM schema_version WHERE version >= 3`)
      file.close()
      const found = yield* withStore(directory, (store) => store.find(SessionId.SessionHash.make("a".repeat(64))))
      assert.isTrue(Option.isNone(found))
    })
  )

  it.live("opens a file that was written before people signed in, and keeps its sessions", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      yield* withStore(directory, () => Effect.void)
      const [hash, keyHash] = [SessionId.SessionHash.make("b".repeat(64)), hashOf("a")]
      const file = new DatabaseSync(join(directory, "keys.sqlite"))
      file.exec(`DROP TABLE sessions; ${WITHOUT_LATER} DELETE FROM schema_version WHERE version >= 4;
        CREATE TABLE sessions (
          hash TEXT NOT NULL PRIMARY KEY,
          key_hash TEXT NOT NULL,
          created_at_ms INTEGER NOT NULL,
          last_used_at_ms INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX sessions_by_key ON sessions (key_hash, created_at_ms);
        INSERT INTO sessions VALUES ('${hash}', '${keyHash}', 1000, 2000);`)
      file.close()
      assert.deepStrictEqual(
        yield* withStore(directory, (store) => store.find(hash)),
        Option.some({
          hash,
          owner: { _tag: "Key" as const, keyHash },
          createdAt: at("1970-01-01T00:00:01Z"),
          lastUsedAt: at("1970-01-01T00:00:02Z")
        })
      )
    })
  )
})
