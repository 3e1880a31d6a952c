/** Bounds how much is done at once for all requests: in turn between them, in order within each. */
import { Effect } from "effect"

/** Whose turn it is. **Shape** a request's lower places come first. */
export interface Turn {
  readonly request: number
  readonly place: number
}

/** A place in the queue, then a lane. */
export interface Ticket {
  readonly isAdmitted: () => boolean
  /** Gives up the place or the lane; more than once is the same as once. */
  readonly leave: Effect.Effect<void>
}

export interface FairLanes {
  /** Joins the queue. **Shape** `onAdmitted` is called once a lane is held, at once if one is free. */
  readonly join: (turn: Turn, onAdmitted: () => void) => Ticket
}

type State = "waiting" | "admitted" | "left"

interface Waiter extends Turn {
  state: State
  readonly onAdmitted: () => void
}

export const make = (lanes: number): FairLanes => {
  let free = lanes
  /** By request, in the order of their turns. */
  const waiting = new Map<number, ReadonlyArray<Waiter>>()

  const setWaiting = (request: number, waiters: ReadonlyArray<Waiter>) => {
    if (waiters.length === 0) waiting.delete(request)
    else waiting.set(request, waiters)
  }

  const admit = (waiter: Waiter) => {
    waiter.state = "admitted"
    waiter.onAdmitted()
  }

  const passOn = () => {
    const next = waiting.entries().next().value
    if (next === undefined) {
      free++
      return
    }
    const [request, [first, ...others]] = next
    // Taken out and put back, so that every other request has its turn before this one's next.
    waiting.delete(request)
    setWaiting(request, others)
    if (first !== undefined) admit(first)
  }

  // Whole or not at all: a leaver that was interrupted between its two steps would take the lane with it.
  const leave = (waiter: Waiter) =>
    Effect.suspend(() => {
      const before = waiter.state
      waiter.state = "left"
      if (before === "waiting") {
        const others = (waiting.get(waiter.request) ?? []).filter((other) => other !== waiter)
        setWaiting(waiter.request, others)
      }
      if (before !== "admitted") return Effect.void
      // At a request's deadline all that is its own ends together: what of it still waits must not be let in for that
      // moment.
      return waiting.size === 0 ? Effect.sync(passOn) : Effect.andThen(Effect.yieldNow, Effect.sync(passOn))
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
