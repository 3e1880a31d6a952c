/** What every key store must do. */
import { assert, it } from "@effect/vitest"
import { Effect, type Layer, Option } from "effect"
import type { KeyStoreError } from "../../src/KeyError.ts"
import { KeyStore, order } from "../../src/KeyStore.ts"
import { admin, at, hashOf, record, shopAdmin } from "../samples.ts"

const full = record({
  id: "key_full",
  hash: hashOf("a"),
  name: "every field, with a snowman \u2603",
  rule: shopAdmin,
  createdBy: "key_root",
  rotatedFrom: "key_before",
  rotatedAt: at("2028-06-01T00:00:00Z"),
  expiresAt: at("2030-01-01T00:00:00.123Z"),
  revokedAt: at("2029-01-01T00:00:00Z"),
  revokedBy: "key_root",
  lastUsedAt: at("2028-01-01T00:00:00Z")
})
const bare = record({ id: "key_bare", hash: hashOf("b"), rule: admin })

export const keepsKeys = (layer: Layer.Layer<KeyStore, KeyStoreError>): void => {
  const check = <E>(name: string, body: (store: KeyStore["Service"]) => Effect.Effect<void, E>) =>
    it.effect(name, () =>
      Effect.gen(function* () {
        yield* body(yield* KeyStore)
      }).pipe(Effect.provide(layer))
    )

  check("gives back a key by id and by hash as it was stored", (store) =>
    Effect.gen(function* () {
      for (const key of [full, bare]) yield* store.insert(key)
      for (const key of [full, bare]) {
        assert.deepStrictEqual(yield* store.find(key.id), Option.some(key))
        assert.deepStrictEqual(yield* store.findByHash(key.hash), Option.some(key))
      }
    })
  )

  check("finds nothing for an id or a hash that it does not know", (store) =>
    Effect.gen(function* () {
      assert.isTrue(Option.isNone(yield* store.find("key_bare")))
      assert.isTrue(Option.isNone(yield* store.findByHash(hashOf("b"))))
      yield* store.insert(bare)
      assert.isTrue(Option.isSome(yield* store.findByHash(hashOf("b"))))
    })
  )

  check("refuses a second key with the same id or the same hash, and keeps the first", (store) =>
    Effect.gen(function* () {
      yield* store.insert(bare)
      for (const second of [
        { ...full, id: bare.id },
        { ...full, hash: bare.hash }
      ]) {
        const error = yield* Effect.flip(store.insert(second))
        assert.strictEqual(error.reason._tag, "StoreFailed")
      }
      assert.deepStrictEqual(yield* store.find(bare.id), Option.some(bare))
      assert.strictEqual(yield* store.count, 1)
    })
  )

  check("lists the oldest first, then by id, page by page, with nothing twice and nothing left out", (store) =>
    Effect.gen(function* () {
      const keys = ["3c", "1b", "2a", "1a", "3a", "2b", "3b"].map((name, index) =>
        record({ id: `key_${name}`, hash: hashOf(String(index)), createdAt: at(`2026-01-0${name[0]}T00:00:00Z`) })
      )
      for (const key of keys) yield* store.insert(key)
      const seen: Array<string> = []
      let after: { readonly after?: typeof bare } = {}
      for (;;) {
        const page = yield* store.list({ limit: 3, ...after })
        assert.isAtMost(page.length, 3)
        seen.push(...page.map(({ id }) => id))
        const last = page.at(-1)
        if (last === undefined) break
        after = { after: last }
      }
      assert.deepStrictEqual(
        seen,
        keys.toSorted(order).map(({ id }) => id)
      )
    })
  )

  check("keeps its place in the list while keys come and go", (store) =>
    Effect.gen(function* () {
      const older = record({ id: "key_m", hash: hashOf("1"), createdAt: at("2026-01-02T00:00:00Z") })
      const newer = record({ id: "key_n", hash: hashOf("2"), createdAt: at("2026-01-03T00:00:00Z") })
      yield* store.insert(older)
      yield* store.insert(newer)
      yield* store.insert(record({ id: "key_before", hash: hashOf("3"), createdAt: at("2026-01-01T00:00:00Z") }))
      yield* store.revoke(older.id, at("2026-02-01T00:00:00Z"))
      assert.deepStrictEqual(yield* store.list({ limit: 5, after: older }), [newer])
      assert.deepStrictEqual(yield* store.list({ limit: 5, after: { createdAt: older.createdAt, id: "key_zzz" } }), [
        newer
      ])
    })
  )

  check("keeps a revoked key, with the instant of its first revocation and who did it", (store) =>
    Effect.gen(function* () {
      yield* store.insert(bare)
      const revoked = { ...bare, revokedAt: at("2026-02-01T00:00:00Z"), revokedBy: "key_root" }
      assert.deepStrictEqual(yield* store.revoke(bare.id, revoked.revokedAt, "key_root"), Option.some(revoked))
      assert.deepStrictEqual(
        yield* store.revoke(bare.id, at("2026-03-01T00:00:00Z"), "key_other"),
        Option.some(revoked)
      )
      assert.deepStrictEqual(yield* store.findByHash(bare.hash), Option.some(revoked))
      assert.strictEqual(yield* store.count, 1)
    })
  )

  check("says that there was nothing to revoke", (store) =>
    Effect.gen(function* () {
      assert.isTrue(Option.isNone(yield* store.revoke("key_none", at("2026-02-01T00:00:00Z"))))
    })
  )

  check("changes the name, the rule or both of a key, and nothing else", (store) =>
    Effect.gen(function* () {
      yield* store.insert(bare)
      const renamed = { ...bare, name: "renamed" }
      assert.deepStrictEqual(yield* store.update(bare.id, { name: "renamed" }), Option.some(renamed))
      const narrowed = { ...renamed, rule: shopAdmin }
      assert.deepStrictEqual(yield* store.update(bare.id, { rule: shopAdmin }), Option.some(narrowed))
      assert.deepStrictEqual(yield* store.update(bare.id, {}), Option.some(narrowed))
      assert.deepStrictEqual(yield* store.findByHash(bare.hash), Option.some(narrowed))
    })
  )

  check("puts one key in the place of another, which ends at the instant given or before", (store) =>
    Effect.gen(function* () {
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
        assert.deepStrictEqual(yield* store.rotate(old.id, { at: rotatedAt, endsAt, successor }), Option.some(ended))
        assert.deepStrictEqual(yield* store.findByHash(old.hash), Option.some(ended))
        assert.deepStrictEqual(yield* store.findByHash(successor.hash), Option.some(successor))
      }
    })
  )

  check("neither changes nor rotates a key that is revoked or unknown", (store) =>
    Effect.gen(function* () {
      yield* store.insert(full)
      const rotation = {
        ...{ at: at("2026-02-01T00:00:00Z"), endsAt: at("2026-02-01T00:00:00Z") },
        successor: record({ id: "key_next", hash: hashOf("1") })
      }
      for (const id of [full.id, "key_none"]) {
        assert.isTrue(Option.isNone(yield* store.update(id, { name: "other" })))
        assert.isTrue(Option.isNone(yield* store.rotate(id, rotation)))
      }
      assert.deepStrictEqual(yield* store.find(full.id), Option.some(full))
      assert.strictEqual(yield* store.count, 1)
    })
  )

  check("ends no key whose successor has an id or a hash that is taken", (store) =>
    Effect.gen(function* () {
      yield* store.insert(bare)
      yield* store.insert(full)
      const instants = { at: at("2026-02-01T00:00:00Z"), endsAt: at("2026-02-01T00:00:00Z") }
      const error = yield* Effect.flip(store.rotate(bare.id, { ...instants, successor: { ...bare, id: "key_next" } }))
      assert.strictEqual(error.reason._tag, "StoreFailed")
      assert.deepStrictEqual(yield* store.find(bare.id), Option.some(bare))
    })
  )

  check("notes the latest use of each key, whatever order uses arrive in", (store) =>
    Effect.gen(function* () {
      yield* store.insert(bare)
      yield* store.touch([
        { id: bare.id, at: at("2026-02-02T00:00:00Z") },
        { id: "key_none", at: at("2026-02-02T00:00:00Z") },
        { id: bare.id, at: at("2026-02-01T00:00:00Z") }
      ])
      yield* store.touch([])
      assert.deepStrictEqual(
        yield* store.find(bare.id),
        Option.some({ ...bare, lastUsedAt: at("2026-02-02T00:00:00Z") })
      )
    })
  )
}
