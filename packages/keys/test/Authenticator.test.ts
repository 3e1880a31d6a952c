import { assert, describe, it } from "@effect/vitest"
import { DateTime, Duration, Effect, Layer, Redacted, Schema } from "effect"
import { TestClock } from "effect/testing"
import { randomBytes } from "node:crypto"
import { Authenticator } from "../src/Authenticator.ts"
import { KeyConfig } from "../src/KeyConfig.ts"
import { KeyStoreError, StoreTimedOut } from "../src/KeyError.ts"
import * as KeyHash from "../src/KeyHash.ts"
import { type KeyRecord, KeyStore } from "../src/KeyStore.ts"
import * as RawKey from "../src/RawKey.ts"
import { layerCached } from "../src/store/Cached.ts"
import { layerMemory } from "../src/store/Memory.ts"
import { layerConfigured, loaded } from "./configuredKeys.ts"
import { admin, record, shopAdmin } from "./samples.ts"

const rawKey = RawKey.generate(randomBytes)
const hash = KeyHash.fromRawKey(rawKey)
const epoch = DateTime.makeUnsafe(0)
const inAnHour = DateTime.addDuration(epoch, Duration.hours(1))

const layers = (config: Layer.Layer<KeyConfig> = KeyConfig.layerNone) =>
  Authenticator.layer.pipe(Layer.provideMerge(layerCached.pipe(Layer.provide(layerMemory), Layer.merge(config))))

const insert = (fields: Partial<KeyRecord>) =>
  Effect.flatMap(KeyStore, (store) =>
    store.insert(record({ id: "key_1", hash, rule: shopAdmin, createdAt: epoch, ...fields }))
  )
const authenticate = (key: RawKey.RawKey = rawKey) =>
  Effect.flatMap(Authenticator, (service) => service.authenticate(key))
const codeOf = (key?: RawKey.RawKey) =>
  Effect.map(authenticate(key), (verdict) => (verdict._tag === "Valid" ? "valid" : verdict.code))
const lastUse = Effect.flatMap(KeyStore, (store) => store.find("key_1")).pipe(
  Effect.flatMap((found) => Effect.fromOption(found)),
  Effect.map(({ lastUsedAt }) => (lastUsedAt === undefined ? undefined : DateTime.toEpochMillis(lastUsedAt)))
)

