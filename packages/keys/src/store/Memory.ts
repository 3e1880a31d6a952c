/**
 * Key store in memory, for tests and for trials without a disk.
 */
import { DateTime, Effect, Layer, Option } from "effect"
import { KeyStoreError, MakerFull, StoreFailed } from "../KeyError.ts"
import type { KeyHash } from "../KeyHash.ts"
import {
  type Change,
  type KeyRecord,
  KeyStore,
  lineOf,
  order,
  type Page,
  type Quota,
  type Rotation,
  type Use
} from "../KeyStore.ts"

const make = Effect.sync(() => {
  const byId = new Map<string, KeyRecord>()
  const idByHash = new Map<KeyHash, string>()

  const isLive = ({ expiresAt, revokedAt }: KeyRecord, at: DateTime.Utc) =>
    revokedAt === undefined && (expiresAt === undefined || DateTime.isGreaterThan(expiresAt, at))
  const countLive = (maker: string | undefined, at: DateTime.Utc): number =>
    maker === undefined ? 0 : [...byId.values()].filter((record) => record.maker === maker && isLive(record, at)).length

  const insert = Effect.fnUntraced(function* (record: KeyRecord, quota?: Quota) {
    const { maker } = record
    if (maker !== undefined && quota !== undefined && countLive(maker, quota.at) >= quota.most) {
      return yield* new KeyStoreError({ reason: new MakerFull({}) })
    }
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

  const revokeNow = (id: string, at: DateTime.Utc, by?: string): KeyRecord | undefined => {
    const record = byId.get(id)
    if (record !== undefined && record.revokedAt === undefined) {
      byId.set(id, { ...record, revokedAt: at, ...(by === undefined ? {} : { revokedBy: by }) })
    }
    return byId.get(id)
  }
  const revoke = (id: string, at: DateTime.Utc, by?: string) =>
    Effect.sync(() => Option.fromUndefinedOr(revokeNow(id, at, by)))
  const revokeAll = (ids: ReadonlyArray<string>, at: DateTime.Utc, by?: string) =>
    Effect.sync(() => ids.flatMap((id) => revokeNow(id, at, by) ?? []))

  const findLiving = (lines: ReadonlyArray<string>, at: DateTime.Utc) =>
    Effect.sync(() => {
      const asked = new Set(lines)
      const living = [...byId.values()].filter((record) => asked.has(lineOf(record)) && isLive(record, at))
      return new Set(living.map(lineOf))
    })

  const update = (id: string, change: Change) =>
    Effect.sync(() => {
      const record = byId.get(id)
      if (record === undefined || record.revokedAt !== undefined) return Option.none()
      const { description, ...changed } = { ...record, ...change }
      const described = description === undefined || description === "" ? changed : { ...changed, description }
      byId.set(id, described)
      return Option.some(described)
    })

  const rotate = Effect.fnUntraced(function* (id: string, { at, endsAt, quota, successor }: Rotation) {
    const record = byId.get(id)
    if (record === undefined || record.revokedAt !== undefined) return Option.none()
    const { expiresAt = endsAt } = record
    const ended = { ...record, rotatedAt: at, expiresAt: DateTime.min(expiresAt, endsAt) }
    // If the old key ends now, its successor takes its place in the quota. A key with a grace period still counts.
    const isFreed =
      quota !== undefined && record.maker === successor.maker && isLive(record, quota.at) && !isLive(ended, quota.at)
    yield* insert(successor, isFreed ? undefined : quota)
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
  return KeyStore.of({ insert, findByHash, find, findLiving, list, revoke, revokeAll, update, rotate, touch, count })
})

export const layerMemory: Layer.Layer<KeyStore> = Layer.effect(KeyStore, make)
