import { assert, describe, it } from "@effect/vitest"
import { DateTime, Duration, Effect, Layer, Result } from "effect"
import { TestClock } from "effect/testing"
import { KeyConfig } from "../src/KeyConfig.ts"
import { KeyIssuer, MakerLimits } from "../src/KeyIssuer.ts"
import { KeyStore } from "../src/KeyStore.ts"
import * as Person from "../src/Person.ts"
import type { Principal } from "../src/Principal.ts"
import { layerMemory } from "../src/store/Memory.ts"
import { layerSqlite } from "../src/store/sqlite/Sqlite.ts"
import { callerWith } from "./caller.ts"
import { layerConfigured, loaded } from "./configuredKeys.ts"
import { admin, at, hashOf, record, shopAdmin, viewer } from "./samples.ts"
import { temporaryDirectory } from "./temporaryDirectory.ts"

const root = callerWith(admin, "key_root")
const rootRecord = record({ id: "key_root", hash: hashOf("0"), rule: admin })

const layers = (config: Layer.Layer<KeyConfig> = KeyConfig.layerNone) =>
  KeyIssuer.layer.pipe(Layer.provideMerge(Layer.merge(layerMemory, config)))

const reasonOf = <A, R>(call: Effect.Effect<A, { readonly reason: { readonly _tag: string } }, R>) =>
  Effect.map(Effect.flip(call), ({ reason }) => reason._tag)

/** A created key as the caller of a request. */
const holding = ({ id, ...key }: { readonly id: string } & Pick<Principal["Service"], "rule">): Principal["Service"] =>
  callerWith(key.rule, id)

const statusesOf = Effect.map(
  Effect.flatMap(KeyIssuer, (issuer) => issuer.list(root, { limit: 100 })),
  ({ apiKeys }) => Object.fromEntries(apiKeys.map(({ name, status }) => [name, status]))
)

describe("a key that is revoked with its children", () => {
  /** `root` creates `a`, `a` creates `b`, `b` is rotated to `c`, `c` creates `d`; `root` creates `other`. */
  const family = Effect.gen(function* () {
    const issuer = yield* KeyIssuer
    yield* (yield* KeyStore).insert(rootRecord)
    const a = (yield* issuer.create(root, { name: "a", rule: admin })).apiKey
    const b = (yield* issuer.create(holding(a), { name: "b", rule: shopAdmin })).apiKey
    const c = (yield* issuer.rotate(holding(b), b.id)).apiKey
    const d = (yield* issuer.create(holding(c), { name: "d", rule: shopAdmin })).apiKey
    yield* issuer.create(root, { name: "other", rule: viewer })
    return { issuer, a, b, c, d }
  })

  it.effect("ends with each valid key that descends from it, and no other", () =>
    Effect.gen(function* () {
      const { a, b, c, issuer } = yield* family
      assert.strictEqual(yield* issuer.countDescendants(root, a.id), 2)
      const revoked = yield* issuer.revokeFamily(root, a.id)
      assert.strictEqual(revoked.descendants, 2)
      assert.strictEqual(revoked.apiKey.status, "revoked")
      const { b: _both, ...statuses } = yield* statusesOf
      assert.deepStrictEqual(statuses, { key_root: "active", other: "active", a: "revoked", d: "revoked" })
      // A key that expired by its rotation stays expired.
      assert.strictEqual((yield* issuer.get(root, b.id)).status, "expired")
      assert.strictEqual((yield* issuer.get(root, c.id)).status, "revoked")
      assert.strictEqual(yield* issuer.countDescendants(root, a.id), 0)
    }).pipe(Effect.provide(layers()))
  )

  it.effect("takes its children with it after it was revoked alone", () =>
    Effect.gen(function* () {
      const { a, issuer } = yield* family
      const before = yield* issuer.revoke(root, a.id)
      yield* TestClock.adjust("1 minute")
      const { apiKey, descendants } = yield* issuer.revokeFamily(root, a.id)
      assert.strictEqual(descendants, 2)
      assert.deepStrictEqual(apiKey.revokedAt, before.revokedAt)
    }).pipe(Effect.provide(layers()))
  )

  it.effect("is left alone, and all of its children, where one lies outside the caller's rule", () =>
    Effect.gen(function* () {
      const { issuer } = yield* family
      const store = yield* KeyStore
      yield* store.insert(record({ id: "key_shop", hash: hashOf("1"), rule: shopAdmin }))
      yield* store.insert(record({ id: "key_inside", hash: hashOf("2"), rule: shopAdmin, createdBy: "key_shop" }))
      yield* store.insert(record({ id: "key_beyond", hash: hashOf("3"), rule: viewer, createdBy: "key_inside" }))
      const shop = callerWith(shopAdmin, "key_other")
      const refused = yield* Effect.flip(issuer.revokeFamily(shop, "key_shop"))
      assert.strictEqual(refused.reason._tag, "DescendantNotContained")
      const statuses = yield* statusesOf
      assert.deepStrictEqual(
        [statuses["key_shop"], statuses["key_inside"], statuses["key_beyond"]],
        ["active", "active", "active"]
      )
      // Expired and revoked descendants are not revoked again, and never cause a refusal.
      yield* store.revoke("key_beyond", at("1970-01-01T00:00:00Z"))
      assert.strictEqual((yield* issuer.revokeFamily(shop, "key_shop")).descendants, 1)
    }).pipe(Effect.provide(layers()))
  )

  it.effect("stays where no Admin of everything would be left outside the family, unless that is forced", () =>
    Effect.gen(function* () {
      const { a, issuer } = yield* family
      yield* issuer.revokeFamily(root, a.id)
      assert.strictEqual(yield* reasonOf(issuer.revokeFamily(root, "key_root")), "LastAdmin")
      const second = (yield* issuer.create(root, { name: "second", rule: admin })).apiKey
      // `second` is an Admin without a scope too, but it descends from root and would be revoked as well.
      assert.strictEqual(yield* reasonOf(issuer.revokeFamily(root, "key_root")), "LastAdmin")
      assert.strictEqual((yield* issuer.get(root, second.id)).status, "active")
      assert.strictEqual((yield* issuer.revokeFamily(root, "key_root", { force: true })).descendants, 2)
    }).pipe(Effect.provide(layers()))
  )

  it.effect("is for Admins alone, even itself", () =>
    Effect.gen(function* () {
      const { issuer } = yield* family
      const own = (yield* issuer.create(root, { name: "own", rule: viewer })).apiKey
      assert.strictEqual(yield* reasonOf(issuer.revokeFamily(holding(own), own.id)), "RoleForbidden")
      assert.strictEqual((yield* issuer.revoke(holding(own), own.id)).status, "revoked")
    }).pipe(Effect.provide(layers()))
  )

  it.effect("makes no key once it is revoked, though the call was let in before", () =>
    Effect.gen(function* () {
      const { d, issuer } = yield* family
      yield* issuer.revokeFamily(root, d.id)
      assert.strictEqual(yield* reasonOf(issuer.create(holding(d), { name: "late", rule: shopAdmin })), "KeyEnded")
      const { id } = (yield* issuer.create(root, { name: "of another", rule: shopAdmin })).apiKey
      assert.strictEqual(yield* reasonOf(issuer.rotate(holding(d), id)), "KeyEnded")
    }).pipe(Effect.provide(layers()))
  )
})

