/**
 * Shares one run of an effect among all who ask for the same thing at the same time.
 *
 * @since 0.1.0
 */
import { Effect, Fiber, type Scope } from "effect"

interface Flight<A, E> {
  readonly fiber: Fiber.Fiber<A, E>
  passengers: number
}

/** **Limits** keeps no answer: who asks after a run has ended starts another. A run that nobody awaits is interrupted. */
export interface SingleFlight<A, E> {
  readonly run: (key: string, effect: Effect.Effect<A, E>) => Effect.Effect<A, E>
}

/** Makes one whose runs live in a scope. */
export const make = <A, E>(scope: Scope.Scope): SingleFlight<A, E> => {
  const flights = new Map<string, Flight<A, E>>()

  const board = Effect.fnUntraced(function* (key: string, effect: Effect.Effect<A, E>) {
    const known = flights.get(key)
    if (known !== undefined) {
      known.passengers++
      return known
    }
    const fiber = yield* Effect.forkIn(Effect.interruptible(effect), scope)
    const flight: Flight<A, E> = { fiber, passengers: 1 }
    flights.set(key, flight)
    fiber.addObserver(() => {
      if (flights.get(key) === flight) flights.delete(key)
    })
    return flight
  })

  const leave = (key: string, flight: Flight<A, E>): Effect.Effect<void> =>
    Effect.suspend(() => {
      flight.passengers--
      if (flight.passengers > 0) return Effect.void
      if (flights.get(key) === flight) flights.delete(key)
      return Fiber.interrupt(flight.fiber)
    })

  return {
    run: (key, effect) =>
      Effect.acquireUseRelease(
        board(key, effect),
        (flight) => Fiber.join(flight.fiber),
        (flight) => leave(key, flight)
      )
  }
}
