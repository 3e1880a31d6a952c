/**
 * Has requests of the same words wait for the one of them that is on the ordinary way.
 */
import { Effect } from "effect"
import type { HotRequest } from "./HotRequest.ts"
import type { Moment, Moments } from "./Moment.ts"

/** An ordinary way that may lead to a reply that is kept, and who waits for it. */
export interface Flight {
  readonly asked: HotRequest
  readonly moment: Moment
  readonly waiting: Array<() => void>
}

export interface RequestCoalescing {
  /** Notes that a request takes the ordinary way. **Shape** `source` is Node's request, by which its flight is found again. */
  readonly begin: (asked: HotRequest, source: object) => void
  /**
   * Has `proceed` called once the like of a request has ended its way; gives whether there is one whose reply could be given.
   *
   * **Limits** it waits for `maxAgeMs` at most: what takes longer is too old for it.
   */
  readonly join: (asked: HotRequest, proceed: () => void) => boolean
  /** Finds the flight of a request, once. */
  readonly take: (source: object) => Flight | undefined
  /** Forgets the flights that began before a moment: one whose client left has no end. */
  readonly dropBefore: (madeAt: number) => void
  /** Ends a flight, and has those proceed who waited for it, after whoever is served at the moment. */
  readonly end: (flight: Flight) => void
}

export const make = Effect.fnUntraced(function* (
  moments: Moments,
  limits: { readonly maxAgeMs: number; readonly maxWaiting: number }
) {
  const services = yield* Effect.context<never>()
  const underWay = new Map<string, Flight>()
  const bySource = new WeakMap<object, Flight>()

  const land = (flight: Flight): void => {
    if (underWay.get(flight.asked.key) === flight) underWay.delete(flight.asked.key)
    for (const proceed of flight.waiting.splice(0)) proceed()
  }
  const landInTime = (flight: Flight) =>
    Effect.andThen(
      Effect.sleep(limits.maxAgeMs),
      Effect.sync(() => land(flight))
    )

  const flights: RequestCoalescing = {
    begin: (asked, source) => {
      const flight: Flight = { asked, moment: moments.now(), waiting: [] }
      underWay.set(asked.key, flight)
      bySource.set(source, flight)
    },
    join: (asked, proceed) => {
      const flight = underWay.get(asked.key)
      if (flight === undefined || !moments.isPresent(flight.moment)) return false
      if (flight.waiting.length >= limits.maxWaiting) return false
      if (flight.waiting.length === 0) Effect.runForkWith(services)(landInTime(flight))
      flight.waiting.push(proceed)
      return true
    },
    take: (source) => {
      const flight = bySource.get(source)
      bySource.delete(source)
      return flight
    },
    dropBefore: (madeAt) => {
      for (const [key, { moment }] of underWay) if (moment.madeAt < madeAt) underWay.delete(key)
    },
    end: (flight) => {
      if (flight.waiting.length === 0) land(flight)
      else setImmediate(land, flight)
    }
  }
  return flights
})
