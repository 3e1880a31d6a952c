/**
 * Cache of keys by hash, so that most requests need no store lookup.
 */
import { Cache, Context, Duration, Effect, Exit, Layer, Option } from "effect"
import { CurrentKeyEpoch } from "../KeyEpoch.ts"
import type { KeyStoreError } from "../KeyError.ts"
import type { KeyHash } from "../KeyHash.ts"
import { type KeyRecord, KeyStore } from "../KeyStore.ts"

/**
 * Size of the cache and lifetime of its entries.
 *
 * **Limits** `timeToLive` bounds the time until a revocation by another process takes effect here, so it must be below 5 s.
 */
export const CacheLimits = Context.Reference("@quarterdeck/keys/store/Cached/CacheLimits", {
  defaultValue: () => ({ capacity: 10_000, timeToLive: Duration.seconds(2) })
})

type Found = Exit.Exit<Option.Option<KeyRecord>, KeyStoreError>

/**
 * Wraps a store and caches the results of `findByHash`. Unknown hashes and failures are not cached.
 *
 * **Shape** after `revoke`, `revokeAll`, `update` or `rotate` has returned, no later lookup in this process returns the old
 * key. Each of these calls ends by emptying the cache. A lookup adds its entry before it reads the store, never afterwards,
 * so the emptying also removes entries of running lookups. Only a change that timed out may become visible later, by at most
 * `timeToLive`.
 *
 * **Limits** {@link CacheLimits}; concurrent lookups of one hash share one read (single flight).
 */
export const layerCached: Layer.Layer<KeyStore, never, KeyStore> = Layer.effect(
  KeyStore,
  Effect.gen(function* () {
    const inner = yield* KeyStore
    const limits = yield* CacheLimits
    const epoch = yield* CurrentKeyEpoch
    // The cache adds an entry at the first suspension of its lookup. Yielding first adds the entry before the store is read.
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
      // Delegates each method: the inner store may be an instance of a class, whose methods a spread would not copy.
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