describe("a presented key", () => {
  it.effect("makes its owner known", () =>
    Effect.gen(function* () {
      yield* insert({ name: "ci", expiresAt: inAnHour })
      assert.deepStrictEqual(yield* authenticate(), {
        _tag: "Valid",
        principal: { keyId: "key_1", name: "ci", rule: shopAdmin, source: "created", expiresAt: inAnHour }
      })
    }).pipe(Effect.provide(layers()))
  )

  it.effect("may come from the configuration, in any form", () => {
    const phrase = Redacted.make("correct horse, battery staple")
    const key = loaded({ id: "cfg_1", name: "ops", hash: KeyHash.fromRawKey(phrase), rule: admin })
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* authenticate(phrase), {
        _tag: "Valid",
        principal: { keyId: "cfg_1", name: "ops", rule: admin, source: "configured" }
      })
    }).pipe(Effect.provide(layers(layerConfigured([key]))))
  })

  it.effect("is invalid if it is unknown", () =>
    Effect.gen(function* () {
      yield* insert({})
      assert.strictEqual(yield* codeOf(RawKey.generate(randomBytes)), "invalid_key")
      assert.strictEqual(yield* codeOf(Redacted.make("")), "invalid_key")
    }).pipe(Effect.provide(layers()))
  )

  it.effect.each([
    ["is cut short", (text: string) => text.slice(0, -1), "but has the wrong length"],
    [
      "has a character mistyped",
      (text: string) => text.slice(0, -1) + (text.endsWith("0") ? "1" : "0"),
      "with a mistyped character"
    ],
    ["has a foreign character", (text: string) => `${text.slice(0, -1)}_`, "but contains an invalid character"],
    ["is of another form", () => "password", "no such key exists"]
  ] as const)("is explained when it %s", ([_name, change, part]) =>
    Effect.gen(function* () {
      yield* insert({})
      const verdict = yield* authenticate(Redacted.make(change(Redacted.value(rawKey))))
      assert.isTrue(verdict._tag === "Refused" && verdict.code === "invalid_key" && verdict.detail.endsWith(part))
    }).pipe(Effect.provide(layers()))
  )

  it.effect("is valid until its last millisecond, and no longer", () =>
    Effect.gen(function* () {
      yield* insert({ expiresAt: inAnHour })
      yield* TestClock.adjust(Duration.millis(3_599_999))
      assert.strictEqual(yield* codeOf(), "valid")
      yield* TestClock.adjust(Duration.millis(1))
      assert.strictEqual(yield* codeOf(), "key_expired")
    }).pipe(Effect.provide(layers()))
  )

  it.effect("expires also when it is configured", () => {
    const config = layerConfigured([loaded({ id: "cfg_1", hash, expiresAt: inAnHour })])
    return Effect.gen(function* () {
      assert.strictEqual(yield* codeOf(), "valid")
      yield* TestClock.adjust("1 hour")
      assert.strictEqual(yield* codeOf(), "key_expired")
    }).pipe(Effect.provide(layers(config)))
  })

  it.effect("ends with its revocation, for the very next request", () =>
    Effect.gen(function* () {
      yield* insert({})
      assert.strictEqual(yield* codeOf(), "valid")
      yield* (yield* KeyStore).revoke("key_1", epoch)
      assert.strictEqual(yield* codeOf(), "key_revoked")
    }).pipe(Effect.provide(layers()))
  )

  it.effect("is reported as revoked rather than expired", () =>
    Effect.gen(function* () {
      yield* insert({ expiresAt: epoch, revokedAt: epoch })
      assert.strictEqual(yield* codeOf(), "key_revoked")
    }).pipe(Effect.provide(layers()))
  )

  it.effect("is revoked when its entry has left the configuration", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* codeOf(), "key_revoked")
    }).pipe(Effect.provide(layers(layerConfigured([], [hash]))))
  )

  it.effect(
    "is told by its id and name once it has ended, wherever it came from, and nothing is told of one that nobody has",
    () => {
      const gone = KeyHash.fromRawKey(Redacted.make("gone"))
      return Effect.gen(function* () {
        const endedOf = (key?: RawKey.RawKey) =>
          Effect.map(authenticate(key), (verdict) => (verdict._tag === "Refused" ? verdict.ended : "valid"))
        yield* insert({ name: "ci", revokedAt: epoch })
        assert.deepStrictEqual(yield* endedOf(), { keyId: "key_1", name: "ci" })
        assert.deepStrictEqual(yield* endedOf(Redacted.make("gone")), { keyId: "cfg_gone", name: "gone" })
        assert.isUndefined(yield* endedOf(Redacted.make("nobody's")))
      }).pipe(Effect.provide(layers(layerConfigured([], [gone]))))
    }
  )

  it.effect("is neither valid nor invalid when the store cannot tell", () => {
    const failure = new KeyStoreError({ reason: new StoreTimedOut({ operation: "findByHash", timeoutMs: 1 }) })
    const store = Layer.mock(KeyStore, { findByHash: () => Effect.fail(failure) })
    return Effect.gen(function* () {
      assert.strictEqual(yield* Effect.flip(authenticate()), failure)
    }).pipe(Effect.provide(Authenticator.layer.pipe(Layer.provide([store, KeyConfig.layerNone]))))
  })

  it.effect("of the configuration asks no store", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* codeOf(), "valid")
    }).pipe(
      Effect.provide(
        Authenticator.layer.pipe(
          Layer.provide([Layer.mock(KeyStore, {}), layerConfigured([loaded({ id: "cfg_1", hash })])])
        )
      )
    )
  )

  it.effect.prop("never stands in a verdict", [Schema.String], ([text]) =>
    Effect.gen(function* () {
      const secret = `qd_${text}${Redacted.value(rawKey)}`
      assert.notInclude(JSON.stringify(yield* authenticate(Redacted.make(secret))), Redacted.value(rawKey))
    }).pipe(Effect.provide(layers()))
  )
})

