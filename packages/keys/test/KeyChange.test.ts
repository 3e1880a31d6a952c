import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Fiber, Layer, type Redacted } from "effect"
import { TestClock } from "effect/testing"
import { Authenticator } from "../src/Authenticator.ts"
import { KeyConfig } from "../src/KeyConfig.ts"
import { KeyIssuer } from "../src/KeyIssuer.ts"
import { KeyStore } from "../src/KeyStore.ts"
import type { Principal } from "../src/Principal.ts"
import { layerCached } from "../src/store/Cached.ts"
import { layerMemory } from "../src/store/Memory.ts"
import { callerWith } from "./caller.ts"
import { layerConfigured, loaded } from "./configuredKeys.ts"
import { admin, at, hashOf, record, rule, shopAdmin, viewer } from "./samples.ts"

const root = callerWith(admin, "key_root")
const shop = callerWith(shopAdmin, "key_shop")

const prodViewer = rule({ role: "Viewer", targetClusters: ["prod"] })
const shopViewer = rule({ role: "Viewer", targetClusters: ["prod"], targetNamespaces: [{ namespaceNames: ["shop"] }] })

const layers = (config: Layer.Layer<KeyConfig> = KeyConfig.layerNone) =>
  Layer.merge(KeyIssuer.layer, Authenticator.layer).pipe(
    Layer.provideMerge(layerCached.pipe(Layer.provide(layerMemory), Layer.merge(config)))
  )

const reasonOf = <A, R>(call: Effect.Effect<A, { readonly reason: { readonly _tag: string } }, R>) =>
  Effect.map(Effect.flip(call), ({ reason }) => reason._tag)

/** Returns the caller of a request that was authenticated with a key. */
const holderOf = (key: Redacted.Redacted) =>
  Effect.gen(function* () {
    const verdict = yield* (yield* Authenticator).authenticate(key, "look")
    if (verdict._tag === "Refused") return yield* Effect.die(verdict.code)
    return verdict.principal
  })

const refusalOf = (key: Redacted.Redacted) =>
  Effect.gen(function* () {
    const verdict = yield* (yield* Authenticator).authenticate(key, "look")
    return verdict._tag === "Refused" ? verdict.code : "valid"
  })

const dayMs = 86_400_000

describe("a key that is changed", () => {
  it.effect("has its new name and rule from the next request on", () =>
    Effect.gen(function* () {
      const issuer = yield* KeyIssuer
      const { apiKey, key } = yield* issuer.create(root, { name: "ci", rule: prodViewer })
      yield* holderOf(key)
      const renamed = yield* issuer.update(root, apiKey.id, { name: "ci of the shop" })
      assert.deepStrictEqual(renamed, { ...apiKey, name: "ci of the shop" })
      const narrowed = yield* issuer.update(root, apiKey.id, { rule: shopViewer })
      assert.deepStrictEqual(narrowed, { ...apiKey, name: "ci of the shop", rule: shopViewer })
      assert.deepStrictEqual(yield* issuer.get(root, apiKey.id), narrowed)
      assert.deepInclude(yield* holderOf(key), { name: "ci of the shop", rule: shopViewer })
      assert.deepStrictEqual(yield* issuer.update(root, apiKey.id, {}), narrowed)
    }).pipe(Effect.provide(layers()))
  )

  it.effect("never reaches further than before, with any caller", () =>
    Effect.gen(function* () {
      const issuer = yield* KeyIssuer
      const { apiKey } = yield* issuer.create(root, { name: "ci", rule: shopViewer })
      for (const wider of [prodViewer, viewer, admin, { ...shopViewer, role: "Operator" as const }]) {
        assert.strictEqual(yield* reasonOf(issuer.update(root, apiKey.id, { rule: wider })), "RuleNotContained")
      }
      assert.deepStrictEqual((yield* issuer.get(root, apiKey.id)).rule, shopViewer)
    }).pipe(Effect.provide(layers()))
  )

  it.effect.each([
    ["a Viewer, even itself", callerWith(viewer, "key_1"), {}, "RoleForbidden"],
    ["an empty name", root, { name: "" }, "InvalidKeyName"],
    ["a caller whose rule does not contain it", shop, {}, "KeyNotFound"]
  ] as const)("is not for %s", ([_name, caller, options, reason]) =>
    Effect.gen(function* () {
      yield* (yield* KeyStore).insert(record({ id: "key_1", hash: hashOf("1"), rule: viewer }))
      const update = (yield* KeyIssuer).update(caller, "key_1", { name: "other", ...options })
      assert.strictEqual(yield* reasonOf(update), reason)
    }).pipe(Effect.provide(layers()))
  )

  it.effect("is neither configured, revoked nor expired", () =>
    Effect.gen(function* () {
      const issuer = yield* KeyIssuer
      const store = yield* KeyStore
      yield* store.insert(record({ id: "key_gone", hash: hashOf("1"), revokedAt: at("1970-01-01T00:00:00Z") }))
      yield* store.insert(record({ id: "key_over", hash: hashOf("2"), expiresAt: at("1970-01-01T00:00:00Z") }))
      for (const [id, reason] of [
        ["cfg_1", "KeyConfigured"],
        ["key_gone", "KeyEnded"],
        ["key_over", "KeyEnded"],
        ["key_none", "KeyNotFound"]
      ] as const) {
        assert.strictEqual(yield* reasonOf(issuer.update(root, id, { name: "other" })), reason, id)
        assert.strictEqual(yield* reasonOf(issuer.rotate(root, id)), reason, id)
      }
    }).pipe(Effect.provide(layers(layerConfigured([loaded({ id: "cfg_1", hash: hashOf("3") })]))))
  )

  it.effect("is not narrowed if it is the last Admin without a scope, unless forced", () =>
    Effect.gen(function* () {
      const issuer = yield* KeyIssuer
      const { apiKey } = yield* issuer.create(root, { name: "root", rule: admin })
      const { id } = apiKey
      for (const narrower of [viewer, rule({ role: "Admin", targetClusters: ["prod"] })]) {
        assert.strictEqual(yield* reasonOf(issuer.update(root, id, { rule: narrower })), "LastAdmin")
      }
      assert.strictEqual((yield* issuer.update(root, id, { name: "still", rule: admin })).name, "still")
      const second = yield* issuer.create(root, { name: "second", rule: admin })
      yield* issuer.update(root, id, { rule: viewer })
      assert.strictEqual(yield* reasonOf(issuer.update(root, second.apiKey.id, { rule: viewer })), "LastAdmin")
      const forced = yield* issuer.update(root, second.apiKey.id, { rule: viewer, force: true })
      assert.deepStrictEqual(forced.rule, viewer)
    }).pipe(Effect.provide(layers()))
  )
})

