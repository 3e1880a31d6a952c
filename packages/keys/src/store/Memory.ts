/**
 * Keeps keys in memory: for tests, and for trying the service without a disk.
 */
import { DateTime, Effect, Layer, Option } from "effect"
import { KeyStoreError, StoreFailed } from "../KeyError.ts"
import type { KeyHash } from "../KeyHash.ts"
import { type KeyRecord, KeyStore, order, type Page, type Use } from "../KeyStore.ts"

const make = Effect.sync(() => {
  const byId = new Map<string, KeyRecord>()
  const idByHash = new Map<KeyHash, string>()

  const insert = Effect.fnUntraced(function* (record: KeyRecord) {
    if (byId.has(record.id) || idByHash.has(record.hash)) {
      const cause = new Error("the id or the hash is taken")
      return yield* new KeyStoreError({ reason: new StoreFailed({ operation: "insert", cause }) })
    }
    byId.set(record.id, record)
    idByHash.set(record.hash, record.id)
  })

  const find = (id: string) => Effect.sync(() => Option.fromUndefinedOr(byId.get(id)))

  const findByHash = (hash: KeyHash) => Effect.suspend(() => find(idByHash.get(hash) ?? ""))

  const list = ({ after, limit }: Page) =>
    Effect.sync(() =>
      [...byId.values()]
        .filter((record) => after === undefined || order(record, after) > 0)
        .toSorted(order)
        .slice(0, limit)
    )

  const revoke = (id: string, at: DateTime.Utc, by?: string) =>
    Effect.sync(() => {
      const record = byId.get(id)
      if (record !== undefined && record.revokedAt === undefined) {
        byId.set(id, { ...record, revokedAt: at, ...(by === undefined ? {} : { revokedBy: by }) })
      }
      return Option.fromUndefinedOr(byId.get(id))
    })

  const touch = (uses: ReadonlyArray<Use>) =>
    Effect.sync(() => {
      for (const { at, id } of uses) {
        const record = byId.get(id)
        if (record === undefined) continue
        const { lastUsedAt = at } = record
        byId.set(id, { ...record, lastUsedAt: DateTime.max(lastUsedAt, at) })
      }
    })

  return KeyStore.of({ insert, findByHash, find, list, revoke, touch, count: Effect.sync(() => byId.size) })
})

export const layerMemory: Layer.Layer<KeyStore> = Layer.effect(KeyStore, make)
