/**
 * Limits concurrent work over all requests. A lane is the permit for one piece of work. Free lanes go to the requests
 * round robin, and in order within each request.
 */
import { Effect } from "effect"

/** The order of a piece of work in the queue. **Shape** within one request, lower places come first. */
export interface Turn {
  readonly request: number
  readonly place: number
}

/** Stands for a position in the queue, and for the lane once it is assigned. */
export interface Ticket {
  readonly isAdmitted: () => boolean
  /** Releases the position or the lane. Idempotent. */
  readonly leave: Effect.Effect<void>
}

export interface FairLanes {
  /** Joins the queue. **Shape** `onAdmitted` is called once a lane is assigned; immediately if one is free. */
  readonly join: (turn: Turn, onAdmitted: () => void) => Ticket
}

type State = "waiting" | "admitted" | "left"

interface Waiter extends Turn {
  state: State
  readonly onAdmitted: () => void
}

export const make = (lanes: number): FairLanes => {
  let free = lanes
  /** Waiters by request. Free lanes go to the requests in the order of the map. */
  const waiting = new Map<number, ReadonlyArray<Waiter>>()

  const setWaiting = (request: number, waiters: ReadonlyArray<Waiter>) => {
    if (waiters.length === 0) waiting.delete(request)
    else waiting.set(request, waiters)
  }

  const admit = (waiter: Waiter) => {
    waiter.state = "admitted"
    waiter.onAdmitted()
  }

  const releaseLane = () => {
    const next = waiting.entries().next().value
    if (next === undefined) {
      free++
      return
    }
    const [request, [first, ...others]] = next
    // Removed and added again at the end, so that every other request has its turn before this request's next waiter.
    waiting.delete(request)
    setWaiting(request, others)
    if (first !== undefined) admit(first)
  }

  // Uninterruptible: an interruption between the two steps would lose the lane.
  const leave = (waiter: Waiter) =>
    Effect.suspend(() => {
      const before = waiter.state
      waiter.state = "left"
      if (before === "waiting") {
        const others = (waiting.get(waiter.request) ?? []).filter((other) => other !== waiter)
        setWaiting(waiter.request, others)
      }
      if (before !== "admitted") return Effect.void
      // A request's deadline ends all its waiters at once. Yield first, so that a lane freed by one of them does not go
      // to another that is about to leave.
      return waiting.size === 0 ? Effect.sync(releaseLane) : Effect.andThen(Effect.yieldNow, Effect.sync(releaseLane))
    }).pipe(Effect.uninterruptible)

  return {
    join: ({ place, request }, onAdmitted) => {
      const waiter: Waiter = { request, place, state: "waiting", onAdmitted }
      if (free > 0) {
        free--
        admit(waiter)
      } else {
        const before = waiting.get(request) ?? []
        const at = before.findLastIndex((other) => other.place <= place) + 1
        setWaiting(request, before.toSpliced(at, 0, waiter))
      }
      return { isAdmitted: () => waiter.state === "admitted", leave: leave(waiter) }
    }
  }
}
