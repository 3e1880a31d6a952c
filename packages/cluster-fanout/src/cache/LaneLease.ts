/** Holds a lane for a list while its bytes come, and gives it back while none do. */
import { Deferred, Effect, Exit, Scope } from "effect"
import type { Waiting } from "../kube/Transport.ts"
import * as FairLanes from "./FairLanes.ts"

/**
 * **Shape** at most `stalled` lists that have begun wait outside of the lanes, with what they have taken in; beyond them
 * the one that has waited longest is cut.
 *
 * **Units** milliseconds without a byte: `quietMs` before the first one, `stallMs` after it, which is noticed within
 * twice as long.
 */
export interface LeaseLimits {
  readonly quietMs: number
  readonly stallMs: number
  readonly stalled: number
}

/** The lanes of all lists, and those that stalled outside of them, the longest first. */
export interface Leases {
  readonly lanes: FairLanes.FairLanes
  readonly limits: LeaseLimits
  readonly stalled: Set<LaneLease>
}

/** Takes over the lane that a list begins with, for the life of the scope. */
export const make = Effect.fnUntraced(function* (leases: Leases, first: FairLanes.Ticket, turn: FairLanes.Turn) {
  const lease = new LaneLease(leases, turn, yield* Effect.scope, first)
  yield* Effect.addFinalizer(() => Effect.sync(() => leases.stalled.delete(lease)))
  yield* Effect.forkScoped(watch(lease))
  return lease
})

export class LaneLease {
  readonly leases: Leases
  readonly turn: FairLanes.Turn
  readonly scope: Scope.Scope
  /** Done when the list must end: it has stalled, and so have too many others since. */
  readonly cut = Deferred.makeUnsafe<void>()
  /** Gives the lane back; `undefined` while there is none. */
  release: Effect.Effect<void> | undefined
  /** Done once there is a lane again. */
  returned = Deferred.makeUnsafe<void>()
  hasBegun = false
  isWaiting = false
  waits = 0

  constructor(leases: Leases, turn: FairLanes.Turn, scope: Scope.Scope, first: FairLanes.Ticket) {
    this.leases = leases
    this.turn = turn
    this.scope = scope
    this.release = first.leave
  }

  /** Wraps each wait for the cluster: there is a lane again when it is over. */
  readonly waiting: Waiting = (wait) =>
    Effect.suspend(() => {
      this.waits++
      this.isWaiting = true
      return Effect.tap(wait, () => {
        this.isWaiting = false
        this.hasBegun = true
        return this.release === undefined ? enter(this) : Effect.void
      })
    })
}

const watch = Effect.fnUntraced(function* (lease: LaneLease) {
  const { limits } = lease.leases
  while (true) {
    const { waits } = lease
    yield* Effect.sleep(lease.hasBegun ? limits.stallMs : limits.quietMs)
    // What came while the process itself was busy is looked at first.
    yield* Effect.repeat(Effect.yieldNow, { times: 2 })
    const isSilent = !lease.hasBegun || (lease.isWaiting && lease.waits === waits)
    if (!isSilent || lease.release === undefined) continue
    yield* leave(lease, lease.release)
    yield* Deferred.await(lease.returned)
  }
})

const leave = (lease: LaneLease, release: Effect.Effect<void>): Effect.Effect<void> =>
  Effect.suspend(() => {
    const { limits, stalled } = lease.leases
    lease.release = undefined
    lease.returned = Deferred.makeUnsafe()
    if (lease.hasBegun) stalled.add(lease)
    const [longest] = stalled
    if (stalled.size > limits.stalled && longest !== undefined) Deferred.doneUnsafe(longest.cut, Effect.void)
    return release
  })

const enter = Effect.fnUntraced(function* (lease: LaneLease) {
  const scope = yield* Scope.fork(lease.scope)
  yield* Scope.provide(FairLanes.enter(lease.leases.lanes, lease.turn), scope)
  lease.release = Scope.close(scope, Exit.void)
  lease.leases.stalled.delete(lease)
  Deferred.doneUnsafe(lease.returned, Effect.void)
})