describe("the last use of a key", () => {
  it.effect("is written once a minute, with the latest use", () => {
    const writes: Array<number> = []
    const countingStore = Layer.effect(
      KeyStore,
      Effect.map(KeyStore, (store) =>
        KeyStore.of({
          ...store,
          touch: (uses) =>
            Effect.andThen(
              Effect.sync(() => writes.push(uses.length)),
              store.touch(uses)
            )
        })
      )
    ).pipe(Layer.provide(layerMemory))
    return Effect.gen(function* () {
      yield* insert({})
      for (let second = 0; second < 59; second++) {
        yield* authenticate()
        yield* TestClock.adjust("1 second")
      }
      assert.deepStrictEqual(writes, [])
      assert.isUndefined(yield* lastUse)
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(writes, [1])
      assert.strictEqual(yield* lastUse, 58_000)
      yield* TestClock.adjust("10 minutes")
      assert.deepStrictEqual(writes, [1])
    }).pipe(
      Effect.provide(Authenticator.layer.pipe(Layer.provideMerge(Layer.merge(countingStore, KeyConfig.layerNone))))
    )
  })

  it.effect("may be recorded later after a look, and is never recorded for a configured key", () =>
    Effect.gen(function* () {
      yield* insert({})
      const authenticator = yield* Authenticator
      const verdict = yield* authenticator.authenticate(rawKey, "look")
      yield* TestClock.adjust("2 minutes")
      assert.isUndefined(yield* lastUse)
      if (verdict._tag === "Refused") return assert.fail(verdict.code)
      yield* authenticator.noteUse({ ...verdict.principal, source: "configured" })
      yield* TestClock.adjust("1 minute")
      assert.isUndefined(yield* lastUse)
      yield* authenticator.noteUse(verdict.principal)
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(yield* lastUse, 180_000)
    }).pipe(Effect.provide(layers()))
  )

  it.effect("is not noted when the key was refused", () =>
    Effect.gen(function* () {
      yield* insert({ expiresAt: epoch })
      yield* authenticate()
      yield* TestClock.adjust("2 minutes")
      assert.isUndefined(yield* lastUse)
    }).pipe(Effect.provide(layers()))
  )

  it.effect("is written when the program ends", () =>
    Effect.gen(function* () {
      yield* insert({})
      const store = yield* KeyStore
      yield* authenticate().pipe(
        Effect.provide(Authenticator.layer.pipe(Layer.provide([Layer.succeed(KeyStore, store), KeyConfig.layerNone])))
      )
      assert.strictEqual(yield* lastUse, 0)
    }).pipe(Effect.provide(layerMemory))
  )

  it.effect("is kept while the store does not take it", () => {
    let broken = true
    const failure = new KeyStoreError({ reason: new StoreTimedOut({ operation: "touch", timeoutMs: 1 }) })
    const flakyStore = Layer.effect(
      KeyStore,
      Effect.map(KeyStore, (store) =>
        KeyStore.of({
          ...store,
          touch: (uses) => Effect.suspend(() => (broken ? Effect.fail(failure) : store.touch(uses)))
        })
      )
    ).pipe(Layer.provide(layerMemory))
    return Effect.gen(function* () {
      yield* insert({})
      yield* TestClock.adjust("5 seconds")
      yield* authenticate()
      yield* TestClock.adjust("1 minute")
      assert.isUndefined(yield* lastUse)
      broken = false
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(yield* lastUse, 5_000)
    }).pipe(Effect.provide(Authenticator.layer.pipe(Layer.provideMerge(Layer.merge(flakyStore, KeyConfig.layerNone)))))
  })
})