describe("the maker of a key", () => {
  it.effect("is gone once it is revoked, expired or unknown, and not by being rotated", () =>
    Effect.gen(function* () {
      const issuer = yield* KeyIssuer
      const store = yield* KeyStore
      yield* store.insert(rootRecord)
      const maker = (yield* issuer.create(root, { name: "maker", rule: admin, expire: "30d" })).apiKey
      const made = yield* issuer
        .create(holding(maker), { name: "made", rule: viewer, expire: "60d" })
        .pipe(Effect.map(({ apiKey }) => apiKey))
      const isGone = Effect.map(issuer.get(root, made.id), (key) => key.isMakerGone)
      assert.isUndefined(yield* isGone)
      const successor = (yield* issuer.rotate(holding(maker), maker.id)).apiKey
      assert.isUndefined(yield* isGone)
      yield* issuer.revoke(root, successor.id)
      assert.isTrue(yield* isGone)
      const listed = (yield* issuer.list(root, { limit: 100 })).apiKeys.filter((key) => key.isMakerGone === true)
      assert.deepStrictEqual(
        listed.map(({ name }) => name),
        ["made"]
      )
      assert.isTrue((yield* issuer.whoami(holding(made))).isMakerGone)
      // A maker that expires is gone from that instant on.
      const brief = (yield* issuer.create(root, { name: "brief", rule: admin, expire: "1d" })).apiKey
      const left = (yield* issuer.create(holding(brief), { name: "left", rule: viewer })).apiKey
      yield* TestClock.adjust("1 day")
      assert.isTrue((yield* issuer.get(root, left.id)).isMakerGone)
    }).pipe(Effect.provide(layers()))
  )

  it.effect("is gone with its entry of the configuration, and a person is not", () =>
    Effect.gen(function* () {
      const store = yield* KeyStore
      const made = { rule: viewer }
      yield* store.insert(record({ id: "key_1", hash: hashOf("1"), ...made, createdBy: "cfg_1", maker: "cfg_1" }))
      yield* store.insert(record({ id: "key_2", hash: hashOf("2"), ...made, createdBy: "cfg_2", maker: "cfg_2" }))
      yield* store.insert(record({ id: "key_3", hash: hashOf("3"), ...made, createdBy: "oidc:a", maker: "oidc:a" }))
      const { apiKeys } = yield* (yield* KeyIssuer).list(root, { limit: 100 })
      assert.deepStrictEqual(
        apiKeys.filter(({ source }) => source === "created").map(({ isMakerGone }) => isMakerGone),
        [undefined, true, undefined]
      )
    }).pipe(Effect.provide(layers(layerConfigured([loaded({ id: "cfg_1", hash: hashOf("a") })]))))
  )
})

