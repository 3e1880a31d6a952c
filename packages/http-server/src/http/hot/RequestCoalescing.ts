/**
 * Coalesces identical in-flight requests (single flight).
 */
import { Effect } from "effect"
import type { IncomingMessage } from "node:http"
import type { HotRequest } from "./HotRequest.ts"
import type { Moment, Moments } from "./Moment.ts"

/** A request, and whether the same request was sent a moment before. */
export interface Coalesced extends HotRequest {
  readonly isRepeated: boolean
}

/** A request on the normal path whose reply may be reusable, and the identical requests that wait for it. */
export interface Flight {
  readonly asked: Coalesced
  readonly request: IncomingMessage
  readonly moment: Moment
  readonly waiting: Array<() => void>
}

export interface RequestCoalescing {
  /** Starts the flight of a request on the normal path. */
  readonly begin: (asked: Coalesced, request: IncomingMessage) => void
  /**
   * Calls `proceed` once the flight of an identical request has ended. Returns false if there is no such flight, or its
   * reply could not be used.
   *
   * **Limits** waits at most `maxAgeMs`, because a later reply would be too old; at most `maxWaiting` requests wait.
   */
  readonly join: (asked: HotRequest, proceed: () => void) => boolean
  /** Returns and removes the flight of a request. **Shape** `source` is Node's request. */
  readonly take: (source: object) => Flight | undefined
  /** Removes flights that started before a time. `end` is never called for a flight whose client disconnected. */
  readonly dropBefore: (madeAt: number) => void
  /** Ends a flight, and lets the waiting requests proceed in the next event loop iteration. */
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
    begin: (asked, request) => {
      const flight: Flight = { asked, request, moment: moments.now(), waiting: [] }
      underWay.set(asked.key, flight)
      bySource.set(request, flight)
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
