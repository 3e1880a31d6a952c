/**
 * Cache of computed parts of overviews.
 */
import { Clock, Effect, Semaphore } from "effect"

/**
 * Maximum age of a part. Less than the 60 s that the API promises, because the reply with the part may itself be cached
 * for a moment.
 */
const MAX_AGE_MS = 55_000
/** Maximum number of parts. The oldest is evicted. */
const MAX_PARTS = 512
/** Maximum number of parts that are computed at the same time. */
const MAX_COMPUTING = 2

/** A part with the time at which its computation began. */
interface Kept<A> {
  readonly atMs: number
  readonly value: A
}

/**
 * Makes the function that returns a part by its key, computed now or up to 55 s ago.
 *
 * **Shape** `key` must identify everything that decides what the caller may see. Without a key, the part is always
 * computed.
 */
export const make = <A>() =>
  Effect.gen(function* () {
    const parts = new Map<string, Kept<A>>()
    const computing = yield* Semaphore.make(MAX_COMPUTING)

    const find = (key: string | undefined, nowMs: number): Kept<A> | undefined => {
      const kept = key === undefined ? undefined : parts.get(key)
      return kept !== undefined && nowMs - kept.atMs < MAX_AGE_MS && nowMs >= kept.atMs ? kept : undefined
    }
    const keep = (key: string, kept: Kept<A>): void => {
      parts.delete(key)
      const [oldest] = parts.keys()
      if (parts.size >= MAX_PARTS && oldest !== undefined) parts.delete(oldest)
      parts.set(key, kept)
    }

    return <E, R>(
      key: string | undefined,
      compute: (nowMs: number) => Effect.Effect<A, E, R>
    ): Effect.Effect<A, E, R> =>
      Effect.gen(function* () {
        const recent = find(key, yield* Clock.currentTimeMillis)
        if (recent !== undefined) return recent.value
        return yield* computing.withPermit(
          Effect.gen(function* () {
            const atMs = yield* Clock.currentTimeMillis
            // Another request may have computed the part while this one waited.
            const meanwhile = find(key, atMs)
            if (meanwhile !== undefined) return meanwhile.value
            const value = yield* compute(atMs)
            if (key !== undefined) keep(key, { atMs, value })
            return value
          })
        )
      })
  })