describe("the keys of one maker", () => {
  const limited = <A, E, R>(maxPerMaker: number, effect: Effect.Effect<A, E, R>) =>
    Effect.provideService(effect, MakerLimits, { maxPerMaker, maxLifetimeOfPeople: undefined })

  it.live("never pass the limit, however many are made at once", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const stored = KeyIssuer.layer.pipe(
        Layer.provideMerge(Layer.merge(layerSqlite({ directory }), KeyConfig.layerNone))
      )
      const made = Effect.gen(function* () {
        const issuer = yield* KeyIssuer
        yield* (yield* KeyStore).insert(rootRecord)
        return yield* Effect.forEach(
          Array.from({ length: 200 }, (_, index) => `k${index}`),
          (name) => Effect.result(issuer.create(root, { name, rule: viewer })),
          { concurrency: "unbounded" }
        )
      })
      const results = yield* limited(50, Effect.provide(made, stored))
      assert.strictEqual(results.filter(Result.isSuccess).length, 50)
      const reasons = results.filter(Result.isFailure).map(({ failure }) => failure.reason._tag)
      assert.deepStrictEqual([...new Set(reasons)], ["TooManyKeys"])
    }).pipe(Effect.scoped)
  )

  it.effect("count for it after a rotation too, by itself or by others, and no longer once they have ended", () =>
    limited(
      3,
      Effect.gen(function* () {
        const issuer = yield* KeyIssuer
        yield* (yield* KeyStore).insert(rootRecord)
        const maker = (yield* issuer.create(root, { name: "maker", rule: admin })).apiKey
        const make = (by: Principal["Service"]) =>
          Effect.map(issuer.create(by, { name: "k", rule: viewer }), ({ apiKey }) => apiKey)
        const [first, second, third] = [
          yield* make(holding(maker)),
          yield* make(holding(maker)),
          yield* make(holding(maker))
        ]
        const firstNext = (yield* issuer.rotate(holding(first), first.id)).apiKey
        yield* issuer.rotate(root, second.id)
        assert.strictEqual(yield* reasonOf(make(holding(maker))), "TooManyKeys")
        // A rotation with a grace period would leave four live keys.
        assert.strictEqual(yield* reasonOf(issuer.rotate(holding(third), third.id, { grace: "1d" })), "TooManyKeys")
        // A rotated maker keeps its count.
        const successor = (yield* issuer.rotate(holding(maker), maker.id)).apiKey
        assert.strictEqual(yield* reasonOf(make(holding(successor))), "TooManyKeys")
        yield* issuer.revoke(root, firstNext.id)
        yield* make(holding(successor))
        assert.strictEqual(yield* reasonOf(make(holding(successor))), "TooManyKeys")
        yield* make(root)
      }).pipe(Effect.provide(layers()))
    )
  )
})

describe("a key that a person makes", () => {
  const person = Person.principalOf({ subject: "u1", name: "Ada", groups: [] }, admin, at("1970-01-01T00:00:00Z"))
  const within = <A, E, R>(maxLifetimeOfPeople: Duration.Duration | undefined, effect: Effect.Effect<A, E, R>) =>
    Effect.provideService(effect, MakerLimits, { maxPerMaker: 10, maxLifetimeOfPeople })

  it.effect("is given an end within the longest lifetime of people's keys", () =>
    within(
      Duration.days(90),
      Effect.gen(function* () {
        const issuer = yield* KeyIssuer
        const create = (expire?: string) =>
          issuer.create(person, { name: "ci", rule: viewer, ...(expire === undefined ? {} : { expire }) })
        const missing = yield* Effect.flip(create())
        assert.strictEqual(missing.reason._tag, "InvalidExpiry")
        assert.include(missing.message, "is required")
        assert.include(missing.message, "1970-04-01")
        assert.strictEqual(yield* reasonOf(create("91d")), "InvalidExpiry")
        const { apiKey } = yield* create("90d")
        assert.deepStrictEqual(apiKey.expiresAt, DateTime.makeUnsafe(90 * 86_400_000))
        // A rotation keeps an expiry within the longest lifetime, and refuses a later one.
        assert.deepStrictEqual((yield* issuer.rotate(person, apiKey.id)).apiKey.expiresAt, apiKey.expiresAt)
        yield* (yield* KeyStore).insert(record({ id: "key_endless", hash: hashOf("1"), rule: viewer }))
        assert.strictEqual(yield* reasonOf(issuer.rotate(person, "key_endless")), "InvalidExpiry")
        yield* issuer.rotate(person, "key_endless", { expire: "30d" })
        // The longest lifetime of people's keys does not apply to keys that keys create.
        assert.isUndefined((yield* issuer.create(root, { name: "ci", rule: viewer })).apiKey.expiresAt)
      }).pipe(Effect.provide(layers()))
    )
  )

  it.effect("never ends where no such lifetime is set", () =>
    within(
      undefined,
      Effect.gen(function* () {
        const { apiKey } = yield* (yield* KeyIssuer).create(person, { name: "ci", rule: viewer })
        assert.isUndefined(apiKey.expiresAt)
      }).pipe(Effect.provide(layers()))
    )
  )
})

