import { assert, describe, it } from "@effect/vitest"
import { DateTime, Duration, Effect, Layer, Redacted } from "effect"
import { TestClock } from "effect/testing"
import type { ApiKey } from "../src/ApiKey.ts"
import { Authenticator } from "../src/Authenticator.ts"
import { KeyConfig } from "../src/KeyConfig.ts"
import * as KeyHash from "../src/KeyHash.ts"
import { KeyIssuer, MaxLifetime } from "../src/KeyIssuer.ts"
import { KeyStore } from "../src/KeyStore.ts"
import * as RuleContainment from "../src/RuleContainment.ts"
import { layerCached } from "../src/store/Cached.ts"
import { layerMemory } from "../src/store/Memory.ts"
import { callerWith } from "./caller.ts"
import { layerConfigured, loaded } from "./configuredKeys.ts"
import { admin, hashOf, record, rule, shopAdmin, SmallRule, toRule, viewer } from "./samples.ts"

const root = callerWith(admin, "key_root")
const shop = callerWith(shopAdmin, "key_shop")
const operator = callerWith(rule({ role: "Operator" }), "key_operator")
const watcher = callerWith(viewer, "key_watcher")

const shopViewer = rule({ role: "Viewer", targetClusters: ["prod"], targetNamespaces: [{ namespaceNames: ["shop"] }] })
const epoch = DateTime.makeUnsafe(0)

const layers = (config: Layer.Layer<KeyConfig> = KeyConfig.layerNone) =>
  Layer.merge(KeyIssuer.layer, Authenticator.layer).pipe(
    Layer.provideMerge(layerCached.pipe(Layer.provide(layerMemory), Layer.merge(config)))
  )

const reasonOf = <A, R>(call: Effect.Effect<A, { readonly reason: { readonly _tag: string } }, R>) =>
  Effect.map(Effect.flip(call), ({ reason }) => reason._tag)

/** Reads a list to its end, page by page. */
const listAll = (caller: typeof root, limit: number) =>
  Effect.gen(function* () {
    const issuer = yield* KeyIssuer
    const pages: Array<ReadonlyArray<ApiKey>> = []
    let position: { readonly position?: string } = {}
    for (;;) {
      const { apiKeys, next } = yield* issuer.list(caller, { limit, ...position })
      pages.push(apiKeys)
      if (next === undefined) return pages
      assert.match(next, /^[A-Za-z0-9_-]{1,1024}$/)
      position = { position: next }
    }
  })
const idsOf = (pages: ReadonlyArray<ReadonlyArray<ApiKey>>) => pages.flat().map(({ id }) => id)

