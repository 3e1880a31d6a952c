/** Shares one run among those who ask for the same thing before it begins; who comes later waits for the next. */
import { Deferred, Effect, Fiber } from "effect"
import type * as FairLanes from "./FairLanes.ts"
import type { FiberRoster } from "./FiberRoster.ts"

/**
 * Runs an effect once for all who ask for its key before it begins.
 *
 * **Limits** a run begins when a lane is free for any of those who share it, and has that lane until it leaves it or
 * ends. It keeps no answer, and is interrupted when nobody awaits it any more.
 */
export interface CoalescedRuns<K extends WeakKey, A, E> {
  readonly run: (key: K, turn: FairLanes.Turn, effect: (begun: Begun<E>) => Effect.Effect<A, E>) => Effect.Effect<A, E>
}

/** What a run has of its own. */
export interface Begun<E> {
  readonly lane: FairLanes.Ticket
  /** Fails the run, and interrupts what of it is under way. */
  readonly cut: (error: E) => void
}

interface Run<A, E> {
  hasBegun: boolean
  fiber: Fiber.Fiber<A, E> | undefined
  readonly result: Deferred.Deferred<A, E>
  readonly passengers: Set<Passenger>
}

interface Passenger {
  /** Done when the passenger has a lane, or the run one of another's. */
  readonly go: Deferred.Deferred<void>
  readonly ticket: FairLanes.Ticket
  isCarrier: boolean
}

/** Makes one whose runs are fibers of a roster. */
export const make = <K extends WeakKey, A, E>(
  lanes: FairLanes.FairLanes,
  fibers: FiberRoster
): CoalescedRuns<K, A, E> => {
  /** The runs that have not begun. A `Map` would keep what has left it, as `Roster` tells of a `Set`. */
  const gathering = new WeakMap<K, Run<A, E>>()

  const board = (key: K, turn: FairLanes.Turn) => {
    const run: Run<A, E> = gathering.get(key) ?? {
      hasBegun: false,
      fiber: undefined,
      result: Deferred.makeUnsafe(),
      passengers: new Set()
    }
    gathering.set(key, run)
    const go = Deferred.makeUnsafe<void>()
    const ticket = lanes.join(turn, () => Deferred.doneUnsafe(go, Effect.void))
    const passenger: Passenger = { go, ticket, isCarrier: false }
    run.passengers.add(passenger)
    return { passenger, run }
  }

  const depart = (key: K, run: Run<A, E>, passenger: Passenger, effect: (begun: Begun<E>) => Effect.Effect<A, E>) =>
    Effect.suspend(() => {
      if (run.hasBegun) return passenger.ticket.leave
      run.hasBegun = true
      passenger.isCarrier = true
      gathering.delete(key)
      for (const { go } of run.passengers) Deferred.doneUnsafe(go, Effect.void)
      const cut = (error: E) => {
        Deferred.doneUnsafe(run.result, Effect.fail(error))
        run.fiber?.interruptUnsafe()
      }
      const running = Effect.suspend(() => effect({ lane: passenger.ticket, cut })).pipe(
        Effect.ensuring(passenger.ticket.leave),
        Effect.onExit((exit) => Deferred.done(run.result, exit))
      )
      return Effect.map(fibers.fork(running), (fiber) => {
        run.fiber = fiber
      })
    }).pipe(Effect.uninterruptible)

  const leave = (key: K, run: Run<A, E>, passenger: Passenger): Effect.Effect<void> =>
    Effect.suspend(() => {
      run.passengers.delete(passenger)
      const left = passenger.isCarrier ? Effect.void : passenger.ticket.leave
      if (run.passengers.size > 0) return left
      if (gathering.get(key) === run) gathering.delete(key)
      return run.fiber === undefined ? left : Effect.andThen(left, Fiber.interrupt(run.fiber))
    })

  return {
    run: (key, turn, effect) =>
      Effect.acquireUseRelease(
        Effect.sync(() => board(key, turn)),
        ({ passenger, run }) =>
          Deferred.await(passenger.go).pipe(
            // Those who ask in the same moment come along.
            Effect.andThen(Effect.yieldNow),
            Effect.andThen(depart(key, run, passenger, effect)),
            Effect.andThen(Deferred.await(run.result))
          ),
        ({ passenger, run }) => leave(key, run, passenger)
      )
  }
}