describe("the addresses of a key", () => {
  const office = ["203.0.113.0/24"]
  const inOffice: Principal["Service"] = { ...root, allowFrom: office }

  it.effect("lie inside its maker's, and are its maker's where none are given", () =>
    Effect.gen(function* () {
      const issuer = yield* KeyIssuer
      const create = (allowFrom?: ReadonlyArray<string>) =>
        issuer.create(inOffice, { name: "ci", rule: viewer, ...(allowFrom === undefined ? {} : { allowFrom }) })
      assert.deepStrictEqual((yield* create()).apiKey.allowFrom, office)
      assert.deepStrictEqual((yield* create(["203.0.113.7"])).apiKey.allowFrom, ["203.0.113.7/32"])
      assert.strictEqual(yield* reasonOf(create(["0.0.0.0/0"])), "AllowFromNotContained")
      assert.strictEqual(yield* reasonOf(create(["203.0.113.7/24"])), "InvalidAllowFrom")
      assert.strictEqual(yield* reasonOf(create([])), "InvalidAllowFrom")
      assert.isUndefined((yield* issuer.create(root, { name: "ci", rule: viewer })).apiKey.allowFrom)
    }).pipe(Effect.provide(layers()))
  )

  it.effect("are narrowed and never widened, and stay over a rotation, as its description does", () =>
    Effect.gen(function* () {
      const issuer = yield* KeyIssuer
      const { apiKey } = yield* issuer.create(root, { name: "ci", rule: viewer, description: "of the shop" })
      const update = (allowFrom: ReadonlyArray<string>, by = root) => issuer.update(by, apiKey.id, { allowFrom })
      assert.strictEqual(yield* reasonOf(update(["10.0.0.0/8"], inOffice)), "AllowFromNotContained")
      assert.deepStrictEqual((yield* update(office)).allowFrom, office)
      assert.strictEqual(yield* reasonOf(update(["203.0.112.0/23"])), "AllowFromNotContained")
      const rotated = (yield* issuer.rotate(root, apiKey.id)).apiKey
      assert.deepStrictEqual(rotated.allowFrom, office)
      assert.strictEqual(rotated.description, "of the shop")
      const bare = yield* issuer.update(root, rotated.id, { description: "" })
      assert.isUndefined(bare.description)
    }).pipe(Effect.provide(layers()))
  )

  it.effect("keep a caller from a secret that works from more addresses than its own", () =>
    Effect.gen(function* () {
      const issuer = yield* KeyIssuer
      const { apiKey } = yield* issuer.create(root, { name: "ci", rule: viewer })
      assert.strictEqual(yield* reasonOf(issuer.rotate(inOffice, apiKey.id)), "AllowFromNotContained")
    }).pipe(Effect.provide(layers()))
  )

  it.effect.each([
    ["a bidirectional override", "ci\u202Eexe"],
    ["a zero-width space", "c\u200Bi"],
    ["a zero-width joiner", "c\u200Di"],
    ["a byte order mark", "\uFEFFci"],
    ["a soft hyphen", "c\u00ADi"],
    ["a tag character", "ci\u{E0041}"],
    ["a line separator", "c\u2028i"],
    ["a control character", "c\u0007i"]
  ] as const)("come with a name and a description without %s", ([_name, text]) =>
    Effect.gen(function* () {
      const issuer = yield* KeyIssuer
      const create = (fields: { readonly name: string; readonly description?: string }) =>
        issuer.create(root, { rule: viewer, ...fields })
      assert.strictEqual(yield* reasonOf(create({ name: text })), "InvalidKeyName")
      assert.strictEqual(yield* reasonOf(create({ name: "ci", description: text })), "InvalidDescription")
      assert.strictEqual(yield* reasonOf(create({ name: "ci", description: "x".repeat(257) })), "InvalidDescription")
      yield* create({ name: "Schiff \u{1F6A2} \u05D0\u05D1", description: "\u{1F6A2}".repeat(256) })
    }).pipe(Effect.provide(layers()))
  )
})
