import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Layer, Option } from "effect"
import { KeyStore } from "../src/KeyStore.ts"
import { laws } from "../src/KeyStoreLaws.ts"
import { layerMemory } from "../src/store/Memory.ts"
import { hashOf, record } from "./samples.ts"

type Store = KeyStore["Service"]

const someKey = record({ id: "key_some", hash: hashOf("c") })

/** Stores in memory, each of which breaks one law. */
const broken: Readonly<Record<string, (store: Store) => Partial<Store>>> = {
  "gives back a key by id and by hash as it was stored": (store) => ({
    insert: (key) => store.insert({ ...key, name: key.name.toUpperCase() })
  }),
  "finds nothing for an id or a hash that it does not know": (store) => ({
    findByHash: () => Effect.map(store.list({ limit: 1 }), ([first]) => Option.fromUndefinedOr(first))
  }),
  "refuses a second key with the same id or the same hash, and keeps the first": (store) => ({
    insert: (key) => Effect.ignore(store.insert(key))
  }),
  "lists the oldest first, then by id, page by page, with nothing twice and nothing left out": (store) => ({
    list: (page) => Effect.map(store.list(page), (keys) => keys.toReversed())
  }),
  "keeps its place in the list while keys come and go": (store) => ({
    list: ({ after, limit }) =>
      Effect.map(store.list({ limit: 1_000 }), (keys) => {
        const place = keys.findIndex(({ id }) => id === after?.id) + 1
        return keys.slice(place, place + limit)
      })
  }),
  "keeps a revoked key, with the instant of its first revocation and who did it": (store) => ({
    revoke: (id, at) => store.revoke(id, at)
  }),
  "says that there was nothing to revoke": (store) => ({
    revoke: (id, at, by) =>
      Effect.map(
        store.revoke(id, at, by),
        Option.orElseSome(() => someKey)
      )
  }),
  "changes the name, description, rule and addresses of a key, and nothing else": (store) => ({
    update: (id, { allowFrom: _allowFrom, ...change }) => store.update(id, change)
  }),
  "revokes several keys at once, and keeps an earlier revocation": (store) => ({
    revokeAll: (ids, at, by) => store.revokeAll(ids.slice(0, 1), at, by)
  }),
  "finds the lines that have a valid key": () => ({
    findLiving: (lines) => Effect.succeed(new Set(lines))
  }),
  "adds no key beyond the quota of its maker, however many are added at once": (store) => ({
    insert: (key) => store.insert(key)
  }),
  "rotates a key at the quota of its maker only where the old one ends": (store) => ({
    rotate: (id, { quota: _quota, ...rotation }) => store.rotate(id, rotation)
  }),
  "puts one key in the place of another, which ends at the instant given or before": (store) => ({
    rotate: (id, rotation) => store.rotate(id, { ...rotation, endsAt: rotation.at })
  }),
  "neither changes nor rotates a key that is revoked or unknown": (store) => ({
    rotate: (id, rotation) => Effect.tap(store.rotate(id, rotation), () => store.insert(rotation.successor))
  }),
  "ends no key whose successor has an id or a hash that is taken": (store) => ({
    rotate: (id, rotation) => Effect.tapError(store.rotate(id, rotation), () => store.revoke(id, rotation.at))
  }),
  "notes the latest use of each key, whatever order uses arrive in": (store) => ({
    touch: (uses) => Effect.forEach(uses.slice(-1), (use) => store.touch([use]), { discard: true })
  })
}

const brokenIn = (name: string) =>
  Layer.effect(
    KeyStore,
    Effect.map(KeyStore, (store) => KeyStore.of({ ...store, ...broken[name]?.(store) }))
  ).pipe(Layer.provide(layerMemory))

describe("the laws of key stores", () => {
  it("have a store that breaks each", () => {
    assert.sameMembers(
      laws.map(({ name }) => name),
      Object.keys(broken)
    )
  })

  for (const { check, name } of laws) {
    it.effect(`refuse a store that does not keep: ${name}`, () =>
      Effect.gen(function* () {
        assert.isTrue(Exit.isFailure(yield* Effect.exit(Effect.provide(check, brokenIn(name)))))
      })
    )
  }
})
