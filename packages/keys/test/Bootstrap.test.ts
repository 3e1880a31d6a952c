import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { readdir, readFile, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { Authenticator } from "../src/Authenticator.ts"
import { writeFirstKey } from "../src/Bootstrap.ts"
import { KeyConfig } from "../src/KeyConfig.ts"
import { KeyStoreError, StoreFailed, StoreTimedOut } from "../src/KeyError.ts"
import { KeyStore } from "../src/KeyStore.ts"
import { layerMemory } from "../src/store/Memory.ts"
import { layerConfigured, loaded } from "./configuredKeys.ts"
import { collectLogs } from "./observed.ts"
import { admin, at, hashOf, record } from "./samples.ts"
import { temporaryDirectory } from "./temporaryDirectory.ts"

const layers = (config: Layer.Layer<KeyConfig> = KeyConfig.layerNone, store: Layer.Layer<KeyStore> = layerMemory) =>
  Layer.fresh(Authenticator.layer.pipe(Layer.provideMerge(Layer.mergeAll(config, store, collectLogs().layer))))

const read = (path: string) => Effect.promise(() => readFile(path, "utf8"))
const filesIn = (directory: string) => Effect.promise(() => readdir(directory))

/** A store in which the insertion fails. */
const failing = (reason: KeyStoreError["reason"]) =>
  Layer.mock(KeyStore, { count: Effect.succeed(0), insert: () => Effect.fail(new KeyStoreError({ reason })) })

describe("the first key", () => {
  it.live("is an unscoped Admin, alone in a file that only its owner reads", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const path = join(directory, "first-key")
      assert.isTrue(yield* writeFirstKey(path))
      const text = yield* read(path)
      assert.match(text, /^qd_[0-9A-Za-z]{49}\n$/)
      assert.strictEqual((yield* Effect.promise(() => stat(path))).mode & 0o777, 0o600)
      assert.deepStrictEqual(yield* filesIn(directory), ["first-key"])
      const verdict = yield* (yield* Authenticator).authenticate(Redacted.make(text.trim()))
      assert.isTrue(verdict._tag === "Valid")
      assert.deepStrictEqual(verdict._tag === "Valid" ? verdict.principal.rule : undefined, admin)
    }).pipe(Effect.provide(layers()))
  )

  it.live("is made once", () =>
    Effect.gen(function* () {
      const path = join(yield* temporaryDirectory, "first-key")
      assert.isTrue(yield* writeFirstKey(path))
      const text = yield* read(path)
      assert.isFalse(yield* writeFirstKey(path))
      assert.strictEqual(yield* read(path), text)
    }).pipe(Effect.provide(layers()))
  )

  it.live("is not made when a key exists, even a revoked one", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      yield* (yield* KeyStore).insert(record({ id: "key_1", hash: hashOf("1"), revokedAt: at("2026-01-01T00:00:00Z") }))
      assert.isFalse(yield* writeFirstKey(join(directory, "first-key")))
      assert.deepStrictEqual(yield* filesIn(directory), [])
    }).pipe(Effect.provide(layers()))
  )

  it.live("is not made when a key is configured", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      assert.isFalse(yield* writeFirstKey(join(directory, "first-key")))
      assert.deepStrictEqual(yield* filesIn(directory), [])
    }).pipe(Effect.provide(layers(layerConfigured([loaded({ id: "cfg_1", hash: hashOf("1") })]))))
  )

  it.live("is announced by its path, never by itself", () =>
    Effect.gen(function* () {
      const logs = collectLogs()
      const path = join(yield* temporaryDirectory, "first-key")
      yield* writeFirstKey(path).pipe(Effect.provide(logs.layer))
      assert.strictEqual(logs.lines.length, 1)
      assert.include(logs.lines[0], path)
      assert.notInclude(logs.lines[0], (yield* read(path)).slice(3, 20))
    }).pipe(Effect.provide(layers()))
  )

  it.live("does not write over a file, and makes no key then", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const path = join(directory, "first-key")
      yield* Effect.promise(() => writeFile(path, "mine"))
      const error = yield* Effect.flip(writeFirstKey(path))
      assert.strictEqual(
        error.message,
        `bootstrap key file ${path}: exists already, although no key does; remove it to get a new key`
      )
      assert.strictEqual(yield* read(path), "mine")
      assert.deepStrictEqual(yield* filesIn(directory), ["first-key"])
      assert.strictEqual(yield* (yield* KeyStore).count, 0)
    }).pipe(Effect.provide(layers()))
  )

  it.live("says that its directory is missing, and makes no key then", () =>
    Effect.gen(function* () {
      const path = join(yield* temporaryDirectory, "none", "first-key")
      assert.strictEqual(
        (yield* Effect.flip(writeFirstKey(path))).message,
        `bootstrap key file ${path}: cannot be written (ENOENT)`
      )
      assert.strictEqual(yield* (yield* KeyStore).count, 0)
    }).pipe(Effect.provide(layers()))
  )

  it.live("leaves no file when the store refuses it", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const error = yield* Effect.flip(writeFirstKey(join(directory, "first-key")))
      assert.instanceOf(error, KeyStoreError)
      assert.deepStrictEqual(yield* filesIn(directory), [])
    }).pipe(
      Effect.provide(
        layers(KeyConfig.layerNone, failing(new StoreFailed({ operation: "insert", cause: new Error("full") })))
      )
    )
  )

  it.live("leaves the file when the store may have kept the key after all", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      yield* Effect.flip(writeFirstKey(join(directory, "first-key")))
      assert.deepStrictEqual(yield* filesIn(directory), ["first-key"])
    }).pipe(
      Effect.provide(layers(KeyConfig.layerNone, failing(new StoreTimedOut({ operation: "insert", timeoutMs: 1 }))))
    )
  )
})
