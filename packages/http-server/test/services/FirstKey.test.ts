import { NodeServices } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { type Health, KeyConfig } from "@quarterdeck/keys/KeyConfig"
import { fromRawKey } from "@quarterdeck/keys/KeyHash"
import { type KeyRecord, KeyStore } from "@quarterdeck/keys/KeyStore"
import { layerSqlite } from "@quarterdeck/keys/store/Sqlite"
import { Context, DateTime, Effect, FileSystem, Layer, Logger, Redacted } from "effect"
import { TestClock } from "effect/testing"
import * as FirstKey from "../../src/services/FirstKey.ts"

const record = (id: string, facts: Partial<KeyRecord> = {}): KeyRecord => ({
  id,
  name: id,
  hash: fromRawKey(Redacted.make(id)),
  start: "qd_000000",
  rule: { role: "Admin" },
  createdAt: DateTime.makeUnsafe(0),
  ...facts
})

const NOW = DateTime.makeUnsafe("2026-03-01T00:00:00Z")
const PAST = DateTime.makeUnsafe("2026-02-01T00:00:00Z")
const FUTURE = DateTime.makeUnsafe("2026-04-01T00:00:00Z")
const revoked = record("revoked", { revokedAt: PAST })
const expired = record("expired", { expiresAt: PAST })

const refusedEntry: Health["refused"][number] = {
  file: 0,
  index: 0,
  line: 3,
  label: 'entry "ci" (line 3)',
  faults: [{ field: "rule", problem: "is required" }],
  moreFaults: 0
}

/** What the start says of keys. */
const said = (
  created: ReadonlyArray<KeyRecord>,
  configured: ReadonlyArray<KeyRecord> = [],
  refusedEntries: Health["refused"] = []
) =>
  Effect.gen(function* () {
    const lines: Array<string> = []
    const logger = Logger.make(({ logLevel, message }) => void lines.push(`${logLevel} ${String(message)}`))
    yield* TestClock.setTime(DateTime.toEpochMillis(NOW))
    const directory = yield* (yield* FileSystem.FileSystem).makeTempDirectoryScoped()
    const store = Context.get(yield* Layer.build(layerSqlite({ directory })), KeyStore)
    yield* Effect.forEach(created, (record) => store.insert(record))
    const loaded = configured.map((key, index) => ({
      ...key,
      file: 0,
      index,
      line: 1,
      label: `entry ${index} (line 1)`,
      loadedAt: PAST
    }))
    const config = Layer.succeed(KeyConfig, {
      current: Effect.succeed({
        byId: new Map(loaded.map((key) => [key.id, key])),
        byHash: new Map(loaded.map((key) => [key.hash, key])),
        removed: new Map()
      }),
      health: Effect.succeed({ refused: refusedEntries })
    })
    yield* Layer.build(FirstKey.layer({ bootstrapFile: undefined })).pipe(
      Effect.provide([config, Layer.succeed(KeyStore, store), Logger.layer([logger])])
    )
    return lines
  }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))

describe("a start that nobody can enter says", () => {
  it.effect("how to make a first key where there is none", () =>
    Effect.gen(function* () {
      const [line, ...more] = yield* said([])
      assert.match(
        String(line),
        /^Warn no key exists, so every request is refused: start with --bootstrap-key-file FILE /
      )
      assert.lengthOf(more, 0)
    })
  )

  it.effect("which entries to mend where a keys file has no other", () =>
    Effect.gen(function* () {
      const [line, ...more] = yield* said([], [], [refusedEntry])
      assert.strictEqual(
        line,
        'Error no key exists, so every request is refused: all entries of the keys files are invalid: entry "ci" (line 3). Earlier log lines name their faults. Correct the files; the server reloads them by itself'
      )
      assert.lengthOf(more, 0)
    })
  )

  it.effect("that the entries are refused where every created key is revoked", () =>
    Effect.gen(function* () {
      const [line] = yield* said([revoked], [], [refusedEntry])
      assert.include(
        String(line),
        "revoked or expired, and all entries of the keys files are invalid. To regain access"
      )
    })
  )

  it.effect("how to get in again where every key is revoked or expired and none is configured", () =>
    Effect.gen(function* () {
      const [line, ...more] = yield* said([revoked, expired])
      assert.match(
        String(line),
        /^Error no key is valid, so every request is refused: all created keys are revoked or expired, and none is configured\. To regain access, .*quarterdeck key generate.* --keys-file FILE$/
      )
      assert.lengthOf(more, 0)
    })
  )

  it.effect("the same where the configured ones have expired too", () =>
    Effect.gen(function* () {
      const [line] = yield* said([revoked], [record("configured", { expiresAt: PAST })])
      assert.include(String(line), "revoked or expired, and so are all configured keys")
    })
  )

  it.effect("nothing as long as one key is valid, wherever it comes from", () =>
    Effect.gen(function* () {
      const many = Array.from({ length: 600 }, (_, index) => record(`revoked-${index}`, { revokedAt: PAST }))
      assert.deepStrictEqual(yield* said([...many, record("x-valid", { expiresAt: FUTURE })]), [])
      assert.deepStrictEqual(yield* said([revoked], [record("configured")]), [])
    })
  )
})