describe("creating a key", () => {
  it.effect("gives a secret that authenticates with the rule, and shows all else", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(1_000)
      const { apiKey, key } = yield* (yield* KeyIssuer).create(shop, { name: "ci", rule: shopViewer, expire: "30d" })
      const { id, isMakerGone: _unknown, ...shown } = apiKey
      assert.match(id, /^key_[0-9A-Za-z]{22}$/)
      assert.deepStrictEqual(shown, {
        name: "ci",
        start: Redacted.value(key).slice(0, 9),
        rule: shopViewer,
        status: "active",
        source: "created",
        createdAt: DateTime.makeUnsafe(1_000),
        createdBy: "key_shop",
        expiresAt: DateTime.addDuration(DateTime.makeUnsafe(1_000), Duration.days(30))
      })
      const verdict = yield* (yield* Authenticator).authenticate(key)
      assert.isTrue(verdict._tag === "Valid" && verdict.principal.keyId === id && verdict.principal.rule === shopViewer)
    }).pipe(Effect.provide(layers()))
  )

  it.effect("stores the hash of the secret and never the secret", () =>
    Effect.gen(function* () {
      const { apiKey, key } = yield* (yield* KeyIssuer).create(root, { name: "ci", rule: admin })
      const stored = yield* Effect.fromOption(yield* (yield* KeyStore).find(apiKey.id))
      assert.strictEqual(stored.hash, KeyHash.fromRawKey(key))
      assert.notInclude(JSON.stringify(stored), Redacted.value(key).slice(9))
      assert.notInclude(JSON.stringify(apiKey), Redacted.value(key).slice(9))
      assert.notInclude(JSON.stringify(apiKey), stored.hash)
    }).pipe(Effect.provide(layers()))
  )

  it.effect.each([
    ["without an end when none is asked for", undefined, undefined],
    ["with the longest lifetime", "10y", 315_360_000_000]
  ] as const)("makes it %s", ([_name, expire, millis]) =>
    Effect.gen(function* () {
      const { apiKey } = yield* (yield* KeyIssuer).create(root, {
        name: "ci",
        rule: viewer,
        ...(expire === undefined ? {} : { expire })
      })
      assert.strictEqual(apiKey.expiresAt && DateTime.toEpochMillis(apiKey.expiresAt), millis)
    }).pipe(Effect.provide(layers()))
  )

  it.effect.each([
    ["a Viewer", watcher, {}, "RoleForbidden"],
    ["an Operator", operator, {}, "RoleForbidden"],
    ["an empty name", root, { name: "" }, "InvalidKeyName"],
    ["a name with a line end", root, { name: "a\nb" }, "InvalidKeyName"],
    ["a lifetime of nothing", root, { expire: "0d" }, "InvalidExpiry"],
    ["a lifetime beyond the longest", root, { expire: "11y" }, "InvalidExpiry"],
    ["an end that has passed", root, { expire: "1970-01-01T00:00:00Z" }, "InvalidExpiry"],
    ["a rule of all clusters by an Admin of one", shop, { rule: viewer }, "RuleNotContained"],
    [
      "a rule of another namespace",
      shop,
      { rule: rule({ role: "Viewer", targetClusters: ["prod"], targetNamespaces: [{ namespaceNames: ["pay"] }] }) },
      "RuleNotContained"
    ]
  ] as const)("refuses %s, and makes none", ([_name, caller, options, reason]) =>
    Effect.gen(function* () {
      const create = (yield* KeyIssuer).create(caller, { name: "ci", rule: shopViewer, ...options })
      assert.strictEqual(yield* reasonOf(create), reason)
      assert.strictEqual(yield* (yield* KeyStore).count, 0)
    }).pipe(Effect.provide(layers()))
  )

  it.effect("keeps to the longest lifetime of the deployment", () =>
    Effect.gen(function* () {
      const issuer = yield* KeyIssuer
      assert.strictEqual(
        yield* reasonOf(issuer.create(root, { name: "ci", rule: viewer, expire: "31d" })),
        "InvalidExpiry"
      )
      yield* issuer.create(root, { name: "ci", rule: viewer, expire: "30d" })
    }).pipe(Effect.provide(layers().pipe(Layer.provide(Layer.succeed(MaxLifetime, Duration.days(30))))))
  )

  it.effect.prop("never makes a key that reaches further than the caller", [SmallRule, SmallRule], ([asking, asked]) =>
    Effect.gen(function* () {
      const caller = callerWith(toRule(asking))
      const made = yield* Effect.result((yield* KeyIssuer).create(caller, { name: "ci", rule: toRule(asked) }))
      const may = caller.rule.role === "Admin" && RuleContainment.isWithin(toRule(asked), caller.rule)
      assert.strictEqual(made._tag, may ? "Success" : "Failure")
    }).pipe(Effect.provide(layers()))
  )
})

