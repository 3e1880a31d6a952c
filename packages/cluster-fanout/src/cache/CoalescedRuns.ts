/** Shares one run among callers that ask for the same key before the run begins. Later callers share the next run. */
import { Deferred, Effect, Fiber } from "effect"
import type * as FairLanes from "./FairLanes.ts"
import type { FiberRoster } from "./FiberRoster.ts"

/**
 * Runs an effect once for all callers that ask for its key before the run begins.
 *
 * **Limits** a run begins when the first of its callers gets a lane (a permit of `FairLanes`). The run occupies that
 * lane until it releases the lane or ends. Results are not cached. A run without callers is interrupted.
 */
export interface CoalescedRuns<K extends WeakKey, A, E> {
  readonly run: (key: K, turn: FairLanes.Turn, effect: (begun: Begun<E>) => Effect.Effect<A, E>) => Effect.Effect<A, E>
}

/** Controls of a run that has begun. */
export interface Begun<E> {
  readonly lane: FairLanes.Ticket
  /** Fails the run and interrupts its work. */
  readonly cut: (error: E) => void
}

interface Run<A, E> {
  hasBegun: boolean
  fiber: Fiber.Fiber<A, E> | undefined
  readonly result: Deferred.Deferred<A, E>
  readonly callers: Set<Caller>
}

interface Caller {
  /** Done when this caller has a lane, or the run has begun in another caller's lane. */
  readonly ready: Deferred.Deferred<void>
  readonly ticket: FairLanes.Ticket
  hasLane: boolean
}

/** Makes coalesced runs. `fibers` forks their fibers, which end with its scope. */
export const make = <K extends WeakKey, A, E>(
  lanes: FairLanes.FairLanes,
  fibers: FiberRoster
): CoalescedRuns<K, A, E> => {
  /** Runs that have not begun. A `Map` would keep removed runs in memory, as `Roster` explains for a `Set`. */
  const pending = new WeakMap<K, Run<A, E>>()

  const joinRun = (key: K, turn: FairLanes.Turn) => {
    const run: Run<A, E> = pending.get(key) ?? {
      hasBegun: false,
      fiber: undefined,
      result: Deferred.makeUnsafe(),
      callers: new Set()
    }
    pending.set(key, run)
    const ready = Deferred.makeUnsafe<void>()
    const ticket = lanes.join(turn, () => Deferred.doneUnsafe(ready, Effect.void))
    const caller: Caller = { ready, ticket, hasLane: false }
    run.callers.add(caller)
    return { caller, run }
  }

  const beginRun = (key: K, run: Run<A, E>, caller: Caller, effect: (begun: Begun<E>) => Effect.Effect<A, E>) =>
    Effect.suspend(() => {
      if (run.hasBegun) return caller.ticket.leave
      run.hasBegun = true
      caller.hasLane = true
      pending.delete(key)
      for (const { ready } of run.callers) Deferred.doneUnsafe(ready, Effect.void)
      const cut = (error: E) => {
        Deferred.doneUnsafe(run.result, Effect.fail(error))
        run.fiber?.interruptUnsafe()
      }
      const running = Effect.suspend(() => effect({ lane: caller.ticket, cut })).pipe(
        Effect.ensuring(caller.ticket.leave),
        Effect.onExit((exit) => Deferred.done(run.result, exit))
      )
      return Effect.map(fibers.fork(running), (fiber) => {
        run.fiber = fiber
      })
    }).pipe(Effect.uninterruptible)

  const leave = (key: K, run: Run<A, E>, caller: Caller): Effect.Effect<void> =>
    Effect.suspend(() => {
      run.callers.delete(caller)
      const left = caller.hasLane ? Effect.void : caller.ticket.leave
      if (run.callers.size > 0) return left
      if (pending.get(key) === run) pending.delete(key)
      return run.fiber === undefined ? left : Effect.andThen(left, Fiber.interrupt(run.fiber))
    })

  return {
    run: (key, turn, effect) =>
      Effect.acquireUseRelease(
        Effect.sync(() => joinRun(key, turn)),
        ({ caller, run }) =>
          Deferred.await(caller.ready).pipe(
            // Lets callers that ask in the same turn of the event loop join the run.
            Effect.andThen(Effect.yieldNow),
            Effect.andThen(beginRun(key, run, caller, effect)),
            Effect.andThen(Deferred.await(run.result))
          ),
        ({ caller, run }) => leave(key, run, caller)
      )
  }
}