describe("a key that is rotated", () => {
  it.effect("gives its name, rule and end to another, and ends with the grace", () =>
    Effect.gen(function* () {
      const issuer = yield* KeyIssuer
      const old = yield* issuer.create(root, { name: "ci", rule: prodViewer, expire: "90d" })
      yield* TestClock.adjust("1 day")
      const made = yield* issuer.rotate(root, old.apiKey.id, { grace: "24h" })
      const { id, start: _start, ...shown } = made.apiKey
      assert.notStrictEqual(id, old.apiKey.id)
      assert.deepStrictEqual(shown, {
        name: "ci",
        rule: prodViewer,
        status: "active",
        source: "created",
        createdAt: DateTime.makeUnsafe(dayMs),
        createdBy: "key_root",
        isMakerGone: true,
        rotatedFrom: old.apiKey.id,
        expiresAt: DateTime.makeUnsafe(90 * dayMs)
      })
      const inGrace = { ...old.apiKey, status: "expiring", expiresAt: DateTime.makeUnsafe(2 * dayMs) }
      assert.deepStrictEqual(yield* issuer.get(root, old.apiKey.id), { ...inGrace, status: "expiring" })
      assert.strictEqual((yield* holderOf(old.key)).keyId, old.apiKey.id)
      assert.strictEqual((yield* holderOf(made.key)).keyId, id)
      yield* TestClock.setTime(2 * dayMs - 1)
      assert.strictEqual(yield* refusalOf(old.key), "valid")
      yield* TestClock.setTime(2 * dayMs)
      assert.strictEqual(yield* refusalOf(old.key), "key_expired")
      assert.strictEqual(yield* refusalOf(made.key), "valid")
    }).pipe(Effect.provide(layers()))
  )

  it.effect("ends immediately without a grace period, also after a recent use", () =>
    Effect.gen(function* () {
      const issuer = yield* KeyIssuer
      const old = yield* issuer.create(root, { name: "ci", rule: viewer })
      yield* holderOf(old.key)
      const made = yield* issuer.rotate(root, old.apiKey.id)
      assert.strictEqual(yield* refusalOf(old.key), "key_expired")
      assert.isUndefined(made.apiKey.expiresAt)
      assert.strictEqual(yield* refusalOf(made.key), "valid")
    }).pipe(Effect.provide(layers()))
  )

  it.effect("says that it is expiring as long as a grace of weeks lasts", () =>
    Effect.gen(function* () {
      const issuer = yield* KeyIssuer
      const { apiKey } = yield* issuer.create(root, { name: "ci", rule: viewer })
      yield* issuer.rotate(root, apiKey.id, { grace: "30d" })
      assert.strictEqual((yield* issuer.get(root, apiKey.id)).status, "expiring")
      assert.deepStrictEqual(
        (yield* issuer.list(root, { limit: 10, status: "expiring" })).apiKeys.map(({ id }) => id),
        [apiKey.id]
      )
    }).pipe(Effect.provide(layers()))
  )

  it.effect("ends no later than it would have, however long the grace", () =>
    Effect.gen(function* () {
      const issuer = yield* KeyIssuer
      const { apiKey } = yield* issuer.create(root, { name: "ci", rule: viewer, expire: "2d" })
      yield* issuer.rotate(root, apiKey.id, { grace: "30d", expire: "90d" })
      assert.deepStrictEqual((yield* issuer.get(root, apiKey.id)).expiresAt, DateTime.makeUnsafe(2 * dayMs))
    }).pipe(Effect.provide(layers()))
  )

  it.effect("may rotate itself whatever its role, to its own end at the latest, and rotates no other", () =>
    Effect.gen(function* () {
      const issuer = yield* KeyIssuer
      const { apiKey, key } = yield* issuer.create(root, { name: "ci", rule: viewer, expire: "9d" })
      const other = yield* issuer.create(root, { name: "other", rule: viewer })
      const holder = yield* holderOf(key)
      assert.strictEqual(yield* reasonOf(issuer.rotate(holder, other.apiKey.id)), "RoleForbidden")
      assert.strictEqual(yield* reasonOf(issuer.rotate(holder, "key_none")), "RoleForbidden")
      assert.strictEqual(yield* reasonOf(issuer.rotate(holder, apiKey.id, { expire: "10d" })), "ExpiryNotContained")
      const { apiKey: made } = yield* issuer.rotate(holder, apiKey.id, { grace: "1h", expire: "9d" })
      assert.strictEqual(made.createdBy, apiKey.id)
      assert.deepStrictEqual(made.expiresAt, DateTime.makeUnsafe(9 * dayMs))
    }).pipe(Effect.provide(layers()))
  )

  it.effect("expires no later than the key that rotates it", () =>
    Effect.gen(function* () {
      const issuer = yield* KeyIssuer
      const { apiKey } = yield* issuer.create(root, { name: "ci", rule: viewer })
      const expiring: Principal["Service"] = { ...root, expiresAt: DateTime.makeUnsafe(5 * dayMs) }
      assert.strictEqual(yield* reasonOf(issuer.rotate(expiring, apiKey.id, { expire: "6d" })), "ExpiryNotContained")
      const { apiKey: made } = yield* issuer.rotate(expiring, apiKey.id, { grace: "1d" })
      assert.deepStrictEqual(made.expiresAt, expiring.expiresAt)
    }).pipe(Effect.provide(layers()))
  )

  it.effect.each([
    ["a grace beyond 30 days", { grace: "31d" }, "InvalidGrace"],
    ["a grace in minutes", { grace: "5m" }, "InvalidGrace"],
    ["an end that has passed", { expire: "1970-01-01T00:00:00Z" }, "InvalidExpiry"],
    ["an end beyond the longest lifetime", { expire: "11y" }, "InvalidExpiry"]
  ] as const)("is left as it is for %s", ([_name, options, reason]) =>
    Effect.gen(function* () {
      const issuer = yield* KeyIssuer
      const { apiKey } = yield* issuer.create(root, { name: "ci", rule: viewer })
      assert.strictEqual(yield* reasonOf(issuer.rotate(root, apiKey.id, options)), reason)
      assert.deepStrictEqual((yield* issuer.list(root, { limit: 10 })).apiKeys, [apiKey])
    }).pipe(Effect.provide(layers()))
  )

  it.effect("is rotated once by two that rotate it at the same time without a grace", () =>
    Effect.gen(function* () {
      const issuer = yield* KeyIssuer
      const { apiKey } = yield* issuer.create(root, { name: "ci", rule: viewer })
      const both = yield* Effect.forEach([1, 2], () => Effect.forkChild(Effect.result(issuer.rotate(root, apiKey.id))))
      const results = yield* Effect.forEach(both, Fiber.join)
      assert.deepStrictEqual(results.map(({ _tag }) => _tag).toSorted(), ["Failure", "Success"])
    }).pipe(Effect.provide(layers()))
  )
})