describe("listing keys", () => {
  const configured = layerConfigured([
    loaded({ id: "cfg_b", name: "beta", hash: hashOf("b"), rule: shopViewer }),
    loaded({ id: "cfg_a2", name: "alpha", hash: hashOf("c") }),
    loaded({ id: "cfg_a1", name: "alpha", hash: hashOf("d"), rule: shopViewer })
  ])

  const created = Effect.gen(function* () {
    const store = yield* KeyStore
    const hashes = ["1", "2", "3", "4", "5"]
    for (const [index, digit] of hashes.entries()) {
      yield* store.insert(
        record({
          id: `key_${digit}`,
          hash: hashOf(digit),
          rule: index % 2 === 0 ? shopViewer : viewer,
          createdAt: DateTime.makeUnsafe(1_000 - index)
        })
      )
    }
  })

  it.effect.each([1, 2, 3, 7, 8, 500])("shows everything to an unscoped Admin, in order, %i at a time", (limit) =>
    Effect.gen(function* () {
      yield* created
      const pages = yield* listAll(root, limit)
      assert.deepStrictEqual(idsOf(pages), ["cfg_a1", "cfg_a2", "cfg_b", "key_5", "key_4", "key_3", "key_2", "key_1"])
      assert.isTrue(pages.every((page) => page.length > 0 && page.length <= limit))
    }).pipe(Effect.provide(layers(configured)))
  )

  it.effect.each([1, 2, 4, 5])("shows a scoped Admin the keys of its own realm alone, %i at a time", (limit) =>
    Effect.gen(function* () {
      yield* created
      assert.deepStrictEqual(idsOf(yield* listAll(shop, limit)), ["cfg_a1", "cfg_b", "key_5", "key_3", "key_1"])
    }).pipe(Effect.provide(layers(configured)))
  )

  it.effect("says nothing of keys in between that the caller may not see", () =>
    Effect.gen(function* () {
      const store = yield* KeyStore
      for (let index = 0; index < 1_200; index++) {
        const hash = KeyHash.KeyHash.make(String(index).padStart(64, "0"))
        yield* store.insert(
          record({ id: `key_${String(index).padStart(5, "0")}`, hash, rule: index % 400 === 0 ? shopViewer : viewer })
        )
      }
      assert.deepStrictEqual(idsOf(yield* listAll(shop, 2)), ["key_00000", "key_00400", "key_00800"])
    }).pipe(Effect.provide(layers()))
  )

  it.effect("keeps its place while keys come and go", () =>
    Effect.gen(function* () {
      yield* created
      const issuer = yield* KeyIssuer
      const store = yield* KeyStore
      const first = yield* issuer.list(root, { limit: 5 })
      assert.deepStrictEqual(idsOf([first.apiKeys]), ["cfg_a1", "cfg_a2", "cfg_b", "key_5", "key_4"])
      yield* store.insert(record({ id: "key_0", hash: hashOf("0"), createdAt: epoch }))
      yield* store.revoke("key_4", epoch)
      const second = yield* issuer.list(root, {
        limit: 5,
        ...(first.next === undefined ? {} : { position: first.next })
      })
      assert.deepStrictEqual(idsOf([second.apiKeys]), ["key_3", "key_2", "key_1"])
    }).pipe(Effect.provide(layers(configured)))
  )

  it.effect("shows configured keys without a start, and the status of each", () =>
    Effect.gen(function* () {
      const store = yield* KeyStore
      const inDays = (days: number) => ({ expiresAt: DateTime.addDuration(epoch, Duration.days(days)) })
      yield* store.insert(record({ id: "key_1", hash: hashOf("1"), ...inDays(8) }))
      yield* store.insert(record({ id: "key_2", hash: hashOf("2"), ...inDays(7) }))
      yield* store.insert(record({ id: "key_3", hash: hashOf("3"), ...inDays(0) }))
      yield* store.insert(record({ id: "key_4", hash: hashOf("4"), ...inDays(0), revokedAt: epoch }))
      const { apiKeys } = yield* (yield* KeyIssuer).list(root, { limit: 10 })
      assert.deepStrictEqual(
        apiKeys.map(({ id, source, start, status }) => ({ id, source, start, status })),
        [
          { id: "cfg_1", source: "configured", start: undefined, status: "active" },
          { id: "key_1", source: "created", start: "qd_abcdef", status: "active" },
          { id: "key_2", source: "created", start: "qd_abcdef", status: "expiring" },
          { id: "key_3", source: "created", start: "qd_abcdef", status: "expired" },
          { id: "key_4", source: "created", start: "qd_abcdef", status: "revoked" }
        ]
      )
      assert.deepStrictEqual(
        apiKeys.map(({ revokedAt }) => revokedAt),
        [undefined, undefined, undefined, undefined, epoch]
      )
      const secrets = ["hash", "index", "loadedAt"]
      for (const apiKey of apiKeys) assert.isTrue(secrets.every((field) => !Object.hasOwn(apiKey, field)))
    }).pipe(Effect.provide(layers(layerConfigured([loaded({ id: "cfg_1", hash: hashOf("9") })]))))
  )

  it.effect.each(["", "x", "W10", "eyJhIjoxfQ", "=", Buffer.from('["created",-1,"key_1"]').toString("base64url")])(
    "refuses the position %j, which no page gave",
    (position) =>
      Effect.gen(function* () {
        assert.strictEqual(yield* reasonOf((yield* KeyIssuer).list(root, { limit: 1, position })), "InvalidPosition")
      }).pipe(Effect.provide(layers()))
  )

  it.effect.each([
    ["a Viewer", watcher],
    ["an Operator", operator]
  ] as const)("is refused to %s", ([_name, caller]) =>
    Effect.gen(function* () {
      const issuer = yield* KeyIssuer
      assert.strictEqual(yield* reasonOf(issuer.list(caller, { limit: 1 })), "RoleForbidden")
      assert.strictEqual(yield* reasonOf(issuer.get(caller, caller.keyId)), "RoleForbidden")
    }).pipe(Effect.provide(layers()))
  )
})

