/**
 * Notes when keys were last used, off the path of requests.
 */
import { DateTime, Effect, type Scope } from "effect"
import type { KeyStore, Use } from "./KeyStore.ts"

/** Each key is written at most once in this time, and once more when the program ends. */
const INTERVAL = "1 minute"
/** Keys noted between two writes; the uses of further ones wait for the next interval. */
const MAX_NOTED = 10_000

/** Notes a use. **Limits** no I/O, constant time. */
export type Note = (id: string, nowMs: number) => void

/**
 * Writes what is noted, all keys of an interval in one call.
 *
 * **Shape** uses that the store did not take are noted again. What is still noted at the end of the scope is written then.
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
        return Effect.logWarning("the last uses of keys were not written; they are kept", error)
      })
    )
  })

  yield* Effect.addFinalizer(() => write)
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(INTERVAL), write)))
  return note
})
