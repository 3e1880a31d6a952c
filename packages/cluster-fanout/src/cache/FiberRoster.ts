/** Forks fibers that end with a scope. */
import { Effect, Fiber, type Scope } from "effect"
import { Roster } from "./Roster.ts"

/**
 * Forks fibers for one scope. `Effect.forkIn` keeps finalizers in a `Map`, which retains ended fibers in memory: see
 * `Roster`.
 */
export interface FiberRoster {
  /** Starts a fiber at once. **Shape** after the scope has ended, the fiber is interrupted before it begins. */
  readonly fork: <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<Fiber.Fiber<A, E>>
}

export const make: Effect.Effect<FiberRoster, never, Scope.Scope> = Effect.gen(function* () {
  const fibers = new Roster<Fiber.Fiber<unknown, unknown>>()
  let isOver = false
  yield* Effect.addFinalizer(() =>
    Effect.suspend(() => {
      isOver = true
      return Fiber.interruptAll(fibers.members())
    })
  )
  const fork = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<Fiber.Fiber<A, E>> =>
    Effect.suspend(() =>
      Effect.map(Effect.forkDetach(isOver ? Effect.interrupt : effect, { startImmediately: true }), (fiber) => {
        const place = fibers.join(fiber)
        // The scope may have ended while the fiber started.
        if (isOver) fiber.interruptUnsafe()
        fiber.addObserver(() => place.leave())
        return fiber
      })
    )
  return { fork }
})