describe("one key", () => {
  const configured = layerConfigured([
    loaded({ id: "cfg_shop", hash: hashOf("b"), rule: shopViewer }),
    loaded({ id: "cfg_wide", hash: hashOf("c") })
  ])
  const created = Effect.gen(function* () {
    const store = yield* KeyStore
    yield* store.insert(record({ id: "key_inside", hash: hashOf("1"), rule: shopViewer }))
    yield* store.insert(record({ id: "key_wide", hash: hashOf("2") }))
    yield* store.insert(record({ id: "key_watcher", hash: hashOf("3"), lastUsedAt: epoch }))
  })
  const statusOf = (id: string) =>
    Effect.flatMap(KeyIssuer, (issuer) => Effect.map(issuer.get(root, id), ({ status }) => status))

  it.effect("is shown to an Admin whose rule contains it, and does not exist for others", () =>
    Effect.gen(function* () {
      yield* created
      const issuer = yield* KeyIssuer
      for (const id of ["key_inside", "cfg_shop"]) assert.strictEqual((yield* issuer.get(shop, id)).id, id)
      for (const id of ["key_wide", "cfg_wide", "key_none", ""]) {
        assert.strictEqual(yield* reasonOf(issuer.get(shop, id)), "KeyNotFound")
      }
    }).pipe(Effect.provide(layers(configured)))
  )

  it.effect("is revoked by an Admin whose rule contains it, once and for ever", () =>
    Effect.gen(function* () {
      yield* created
      const issuer = yield* KeyIssuer
      yield* issuer.revoke(shop, "key_inside")
      assert.strictEqual(yield* statusOf("key_inside"), "revoked")
      yield* issuer.revoke(shop, "key_inside")
      for (const id of ["key_wide", "cfg_wide", "key_none"]) {
        assert.strictEqual(yield* reasonOf(issuer.revoke(shop, id)), "KeyNotFound")
      }
      assert.strictEqual(yield* statusOf("key_wide"), "active")
    }).pipe(Effect.provide(layers(configured)))
  )

  it.effect("of the configuration is revoked there alone, by Admin and owner alike", () =>
    Effect.gen(function* () {
      const issuer = yield* KeyIssuer
      assert.strictEqual(yield* reasonOf(issuer.revoke(shop, "cfg_shop")), "KeyConfigured")
      const owner = { ...callerWith(shopViewer, "cfg_shop"), source: "configured" as const }
      assert.strictEqual(yield* reasonOf(issuer.revoke(owner, "cfg_shop")), "KeyConfigured")
    }).pipe(Effect.provide(layers(configured)))
  )

  it.effect("is revoked by its owner whatever its role, and a Viewer revokes no other, existing or not", () =>
    Effect.gen(function* () {
      yield* created
      const issuer = yield* KeyIssuer
      for (const id of ["key_inside", "key_none", "cfg_shop"]) {
        assert.strictEqual(yield* reasonOf(issuer.revoke(watcher, id)), "RoleForbidden")
      }
      yield* issuer.revoke(watcher, watcher.keyId)
      assert.strictEqual(yield* statusOf(watcher.keyId), "revoked")
    }).pipe(Effect.provide(layers(configured)))
  )

  it.effect("knows itself, with its last use", () =>
    Effect.gen(function* () {
      yield* created
      const issuer = yield* KeyIssuer
      const own = yield* issuer.whoami(watcher)
      assert.deepStrictEqual(own.lastUsedAt, epoch)
      assert.strictEqual(own.id, watcher.keyId)
      assert.strictEqual((yield* issuer.whoami(callerWith(viewer, "cfg_wide"))).source, "configured")
      assert.strictEqual(yield* reasonOf(issuer.whoami(callerWith(viewer, "cfg_gone"))), "KeyNotFound")
    }).pipe(Effect.provide(layers(configured)))
  )
})
