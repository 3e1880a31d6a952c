import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Layer, Redacted, Result } from "effect"
import { TestClock } from "effect/testing"
import { KeyConfig } from "../src/KeyConfig.ts"
import * as KeyHash from "../src/KeyHash.ts"
import { KeyIssuer } from "../src/KeyIssuer.ts"
import { KeyStore } from "../src/KeyStore.ts"
import { layerMemory } from "../src/store/Memory.ts"
import { callerWith } from "./caller.ts"
import { layerConfigured, loaded } from "./configuredKeys.ts"
import { admin, hashOf, record, shopAdmin, viewer } from "./samples.ts"

const root = callerWith(admin, "key_root")
const epoch = DateTime.makeUnsafe(0)

const layers = (config: Layer.Layer<KeyConfig> = KeyConfig.layerNone) =>
  KeyIssuer.layer.pipe(Layer.provideMerge(Layer.merge(layerMemory, config)))

const reasonOf = <A, R>(call: Effect.Effect<A, { readonly reason: { readonly _tag: string } }, R>) =>
  Effect.map(Effect.flip(call), ({ reason }) => reason._tag)

describe("a key", () => {
  it.effect("ends a key with its maker at the latest, whatever is asked for", () =>
    Effect.gen(function* () {
      const issuer = yield* KeyIssuer
      const end = DateTime.makeUnsafe("1970-01-11T00:00:00Z")
      const ending = { ...root, expiresAt: end }
      const made = yield* issuer.create(ending, { name: "a", rule: viewer })
      assert.deepStrictEqual(made.apiKey.expiresAt, end)
      const same = yield* issuer.create(ending, { name: "b", rule: viewer, expire: "10d" })
      assert.deepStrictEqual(same.apiKey.expiresAt, end)
      const sooner = yield* issuer.create(ending, { name: "c", rule: viewer, expire: "9d" })
      assert.isTrue(sooner.apiKey.expiresAt !== undefined && DateTime.isLessThan(sooner.apiKey.expiresAt, end))
      const later = issuer.create(ending, { name: "d", rule: viewer, expire: "1970-01-11T00:00:01Z" })
      assert.strictEqual(yield* reasonOf(later), "ExpiryNotContained")
    }).pipe(Effect.provide(layers()))
  )

  it.effect("that is the last valid Admin of everything is revoked by force alone", () =>
    Effect.gen(function* () {
      const store = yield* KeyStore
      const issuer = yield* KeyIssuer
      for (const [id, facts] of Object.entries({
        key_root: {},
        key_second: {},
        key_ended: { expiresAt: DateTime.makeUnsafe(1) },
        key_gone: { revokedAt: epoch },
        key_shop: { rule: shopAdmin },
        key_reader: { rule: viewer }
      })) {
        yield* store.insert(record({ id, hash: KeyHash.fromRawKey(Redacted.make(id)), rule: admin, ...facts }))
      }
      yield* TestClock.setTime(10)
      // If two Admins revoke each other concurrently, one of them stays.
      const second = callerWith(admin, "key_second")
      const both = yield* Effect.all(
        [
          Effect.result(issuer.revoke<never, never>(root, "key_second")),
          Effect.result(issuer.revoke<never, never>(second, "key_root"))
        ],
        { concurrency: 2 }
      )
      assert.lengthOf(both.filter(Result.isSuccess), 1)
      const [left = ""] = (yield* issuer.list(root, { limit: 10, status: "active" })).apiKeys
        .filter(({ rule }) => rule === admin)
        .map(({ id }) => id)
      assert.strictEqual(yield* reasonOf(issuer.revoke(root, left)), "LastAdmin")
      assert.strictEqual(yield* reasonOf(issuer.revoke(callerWith(admin, left), left)), "LastAdmin")
      yield* issuer.revoke(root, "key_reader")
      yield* issuer.revoke(root, "key_ended")
      assert.strictEqual((yield* issuer.revoke(root, left, { force: true })).status, "revoked")
    }).pipe(Effect.provide(layers()))
  )

  it.effect("is not the last Admin while a configured one is valid", () =>
    Effect.gen(function* () {
      const store = yield* KeyStore
      yield* store.insert(record({ id: "key_root", hash: hashOf("c"), rule: admin }))
      assert.strictEqual((yield* (yield* KeyIssuer).revoke(root, "key_root")).status, "revoked")
    }).pipe(
      Effect.provide(
        layers(layerConfigured([loaded({ id: "cfg_admin", name: "admin", hash: hashOf("d"), rule: admin })]))
      )
    )
  )

  it.effect("shows which key revoked it and when, to callers who may see it, and never changes that again", () =>
    Effect.gen(function* () {
      yield* (yield* KeyStore).insert(record({ id: "key_inside", hash: hashOf("e"), rule: shopAdmin }))
      const issuer = yield* KeyIssuer
      yield* TestClock.setTime(5_000)
      const revoked = yield* issuer.revoke(callerWith(shopAdmin, "key_shop"), "key_inside")
      assert.strictEqual(revoked.id, "key_inside")
      assert.strictEqual(revoked.revokedBy, "key_shop")
      assert.deepStrictEqual(revoked.revokedAt, DateTime.makeUnsafe(5_000))
      yield* TestClock.setTime(9_000)
      assert.deepStrictEqual(yield* issuer.revoke(root, "key_inside"), revoked)
      assert.deepStrictEqual(yield* issuer.get(root, "key_inside"), revoked)
    }).pipe(Effect.provide(layers()))
  )
})
