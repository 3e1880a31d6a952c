import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Layer, Option } from "effect"
import { TestClock } from "effect/testing"
import { execFile } from "node:child_process"
import { chmod, mkdir, readdir, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { promisify } from "node:util"
import { KeyHash } from "../../../src/KeyHash.ts"
import { KeyStore } from "../../../src/KeyStore.ts"
import { layerCached } from "../../../src/store/Cached.ts"
import { layerSqlite } from "../../../src/store/sqlite/Sqlite.ts"
import { admin, at, hashOf, record } from "../../samples.ts"
import { temporaryDirectory } from "../../temporaryDirectory.ts"
import { keepsKeys } from "../laws.ts"

const key = record({ id: "key_1", hash: hashOf("a"), rule: admin })

/** Opens a store, runs a test with it, and closes it. */
const withStore = <A, E>(directory: string, body: (store: KeyStore["Service"]) => Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    return yield* body(yield* KeyStore)
  }).pipe(Effect.provide(Layer.fresh(layerSqlite({ directory }))))

const openFailure = (directory: string) => Effect.flip(withStore(directory, () => Effect.void))

/** Opens the file as another program would. */
const database = (directory: string) =>
  Effect.acquireRelease(
    Effect.sync(() => new DatabaseSync(join(directory, "keys.sqlite"))),
    (open) => Effect.sync(() => open.close())
  )

const permissionsOf = (path: string) => Effect.promise(async () => (await stat(path)).mode & 0o777)

