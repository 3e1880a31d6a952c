/**
 * Keeps keys in memory: for tests, and for trying the service without a disk.
 */
import { DateTime, Effect, Layer, Option } from "effect"
import { KeyStoreError, StoreFailed } from "../KeyError.ts"
import type { KeyHash } from "../KeyHash.ts"
import { type Change, type KeyRecord, KeyStore, order, type Page, type Rotation, type Use } from "../KeyStore.ts"

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

  const update = (id: string, change: Change) =>
    Effect.sync(() => {
      const record = byId.get(id)
      if (record === undefined || record.revokedAt !== undefined) return Option.none()
      const changed = { ...record, ...change }
      byId.set(id, changed)
      return Option.some(changed)
    })

  const rotate = Effect.fnUntraced(function* (id: string, { at, endsAt, successor }: Rotation) {
    const record = byId.get(id)
    if (record === undefined || record.revokedAt !== undefined) return Option.none()
    yield* insert(successor)
    const { expiresAt = endsAt } = record
    const ended = { ...record, rotatedAt: at, expiresAt: DateTime.min(expiresAt, endsAt) }
    byId.set(id, ended)
    return Option.some(ended)
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

  const count = Effect.sync(() => byId.size)
  return KeyStore.of({ insert, findByHash, find, list, revoke, update, rotate, touch, count })
})

export const layerMemory: Layer.Layer<KeyStore> = Layer.effect(KeyStore, make)
