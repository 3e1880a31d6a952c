/**
 * Session store in memory, for tests and for trials without a disk.
 */
import { DateTime, Effect, Layer, Option } from "effect"
import { KeyStoreError, StoreFailed } from "../KeyError.ts"
import type { SessionHash } from "./SessionId.ts"
import { ownerText, type SessionRecord, SessionStore } from "./SessionStore.ts"

const make = Effect.sync(() => {
  const sessions = new Map<SessionHash, SessionRecord>()
  const forget = (isForgotten: (record: SessionRecord) => boolean) => {
    for (const record of [...sessions.values()].filter(isForgotten)) sessions.delete(record.hash)
  }

  return SessionStore.of({
    insert: Effect.fnUntraced(function* (record, { createdBefore, lastUsedBefore, perOwner }) {
      if (sessions.has(record.hash)) {
        const cause = new Error("the hash is taken")
        return yield* new KeyStoreError({ reason: new StoreFailed({ operation: "insertSession", cause }) })
      }
      forget(
        ({ createdAt, lastUsedAt }) =>
          DateTime.isLessThan(createdAt, createdBefore) || DateTime.isLessThan(lastUsedAt, lastUsedBefore)
      )
      const ofOwner = [...sessions.values()]
        .filter(({ owner }) => ownerText(owner) === ownerText(record.owner))
        .toSorted((one, other) => DateTime.Order(other.createdAt, one.createdAt))
      for (const { hash } of ofOwner.slice(perOwner - 1)) sessions.delete(hash)
      sessions.set(record.hash, record)
    }),
    find: (hash) => Effect.sync(() => Option.fromUndefinedOr(sessions.get(hash))),
    newest: (count) =>
      Effect.sync(() =>
        [...sessions.values()]
          .toSorted((one, other) => DateTime.Order(other.lastUsedAt, one.lastUsedAt))
          .slice(0, count)
          .map(({ hash }) => hash)
      ),
    touch: (hash, at) =>
      Effect.sync(() => {
        const record = sessions.get(hash)
        if (record !== undefined) sessions.set(hash, { ...record, lastUsedAt: DateTime.max(record.lastUsedAt, at) })
      }),
    replaceOwner: (hash, owner) =>
      Effect.sync(() => {
        const record = sessions.get(hash)
        if (record !== undefined) sessions.set(hash, { ...record, owner })
      }),
    remove: (hash) => Effect.sync(() => forget((record) => record.hash === hash)),
    removeOfOwner: (text) => Effect.sync(() => forget(({ owner }) => ownerText(owner) === text))
  })
})

export const layerMemory: Layer.Layer<SessionStore> = Layer.effect(SessionStore, make)
