import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Option } from "effect"
import { TestClock } from "effect/testing"
import { KeyStoreError, StoreTimedOut } from "../../src/KeyError.ts"
import { KeyStore } from "../../src/KeyStore.ts"
import { layerCached } from "../../src/store/Cached.ts"
import { layerMemory } from "../../src/store/Memory.ts"
import { at, hashOf, record } from "../samples.ts"
import { keepsKeys } from "./laws.ts"

const key = record({ id: "key_1", hash: hashOf("a") })
const revokedAt = at("2026-02-01T00:00:00Z")

/** A store that counts its lookups and passes them through `around`. */
type Found = ReturnType<KeyStore["Service"]["findByHash"]>
const countedStore = (around: (found: Found, count: number) => Found) =>
  Effect.gen(function* () {
    const store = yield* KeyStore
    const lookUps = { count: 0 }
    const counted = KeyStore.of({
      ...store,
      findByHash: (hash) =>
        Effect.suspend(() => {
          lookUps.count++
          return around(store.findByHash(hash), lookUps.count)
        })
    })
    const cached = yield* KeyStore.pipe(
      Effect.provide(layerCached.pipe(Layer.provide(Layer.succeed(KeyStore, counted))))
    )
    yield* cached.insert(key)
    return { cached, store, lookUps }
  })

/** A store with methods on its prototype, which a spread would not copy. */
class HostStore {
  readonly #inner: KeyStore["Service"]
  readonly count: KeyStore["Service"]["count"]

  constructor(inner: KeyStore["Service"]) {
    this.#inner = inner
    this.count = inner.count
  }

  insert(...call: Parameters<KeyStore["Service"]["insert"]>) {
    return this.#inner.insert(...call)
  }
  find(...call: Parameters<KeyStore["Service"]["find"]>) {
    return this.#inner.find(...call)
  }
  findByHash(...call: Parameters<KeyStore["Service"]["findByHash"]>) {
    return this.#inner.findByHash(...call)
  }
  list(...call: Parameters<KeyStore["Service"]["list"]>) {
    return this.#inner.list(...call)
  }
  revoke(...call: Parameters<KeyStore["Service"]["revoke"]>) {
    return this.#inner.revoke(...call)
  }
  revokeAll(...call: Parameters<KeyStore["Service"]["revokeAll"]>) {
    return this.#inner.revokeAll(...call)
  }
  findLiving(...call: Parameters<KeyStore["Service"]["findLiving"]>) {
    return this.#inner.findLiving(...call)
  }
  update(...call: Parameters<KeyStore["Service"]["update"]>) {
    return this.#inner.update(...call)
  }
  rotate(...call: Parameters<KeyStore["Service"]["rotate"]>) {
    return this.#inner.rotate(...call)
  }
  touch(...call: Parameters<KeyStore["Service"]["touch"]>) {
    return this.#inner.touch(...call)
  }
}

const layerClass = Layer.effect(
  KeyStore,
  Effect.map(KeyStore, (store) => new HostStore(store))
).pipe(Layer.provide(layerMemory))

describe("the key store behind a cache", () => {
  keepsKeys(layerCached.pipe(Layer.provide(layerMemory)))

  describe("when the store is a class of the host's own", () => {
    keepsKeys(layerCached.pipe(Layer.provide(layerClass)))
  })

  it.effect("asks the store once for a key that is used again and again", () =>
    Effect.gen(function* () {
      const { cached, lookUps } = yield* countedStore((found) => found)
      for (let use = 0; use < 5; use++) assert.deepStrictEqual(yield* cached.findByHash(key.hash), Option.some(key))
      assert.strictEqual(lookUps.count, 1)
    }).pipe(Effect.provide(layerMemory))
  )

  it.effect("asks again for a hash that no key had", () =>
    Effect.gen(function* () {
      const { cached, lookUps } = yield* countedStore((found) => found)
      for (let use = 0; use < 3; use++) assert.isTrue(Option.isNone(yield* cached.findByHash(hashOf("9"))))
      assert.strictEqual(lookUps.count, 3)
    }).pipe(Effect.provide(layerMemory))
  )

  it.effect("sees a revocation by another process within five seconds", () =>
    Effect.gen(function* () {
      const { cached, store } = yield* countedStore((found) => found)
      yield* cached.findByHash(key.hash)
      yield* store.revoke(key.id, revokedAt)
      yield* TestClock.adjust("5 seconds")
      assert.deepStrictEqual(yield* cached.findByHash(key.hash), Option.some({ ...key, revokedAt }))
    }).pipe(Effect.provide(layerMemory))
  )

  it.effect("never gives out a revoked key as valid, also when the look-up began before the revocation", () =>
    Effect.gen(function* () {
      const started = yield* Deferred.make<void>()
      const gate = yield* Deferred.make<void>()
      const { cached } = yield* countedStore((found, count) =>
        found.pipe(
          Effect.tap(() => Deferred.succeed(started, undefined)),
          Effect.tap(() => (count === 1 ? Deferred.await(gate) : Effect.void))
        )
      )
      const early = yield* Effect.forkChild(cached.findByHash(key.hash))
      yield* Deferred.await(started)
      yield* cached.revoke(key.id, revokedAt)
      assert.deepStrictEqual(yield* cached.findByHash(key.hash), Option.some({ ...key, revokedAt }))
      yield* Deferred.succeed(gate, undefined)
      assert.deepStrictEqual(yield* Fiber.join(early), Option.some(key))
      assert.deepStrictEqual(yield* cached.findByHash(key.hash), Option.some({ ...key, revokedAt }))
    }).pipe(Effect.provide(layerMemory))
  )

  it.effect("asks again after a look-up that failed", () =>
    Effect.gen(function* () {
      const failure = new KeyStoreError({ reason: new StoreTimedOut({ operation: "findByHash", timeoutMs: 1 }) })
      const { cached } = yield* countedStore((found, count) => (count === 1 ? Effect.fail(failure) : found))
      assert.strictEqual(yield* Effect.flip(cached.findByHash(key.hash)), failure)
      assert.deepStrictEqual(yield* cached.findByHash(key.hash), Option.some(key))
    }).pipe(Effect.provide(layerMemory))
  )
})