describe("the key store in SQLite", () => {
  keepsKeys(Layer.unwrap(Effect.map(temporaryDirectory, (directory) => layerSqlite({ directory }))))

  it.live("keeps its keys over a restart", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      yield* withStore(directory, (store) => store.insert(key))
      assert.deepStrictEqual(yield* withStore(directory, (store) => store.find(key.id)), Option.some(key))
    })
  )

  it.live("makes its directory and files readable by their owner alone", () =>
    Effect.gen(function* () {
      const directory = join(yield* temporaryDirectory, "data")
      yield* withStore(directory, (store) =>
        Effect.gen(function* () {
          yield* store.insert(key)
          assert.strictEqual(yield* permissionsOf(directory), 0o700)
          const files = yield* Effect.promise(() => readdir(directory))
          assert.includeMembers(files, ["keys.sqlite", "keys.sqlite-wal"])
          for (const file of files) assert.strictEqual(yield* permissionsOf(join(directory, file)), 0o600, file)
        })
      )
    })
  )

  it.live("takes rights on its file from others", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      yield* withStore(directory, (store) => store.insert(key))
      yield* Effect.promise(() => chmod(join(directory, "keys.sqlite"), 0o644))
      yield* withStore(directory, () => Effect.void)
      assert.strictEqual(yield* permissionsOf(join(directory, "keys.sqlite")), 0o600)
    })
  )

  it.live("leaves a closed file that stands for itself", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      yield* withStore(directory, (store) => store.insert(key))
      assert.deepStrictEqual(yield* Effect.promise(() => readdir(directory)), ["keys.sqlite"])
    })
  )

  it.live("refuses a file that a newer program wrote, and leaves it as it is", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      yield* withStore(directory, (store) => store.insert(key))
      const open = yield* database(directory)
      open.exec("INSERT INTO schema_version (version) VALUES (99)")
      const error = yield* openFailure(directory)
      assert.strictEqual(
        error.message,
        `the key store ${join(directory, "keys.sqlite")} has schema version 99, this program knows 8: run the newer program, or restore a backup`
      )
      assert.deepStrictEqual({ ...open.prepare("SELECT id FROM keys").get() }, { id: key.id })
    }).pipe(Effect.scoped)
  )

  it.live("opens a file of the previous version, with its revocations, and records the revoking key from then on", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const path = join(directory, "keys.sqlite")
      const older = new DatabaseSync(path)
      older.exec(`
        CREATE TABLE schema_version (version INTEGER NOT NULL) STRICT;
        INSERT INTO schema_version (version) VALUES (1);
        CREATE TABLE keys (
          id TEXT NOT NULL PRIMARY KEY, hash TEXT NOT NULL UNIQUE, name TEXT NOT NULL, start TEXT NOT NULL,
          rule TEXT NOT NULL, created_at_ms INTEGER NOT NULL, created_by TEXT, expires_at_ms INTEGER,
          revoked_at_ms INTEGER, last_used_at_ms INTEGER
        ) STRICT;
        CREATE INDEX keys_by_age ON keys (created_at_ms, id);
        INSERT INTO keys (id, hash, name, start, rule, created_at_ms, revoked_at_ms) VALUES
          ('key_gone', '${"a".repeat(64)}', 'gone', 'qd_aaaaaa', '{"role":"Admin"}', 1, 2),
          ('key_here', '${"b".repeat(64)}', 'here', 'qd_bbbbbb', '{"role":"Viewer"}', 3, NULL);`)
      older.close()
      const [gone, again, here] = yield* withStore(directory, (store) =>
        Effect.all([
          store.find("key_gone"),
          store.revoke("key_gone", at("2026-01-01T00:00:00Z"), "key_root"),
          store.revoke("key_here", at("2026-01-01T00:00:00Z"), "key_root")
        ])
      )
      const first = yield* Effect.fromOption(gone)
      assert.strictEqual(first.revokedAt?.epochMilliseconds, 2)
      assert.isUndefined(first.revokedBy)
      assert.deepStrictEqual(yield* Effect.fromOption(again), first)
      assert.strictEqual((yield* Effect.fromOption(here)).revokedBy, "key_root")
    })
  )

  it.live("opens a file that was written before keys had makers, and finds the makers of its keys", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      yield* withStore(directory, () => Effect.void)
      const older = new DatabaseSync(join(directory, "keys.sqlite"))
      const row = (id: string, createdBy: string | null, rotatedFrom: string | null) =>
        `('${id}', '${id}', 'a\u202Eb', 'qd_aaaaaa', '{"role":"Admin"}', 1, ${createdBy === null ? "NULL" : `'${createdBy}'`}, ${rotatedFrom === null ? "NULL" : `'${rotatedFrom}'`})`
      older.exec(`
        DROP INDEX keys_by_line; DROP INDEX keys_by_maker;
        ALTER TABLE keys DROP COLUMN line; ALTER TABLE keys DROP COLUMN maker;
        ALTER TABLE keys DROP COLUMN description; ALTER TABLE keys DROP COLUMN allow_from;
        DELETE FROM schema_version WHERE version >= 8;
        INSERT INTO keys (id, hash, name, start, rule, created_at_ms, created_by, rotated_from) VALUES
          ${row("first", null, null)}, ${row("first2", "first", "first")}, ${row("first3", "first2", "first2")},
          ${row("made", "first2", null)}, ${row("made2", "made", "made")}, ${row("person", "oidc:a", null)},
          ${row("lost", "key_x", "key_y")};
        UPDATE keys SET hash = substr(hex(id) || '${"0".repeat(64)}', 1, 64);
        UPDATE keys SET hash = lower(hash);`)
      older.close()
      const ids = ["first", "first2", "first3", "made", "made2", "person", "lost"]
      const found = yield* withStore(directory, (store) =>
        Effect.forEach(ids, (id) => Effect.flatMap(store.find(id), Effect.fromOption))
      )
      assert.deepStrictEqual(
        found.map(({ id, line, maker }) => [id, line, maker]),
        [
          ["first", undefined, undefined],
          ["first2", "first", "first"],
          ["first3", "first", "first"],
          ["made", undefined, "first"],
          ["made2", "made", "first"],
          ["person", undefined, "oidc:a"],
          ["lost", undefined, "key_x"]
        ]
      )
      assert.deepStrictEqual([...new Set(found.map(({ name }) => name))], ["a\u202Eb"])
    }).pipe(Effect.scoped)
  )

  it.live("fails with one clear error on a file that is no database", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      yield* Effect.promise(() =>
        writeFile(join(directory, "keys.sqlite"), "not a database, and longer than a header".repeat(40))
      )
      assert.strictEqual(
        (yield* openFailure(directory)).message,
        `the key store ${join(directory, "keys.sqlite")} cannot be opened: file is not a database`
      )
    })
  )

  it.live("fails with one clear error where it cannot make its file", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      yield* Effect.promise(() => mkdir(join(directory, "keys.sqlite")))
      assert.match((yield* openFailure(directory)).message, /^the key store \S+keys\.sqlite cannot be opened: EISDIR: /)
    })
  )

  it.live("says that a stored key cannot be read rather than guess its rule", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      yield* withStore(directory, (store) => store.insert(key))
      const open = yield* database(directory)
      open.exec(`UPDATE keys SET rule = '{"role":"Admin","targetCluster":["prod"]}'`)
      const error = yield* Effect.flip(withStore(directory, (store) => store.findByHash(key.hash)))
      assert.strictEqual(
        error.message,
        "a stored key cannot be read: rule.targetCluster: is not known here; allowed: role, targetNamespaces, targetClusters"
      )
    }).pipe(Effect.scoped)
  )

  it.live("keeps every key of many calls at once", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const keys = Array.from({ length: 200 }, (_, index) =>
        record({ id: `key_${index}`, hash: KeyHash.make(String(index).padStart(64, "0")) })
      )
      const counted = yield* withStore(directory, (store) =>
        Effect.forEach(keys, (one) => store.insert(one), { concurrency: "unbounded", discard: true }).pipe(
          Effect.andThen(store.count)
        )
      )
      assert.strictEqual(counted, 200)
    })
  )

  it.live("refuses calls beyond a thousand waiting ones instead of piling them up", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      yield* withStore(directory, (store) =>
        Effect.gen(function* () {
          const calls = Array.from({ length: 1_001 }, () => Effect.exit(store.count))
          const exits = yield* Effect.all(calls, { concurrency: "unbounded" })
          const failures = exits.filter(Exit.isFailure)
          assert.strictEqual(failures.length, 1)
          assert.strictEqual(yield* store.count, 0)
        })
      )
    })
  )

  it.live("can be backed up while it runs", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const backup = join(yield* temporaryDirectory, "keys.sqlite")
      yield* withStore(directory, (store) =>
        Effect.gen(function* () {
          yield* store.insert(key)
          const open = yield* database(directory)
          open.prepare("VACUUM INTO ?").run(backup)
          yield* store.insert(record({ id: "key_2", hash: hashOf("b") }))
        }).pipe(Effect.scoped)
      )
      const listed = yield* withStore(join(backup, ".."), (store) => store.list({ limit: 5 }))
      assert.deepStrictEqual(listed, [key])
    })
  )

  it.effect("gives up on a file that another program holds, also where it may not be interrupted", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const cached = layerCached.pipe(Layer.provide(layerSqlite({ directory })))
      yield* Effect.gen(function* () {
        const store = yield* KeyStore
        yield* store.insert(key)
        const other = yield* database(directory)
        other.exec("BEGIN IMMEDIATE")
        const revocation = yield* Effect.forkChild(Effect.flip(store.revoke(key.id, key.createdAt)), {
          startImmediately: true
        })
        yield* TestClock.adjust("10 seconds")
        const { reason } = yield* Fiber.join(revocation)
        other.exec("COMMIT")
        assert.strictEqual(reason._tag, "StoreTimedOut")
      }).pipe(Effect.provide(cached), Effect.scoped)
    })
  )

  it.live("starts its thread in a program that runs from the source", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const program = `
        import { Effect } from "effect"
        import { KeyStore } from "@quarterdeck/keys/KeyStore"
        import { layerSqlite } from "@quarterdeck/keys/store/Sqlite"
        const count = Effect.flatMap(KeyStore, (store) => store.count)
        const layer = layerSqlite({ directory: ${JSON.stringify(directory)} })
        process.stdout.write(String(await Effect.runPromise(Effect.provide(count, layer))))
      `
      const { stdout } = yield* Effect.promise(() =>
        promisify(execFile)(
          process.execPath,
          ["--conditions=@quarterdeck/source", "--input-type=module", "--eval", program],
          {
            cwd: import.meta.dirname
          }
        )
      )
      assert.strictEqual(stdout, "0")
    })
  )
})
