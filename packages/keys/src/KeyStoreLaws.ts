/**
 * The laws of a key store, as checks for your own implementation that any test runner can run.
 *
 * **Example**
 *
 * ```ts
 * for (const { check, name } of KeyStoreLaws.laws) {
 *   test(name, () => Effect.runPromise(Effect.provide(check, Layer.fresh(ownStore))))
 * }
 * ```
 */
import { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { DateTime, Effect, Option, Result } from "effect"
import assert from "node:assert/strict"
import type { KeyStoreError } from "./KeyError.ts"
import { KeyHash } from "./KeyHash.ts"
import { type KeyRecord, KeyStore, order } from "./KeyStore.ts"
import { Rule } from "./Rule.ts"

/**
 * A law. Its name describes the behaviour of a correct store.
 *
 * **Errors** `check` dies with an `AssertionError` that shows the actual and the expected value.
 */
export interface Law {
  readonly name: string
  /** Checks the law on an empty store. The check leaves keys in the store. */
  readonly check: Effect.Effect<void, KeyStoreError, KeyStore>
}

const at = (text: string): DateTime.Utc => DateTime.makeUnsafe(text)

const hashOf = (digit: string): KeyHash => KeyHash.make(digit.repeat(64))

const record = (fields: Partial<KeyRecord> & Pick<KeyRecord, "id" | "hash">): KeyRecord => ({
  name: fields.id,
  start: "qd_abcdef",
  rule: { role: "Viewer" },
  createdAt: at("2026-01-01T00:00:00Z"),
  ...fields
})

/** A key with every field. */
const full = record({
  id: "key_full",
  hash: hashOf("a"),
  name: "every field, with a snowman \u2603",
  rule: Rule.make({
    role: "Admin",
    targetClusters: [ClusterName.make("prod")],
    targetNamespaces: [{ namespaceNames: ["shop"], labelSelector: { matchLabels: { team: "checkout" } } }]
  }),
  description: "every field",
  allowFrom: ["203.0.113.0/24", "2001:db8::/32"],
  createdBy: "key_root",
  line: "key_first",
  maker: "key_root",
  rotatedFrom: "key_before",
  rotatedAt: at("2028-06-01T00:00:00Z"),
  expiresAt: at("2030-01-01T00:00:00.123Z"),
  revokedAt: at("2029-01-01T00:00:00Z"),
  revokedBy: "key_root",
  lastUsedAt: at("2028-01-01T00:00:00Z")
})
/** A key with the required fields only. */
const bare = record({ id: "key_bare", hash: hashOf("b") })

/** The instant at which the quota is checked. */
const quotaAt = at("2026-03-01T00:00:00Z")

/** The instants of a rotation without a grace period. */
const atOnce = { at: at("2026-02-01T00:00:00Z"), endsAt: at("2026-02-01T00:00:00Z") }

type Store = KeyStore["Service"]

/** Converts a key to plain data, since equal `DateTime` values may differ in cached fields. */
const plain = (key: KeyRecord) =>
  Object.fromEntries(
    Object.entries(key).map(([name, value]) => [name, DateTime.isDateTime(value) ? DateTime.formatIso(value) : value])
  )

const isSame = (found: Option.Option<KeyRecord>, key: KeyRecord): void => {
  assert.ok(Option.isSome(found), `${key.id} is not found`)
  assert.deepEqual(plain(found.value), plain(key))
}

const law = (name: string, check: (store: Store) => Effect.Effect<void, KeyStoreError>): Law => ({
  name,
  check: Effect.flatMap(KeyStore, check)
})

/** Asserts that the store refuses a key. */
const isRefused = Effect.fnUntraced(function* <A>(taking: Effect.Effect<A, KeyStoreError>) {
  const taken = yield* Effect.result(taking)
  assert.ok(Result.isFailure(taken), "a key was taken whose id or hash another key has")
  assert.equal(taken.failure.reason._tag, "StoreFailed")
})

/** Returns the ids of all keys, read page by page. */
const readAll = Effect.fnUntraced(function* (store: Store, limit: number) {
  const ids: Array<string> = []
  let after: KeyRecord | undefined
  for (;;) {
    const page = yield* store.list({ limit, ...(after === undefined ? {} : { after }) })
    assert.ok(page.length <= limit, `a page of at most ${limit} keys has ${page.length}`)
    ids.push(...page.map(({ id }) => id))
    after = page.at(-1)
    if (after === undefined) return ids
  }
})

/** All laws. Each is independent of the others. */
export const laws: ReadonlyArray<Law> = [
  law(
    "gives back a key by id and by hash as it was stored",
    Effect.fnUntraced(function* (store) {
      for (const key of [full, bare]) yield* store.insert(key)
      for (const key of [full, bare]) {
        isSame(yield* store.find(key.id), key)
        isSame(yield* store.findByHash(key.hash), key)
      }
    })
  ),
  law(
    "finds nothing for an id or a hash that it does not know",
    Effect.fnUntraced(function* (store) {
      assert.ok(Option.isNone(yield* store.find("key_bare")))
      assert.ok(Option.isNone(yield* store.findByHash(hashOf("b"))))
      yield* store.insert(bare)
      assert.ok(Option.isSome(yield* store.findByHash(hashOf("b"))))
      assert.ok(Option.isNone(yield* store.findByHash(hashOf("c"))))
    })
  ),
  law(
    "refuses a second key with the same id or the same hash, and keeps the first",
    Effect.fnUntraced(function* (store) {
      yield* store.insert(bare)
      for (const second of [
        { ...full, id: bare.id },
        { ...full, hash: bare.hash }
      ]) {
        yield* isRefused(store.insert(second))
      }
      isSame(yield* store.find(bare.id), bare)
      assert.equal(yield* store.count, 1)
    })
  ),
  law(
    "lists the oldest first, then by id, page by page, with nothing twice and nothing left out",
    Effect.fnUntraced(function* (store) {
      const keys = ["3c", "1b", "2a", "1a", "3a", "2b", "3b"].map((name, index) =>
        record({ id: `key_${name}`, hash: hashOf(String(index)), createdAt: at(`2026-01-0${name[0]}T00:00:00Z`) })
      )
      for (const key of keys) yield* store.insert(key)
      const ids = keys.toSorted(order).map(({ id }) => id)
      for (const limit of [1, 3, 7, 500]) assert.deepEqual(yield* readAll(store, limit), ids)
    })
  ),
  law(
    "keeps its place in the list while keys come and go",
    Effect.fnUntraced(function* (store) {
      const older = record({ id: "key_m", hash: hashOf("1"), createdAt: at("2026-01-02T00:00:00Z") })
      const newer = record({ id: "key_n", hash: hashOf("2"), createdAt: at("2026-01-03T00:00:00Z") })
      yield* store.insert(older)
      yield* store.insert(newer)
      yield* store.insert(record({ id: "key_before", hash: hashOf("3"), createdAt: at("2026-01-01T00:00:00Z") }))
      yield* store.revoke(older.id, at("2026-02-01T00:00:00Z"))
      assert.deepEqual((yield* store.list({ limit: 5, after: older })).map(plain), [plain(newer)])
      const gone = { createdAt: older.createdAt, id: "key_zzz" }
      assert.deepEqual((yield* store.list({ limit: 5, after: gone })).map(plain), [plain(newer)])
    })
  ),
  law(
    "keeps a revoked key, with the instant of its first revocation and who did it",
    Effect.fnUntraced(function* (store) {
      yield* store.insert(bare)
      const revoked = { ...bare, revokedAt: at("2026-02-01T00:00:00Z"), revokedBy: "key_root" }
      isSame(yield* store.revoke(bare.id, revoked.revokedAt, "key_root"), revoked)
      isSame(yield* store.revoke(bare.id, at("2026-03-01T00:00:00Z"), "key_other"), revoked)
      isSame(yield* store.findByHash(bare.hash), revoked)
      assert.equal(yield* store.count, 1)
    })
  ),
  law(
    "says that there was nothing to revoke",
    Effect.fnUntraced(function* (store) {
      assert.ok(Option.isNone(yield* store.revoke("key_none", at("2026-02-01T00:00:00Z"))))
    })
  ),
  law(
    "changes the name, description, rule and addresses of a key, and nothing else",
    Effect.fnUntraced(function* (store) {
      yield* store.insert(bare)
      const renamed = { ...bare, name: "renamed" }
      isSame(yield* store.update(bare.id, { name: "renamed" }), renamed)
      const narrowed = { ...renamed, rule: full.rule }
      isSame(yield* store.update(bare.id, { rule: full.rule }), narrowed)
      isSame(yield* store.update(bare.id, {}), narrowed)
      const described = { ...narrowed, description: "for the shop", allowFrom: ["203.0.113.0/24"] }
      isSame(
        yield* store.update(bare.id, { description: described.description, allowFrom: described.allowFrom }),
        described
      )
      isSame(yield* store.update(bare.id, {}), described)
      isSame(yield* store.update(bare.id, { description: "" }), { ...narrowed, allowFrom: described.allowFrom })
      isSame(yield* store.findByHash(bare.hash), { ...narrowed, allowFrom: described.allowFrom })
    })
  ),
  law(
    "revokes several keys at once, and keeps an earlier revocation",
    Effect.fnUntraced(function* (store) {
      yield* store.insert(bare)
      yield* store.insert(full)
      const revokedAt = at("2029-06-01T00:00:00Z")
      const revoked = yield* store.revokeAll([full.id, bare.id, "key_none"], revokedAt, "key_other")
      assert.deepEqual(revoked.map(({ id }) => id).toSorted(), [bare.id, full.id])
      isSame(yield* store.findByHash(full.hash), full)
      isSame(yield* store.findByHash(bare.hash), { ...bare, revokedAt, revokedBy: "key_other" })
      assert.deepEqual(yield* store.revokeAll([], revokedAt), [])
    })
  ),
  law(
    "finds the lines that have a valid key",
    Effect.fnUntraced(function* (store) {
      yield* store.insert(bare)
      yield* store.insert(full)
      const next = record({ id: "key_next", hash: hashOf("1"), line: bare.id, expiresAt: quotaAt })
      yield* store.insert(next)
      const before = at("2026-02-28T00:00:00Z")
      assert.deepEqual(yield* store.findLiving([bare.id, full.line ?? "", "key_none"], before), new Set([bare.id]))
      yield* store.revoke(bare.id, before)
      assert.deepEqual(yield* store.findLiving([bare.id], before), new Set([bare.id]))
      assert.deepEqual(yield* store.findLiving([bare.id], quotaAt), new Set())
      assert.deepEqual(yield* store.findLiving([], before), new Set())
    })
  ),
  law(
    "adds no key beyond the quota of its maker, however many are added at once",
    Effect.fnUntraced(function* (store) {
      const quota = { most: 3, at: quotaAt }
      const made = (index: number) =>
        record({ id: `key_made${index}`, hash: hashOf(index.toString(16)), maker: "key_root" })
      yield* store.insert(record({ id: "key_expired", hash: hashOf("e"), maker: "key_root", expiresAt: quotaAt }))
      const outcomes = yield* Effect.forEach(
        Array.from({ length: 8 }, (_, index) => made(index)),
        (key) => Effect.result(store.insert(key, quota)),
        { concurrency: "unbounded" }
      )
      const refused = outcomes.filter(Result.isFailure)
      assert.deepEqual(
        refused.map(({ failure }) => failure.reason._tag),
        Array<string>(5).fill("MakerFull")
      )
      assert.equal(yield* store.count, 4)
      yield* store.insert(record({ id: "key_other", hash: hashOf("9"), maker: "key_other" }), quota)
      yield* store.insert(record({ id: "key_first", hash: hashOf("8") }), quota)
    })
  ),
  law(
    "rotates a key at the quota of its maker only where the old one ends",
    Effect.fnUntraced(function* (store) {
      const old = record({ id: "key_old", hash: hashOf("1"), maker: "key_root" })
      yield* store.insert(old)
      const quota = { most: 1, at: quotaAt }
      const successor = record({ id: "key_new", hash: hashOf("2"), maker: "key_root", line: old.id })
      const later = DateTime.add(quotaAt, { hours: 1 })
      const refused = yield* Effect.result(store.rotate(old.id, { at: quotaAt, endsAt: later, successor, quota }))
      assert.ok(Result.isFailure(refused), "a rotation with grace passed the quota")
      assert.equal(refused.failure.reason._tag, "MakerFull")
      isSame(yield* store.find(old.id), old)
      assert.ok(Option.isSome(yield* store.rotate(old.id, { at: quotaAt, endsAt: quotaAt, successor, quota })))
      isSame(yield* store.find(successor.id), successor)
    })
  ),
  law(
    "puts one key in the place of another, which ends at the instant given or before",
    Effect.fnUntraced(function* (store) {
      const endsAt = at("2026-03-01T00:00:00Z")
      const rotatedAt = at("2026-02-01T00:00:00Z")
      const soon = record({ id: "key_soon", hash: hashOf("c"), expiresAt: at("2026-02-02T00:00:00Z") })
      for (const [old, digit] of [
        [bare, "1"],
        [soon, "2"]
      ] as const) {
        yield* store.insert(old)
        const successor = record({ id: `${old.id}_next`, hash: hashOf(digit), rotatedFrom: old.id })
        const ended = { ...old, rotatedAt, expiresAt: old.expiresAt ?? endsAt }
        isSame(yield* store.rotate(old.id, { at: rotatedAt, endsAt, successor }), ended)
        isSame(yield* store.findByHash(old.hash), ended)
        isSame(yield* store.findByHash(successor.hash), successor)
      }
    })
  ),
  law(
    "neither changes nor rotates a key that is revoked or unknown",
    Effect.fnUntraced(function* (store) {
      yield* store.insert(full)
      for (const id of [full.id, "key_none"]) {
        assert.ok(Option.isNone(yield* store.update(id, { name: "other" })))
        const successor = record({ id: "key_next", hash: hashOf("1") })
        assert.ok(Option.isNone(yield* store.rotate(id, { ...atOnce, successor })))
      }
      isSame(yield* store.find(full.id), full)
      assert.equal(yield* store.count, 1)
    })
  ),
  law(
    "ends no key whose successor has an id or a hash that is taken",
    Effect.fnUntraced(function* (store) {
      yield* store.insert(bare)
      yield* store.insert(full)
      for (const successor of [
        record({ id: "key_next", hash: full.hash }),
        record({ id: full.id, hash: hashOf("1") })
      ]) {
        yield* isRefused(store.rotate(bare.id, { ...atOnce, successor }))
        isSame(yield* store.find(bare.id), bare)
      }
      assert.equal(yield* store.count, 2)
    })
  ),
  law(
    "notes the latest use of each key, whatever order uses arrive in",
    Effect.fnUntraced(function* (store) {
      yield* store.insert(bare)
      yield* store.touch([
        { id: bare.id, at: at("2026-02-02T00:00:00Z") },
        { id: "key_none", at: at("2026-02-02T00:00:00Z") },
        { id: bare.id, at: at("2026-02-01T00:00:00Z") }
      ])
      yield* store.touch([])
      isSame(yield* store.find(bare.id), { ...bare, lastUsedAt: at("2026-02-02T00:00:00Z") })
    })
  )
]
