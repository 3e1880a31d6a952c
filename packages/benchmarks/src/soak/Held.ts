/**
 * Whether this process, in which the clusters are, had its loop held for so long that they did not answer a probe.
 */
import { Clock, Effect, Ref } from "effect"

/**
 * The usual time between two looks at the loop, and the one above which it was held, in milliseconds: a probe has
 * 1.5 s, and its other half is on the way already.
 */
const TICK_MS = 100
const HELD_MS = 700
const REMEMBERED_MS = 30_000

/** Watches the loop until the scope ends. **Shape** gives whether it was held a moment ago. */
export const watch = Effect.gen(function* () {
  const heldAt = yield* Ref.make(Number.NEGATIVE_INFINITY)
  const tick = Effect.gen(function* () {
    const before = yield* Clock.currentTimeMillis
    yield* Effect.sleep(TICK_MS)
    const now = yield* Clock.currentTimeMillis
    if (now - before > HELD_MS) yield* Ref.set(heldAt, now)
  })
  yield* Effect.forkScoped(Effect.forever(tick))
  return Effect.zipWith(Clock.currentTimeMillis, Ref.get(heldAt), (now, at) => now - at < REMEMBERED_MS)
})
