/**
 * Remembers which key has which hash, so that most requests ask no store.
 */
import { Cache, Context, Duration, Effect, Exit, Layer, Option } from "effect"
import { CurrentKeyEpoch } from "../KeyEpoch.ts"
import type { KeyStoreError } from "../KeyError.ts"
import type { KeyHash } from "../KeyHash.ts"
import { type KeyRecord, KeyStore } from "../KeyStore.ts"

/**
 * How many keys are remembered, and for how long.
 *
 * **Units** `timeToLive` bounds how late this process learns of a revocation by another one: below 5 s.
 */
export const CacheLimits = Context.Reference("@quarterdeck/keys/store/Cached/CacheLimits", {
  defaultValue: () => ({ capacity: 10_000, timeToLive: Duration.seconds(2) })
})

type Found = Exit.Exit<Option.Option<KeyRecord>, KeyStoreError>

/**
 * Remembers the answers of the store below it to `findByHash`; unknown hashes and failures are asked again.
 *
 * **Shape** once `revoke`, `revokeAll`, `update` or `rotate` has returned, no later look-up in this process sees the key as it was
 * before: an entry enters the cache before its look-up asks the store and never after, and each of them ends by emptying
 * the cache, so what is found later was asked for later. Only a change that failed for want of an answer may hold up to
 * `timeToLive` later.
 *
 * **Limits** {@link CacheLimits}; concurrent look-ups of one hash share one read.
 */
export const layerCached: Layer.Layer<KeyStore, never, KeyStore> = Layer.effect(
  KeyStore,
  Effect.gen(function* () {
    const inner = yield* KeyStore
    const limits = yield* CacheLimits
    const epoch = yield* CurrentKeyEpoch
    // A look-up runs up to its first wait before the cache keeps its entry; waiting first puts the entry in before it.
    const lookUp = (hash: KeyHash) => Effect.andThen(Effect.yieldNow, inner.findByHash(hash))
    const cache = yield* Cache.makeWith<KeyHash, Option.Option<KeyRecord>, KeyStoreError>(lookUp, {
      capacity: limits.capacity,
      timeToLive: (found: Found) =>
        Exit.isSuccess(found) && Option.isSome(found.value) ? limits.timeToLive : Duration.zero
    })
    const forgetting = <A, E>(change: Effect.Effect<A, E>) =>
      Effect.uninterruptible(
        Effect.ensuring(change, Effect.andThen(Cache.invalidateAll(cache), Effect.sync(epoch.raise)))
      )
    return KeyStore.of({
      // One by one: a store of the host's own may be a class, whose methods no spread copies.
      insert: (record, quota) => inner.insert(record, quota),
      find: (id) => inner.find(id),
      findLiving: (lines, at) => inner.findLiving(lines, at),
      list: (options) => inner.list(options),
      touch: (uses) => inner.touch(uses),
      count: inner.count,
      findByHash: (hash) => Cache.get(cache, hash),
      revoke: (id, at, by) => forgetting(inner.revoke(id, at, by)),
      revokeAll: (ids, at, by) => forgetting(inner.revokeAll(ids, at, by)),
      update: (id, change) => forgetting(inner.update(id, change)),
      rotate: (id, rotation) => forgetting(inner.rotate(id, rotation))
    })
  })
)
