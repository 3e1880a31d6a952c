import { assert, describe, it } from "@effect/vitest"
import { DateTime, Deferred, Effect, Layer, Ref } from "effect"
import { TestClock } from "effect/testing"
import type { KeyHash } from "../src/KeyHash.ts"
import { KeyStore } from "../src/KeyStore.ts"
import { KnownKeys } from "../src/KnownKeys.ts"
import { layerMemory } from "../src/store/Memory.ts"
import { layerConfigured, loaded } from "./configuredKeys.ts"
import { at, hashOf, record } from "./samples.ts"

const NOW = at("2026-03-01T00:00:00Z")
const LATER = at("2026-03-01T01:00:00Z")

type List = KeyStore["Service"]["list"]

/** Runs a test on the known keys, over a store that counts its lookups and that the test can also write to directly. */
const onKeys = <A, E>(
  test: (inner: KeyStore["Service"], lookUps: Effect.Effect<number>) => Effect.Effect<A, E, KnownKeys | KeyStore>,
  listedBy: (list: List) => List = (list) => list
) =>
  Effect.gen(function* () {
    yield* TestClock.setTime(DateTime.toEpochMillis(NOW))
    const lookUps = yield* Ref.make(0)
    const memory = yield* KeyStore
    const inner = KeyStore.of({
      ...memory,
      list: listedBy(memory.list),
      findByHash: (hash) =>
        Effect.andThen(
          Ref.update(lookUps, (count) => count + 1),
          memory.findByHash(hash)
        )
    })
    yield* inner.insert(record({ id: "old", hash: hashOf("a"), createdAt: NOW }))
    yield* inner.insert(record({ id: "ended", hash: hashOf("b"), createdAt: NOW, expiresAt: NOW }))
    const configured = layerConfigured([
      loaded({ id: "cfg", hash: hashOf("c") }),
      loaded({ id: "cfg_ended", hash: hashOf("d"), expiresAt: NOW })
    ])
    return yield* test(inner, Ref.get(lookUps)).pipe(
      Effect.provide(KnownKeys.layer.pipe(Layer.provide([Layer.succeed(KeyStore, inner), configured])))
    )
  }).pipe(Effect.provide(Layer.fresh(layerMemory)), Effect.scoped)

const isValid = (hash: KeyHash) => Effect.flatMap(KnownKeys, (known) => known.isValid(hash))
const valid = (...digits: ReadonlyArray<string>) => Effect.forEach(digits, (digit) => isValid(hashOf(digit)))

describe("the hashes of valid keys", () => {
  it.effect("are those of created and configured keys that have not ended, without a look-up", () =>
    onKeys((_inner, lookUps) =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* valid("a", "b", "c", "d", "e"), [true, false, true, false, false])
        assert.strictEqual(yield* lookUps, 0)
      })
    )
  )

  it.effect("follow what becomes of keys", () =>
    onKeys(() =>
      Effect.gen(function* () {
        const store = yield* KeyStore
        yield* store.insert(record({ id: "new", hash: hashOf("e"), createdAt: NOW, expiresAt: LATER }))
        assert.isTrue(yield* isValid(hashOf("e")))
        const successor = record({ id: "successor", hash: hashOf("f"), createdAt: NOW })
        yield* store.rotate("old", { at: NOW, endsAt: LATER, successor })
        assert.deepStrictEqual(yield* valid("a", "f"), [true, true])
        yield* TestClock.setTime(DateTime.toEpochMillis(LATER))
        assert.deepStrictEqual(yield* valid("a", "e", "f"), [false, false, true])
        yield* store.revoke("successor", LATER)
        assert.isFalse(yield* isValid(hashOf("f")))
      })
    )
  )

  it.effect("follow what other programs do, within 15 s", () =>
    onKeys((inner) =>
      Effect.gen(function* () {
        yield* inner.insert(record({ id: "new", hash: hashOf("e"), createdAt: NOW }))
        yield* inner.revoke("old", NOW)
        assert.deepStrictEqual(yield* valid("a", "e"), [true, false])
        yield* TestClock.adjust("15 seconds")
        assert.deepStrictEqual(yield* valid("a", "e"), [false, true])
      })
    )
  )

  it.effect("follow what becomes of keys while a listing of the store hangs, and keep it once that ends", () =>
    Effect.gen(function* () {
      const isRead = yield* Deferred.make<void>()
      const isLetOn = yield* Deferred.make<void>()
      let walks = 0
      const hanging =
        (list: List): List =>
        (page) => {
          walks++
          const held = Deferred.succeed(isRead, undefined).pipe(Effect.andThen(Deferred.await(isLetOn)))
          return walks === 2 ? Effect.tap(list(page), () => held) : list(page)
        }
      yield* onKeys(
        (inner) =>
          Effect.gen(function* () {
            const store = yield* KeyStore
            yield* inner.insert(record({ id: "others", hash: hashOf("e"), createdAt: NOW }))
            yield* TestClock.adjust("15 seconds")
            yield* Deferred.await(isRead)
            yield* store.insert(record({ id: "new", hash: hashOf("f"), createdAt: NOW }))
            yield* store.revoke("old", NOW)
            assert.deepStrictEqual(yield* valid("a", "e", "f"), [false, false, true])
            yield* Deferred.succeed(isLetOn, undefined)
            yield* Effect.yieldNow.pipe(
              Effect.andThen(isValid(hashOf("e"))),
              Effect.repeat({ until: (isFound) => isFound })
            )
            assert.deepStrictEqual(yield* valid("a", "e", "f"), [false, true, true])
            // The next refresh reads them from the store.
            yield* TestClock.adjust("15 seconds")
            assert.deepStrictEqual(yield* valid("a", "e", "f"), [false, true, true])
          }),
        hanging
      )
    })
  )
})
