/** Forks fibers that end with a scope. */
import { Effect, Fiber, type Scope } from "effect"
import { Roster } from "./Roster.ts"

/**
 * Forks as `Effect.forkIn` does for one scope, whose finalizers are a `Map`, in which fibers that come and go outlive their use:
 * see `Roster`.
 */
export interface FiberRoster {
  /** Starts a fiber at once. **Shape** once the scope has ended it is interrupted before it begins. */
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
        // It may have ended meanwhile.
        if (isOver) fiber.interruptUnsafe()
        fiber.addObserver(() => place.leave())
        return fiber
      })
    )
  return { fork }
})
