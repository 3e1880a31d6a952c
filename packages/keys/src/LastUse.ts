/**
 * Records when keys were last used, and writes the times in the background.
 */
import { DateTime, Effect, type Scope } from "effect"
import type { KeyStore, Use } from "./KeyStore.ts"

/** Interval between writes. A last write happens when the scope closes. */
const INTERVAL = "1 minute"
/** Maximum number of keys recorded between two writes. Uses of further keys in the interval are dropped. */
const MAX_NOTED = 10_000

/** Records a use. **Limits** no I/O, constant time. */
export type Note = (id: string, nowMs: number) => void

/**
 * Starts the background writer, which writes all uses of an interval in one call.
 *
 * **Shape** uses that could not be written are retried with the next write. Closing the scope writes the remaining uses.
 */
export const make = Effect.fnUntraced(function* (
  store: KeyStore["Service"]
): Effect.fn.Return<Note, never, Scope.Scope> {
  let noted = new Map<string, number>()

  const note: Note = (id, nowMs) => {
    if (noted.size < MAX_NOTED || noted.has(id)) noted.set(id, nowMs)
  }

  const write = Effect.suspend(() => {
    if (noted.size === 0) return Effect.void
    const taken = noted
    noted = new Map()
    const uses = [...taken].map(([id, nowMs]): Use => ({ id, at: DateTime.makeUnsafe(nowMs) }))
    return store.touch(uses).pipe(
      Effect.catch((error) => {
        for (const [id, nowMs] of taken) note(id, Math.max(nowMs, noted.get(id) ?? nowMs))
        return Effect.logWarning("the last uses of keys could not be written; they are kept for the next write", error)
      })
    )
  })

  yield* Effect.addFinalizer(() => write)
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(INTERVAL), write)))
  return note
})
