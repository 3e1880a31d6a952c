/** Holds a lane (a permit of `FairLanes`) for a list while data arrives, and releases it while the list is silent. */
import { Effect } from "effect"
import { Signal } from "../kube/Signal.ts"
import type { Waiting } from "../kube/Transport.ts"
import type * as FairLanes from "./FairLanes.ts"
import { type Place, Roster } from "./Roster.ts"

/**
 * Timeouts of silent lists.
 *
 * **Shape** a list that has received nothing `quietMs` after its request no longer counts against the limit of
 * requested lists. A list that receives no data for `stallMs` after its first byte loses its lane and keeps its data in
 * memory. At most `stalled` lists may do so at a time. Beyond that, the one that stalled first is aborted.
 *
 * **Units** milliseconds; lists. Silence is detected up to a fifth of the timeout late.
 */
export interface LeaseLimits {
  readonly quietMs: number
  readonly stallMs: number
  readonly stalled: number
}

/** The lanes of all lists that receive data. */
export interface Leases {
  readonly lanes: FairLanes.FairLanes
  readonly limits: LeaseLimits
  /** Lists whose answers have not begun. */
  readonly asked: Roster<LaneLease>
  /** Lists that hold a lane. */
  readonly active: Roster<LaneLease>
  /** Lists that stalled and gave up their lanes, the longest stalled first. */
  readonly stalled: Roster<LaneLease>
  readonly signal: Signal
}

export const make = (lanes: FairLanes.FairLanes, limits: LeaseLimits): Leases => ({
  lanes,
  limits,
  asked: new Roster(),
  active: new Roster(),
  stalled: new Roster(),
  signal: new Signal()
})

/** The request that a lease belongs to. */
interface Claim {
  readonly turn: FairLanes.Turn
  /** Permit to request the list, released once the answer has a lane. */
  readonly asking: FairLanes.Ticket
  /** Aborts the list. Called for the list that has stalled longest when too many have stalled. */
  readonly cut: () => void
}

export class LaneLease {
  readonly leases: Leases
  readonly claim: Claim
  /** The lane that this lease holds or waits for. */
  lane: FairLanes.Ticket | undefined
  isWaiting = false
  /** Memberships in the rosters of `leases`. */
  readonly asked: Place<LaneLease>
  active: Place<LaneLease> | undefined
  stalled: Place<LaneLease> | undefined
  /** Number of waits so far, and at the last check. */
  waits = 0
  waitsSeen = 0
  /** Number of checks in a row that found the lease silent. */
  silentChecks = 0

  constructor(leases: Leases, claim: Claim) {
    this.leases = leases
    this.claim = claim
    this.asked = leases.asked.join(this)
    leases.signal.notify()
  }

  /** Wraps each wait for the cluster. After the wait, acquires a lane if the lease has none. */
  readonly waiting: Waiting = (wait) =>
    Effect.suspend(() => {
      this.waits++
      this.isWaiting = true
      return Effect.tap(wait, () => {
        this.isWaiting = false
        return this.lane === undefined ? this.enter : Effect.void
      })
    })

  readonly enter: Effect.Effect<void> = Effect.suspend(() => {
    const { active, lanes, signal } = this.leases
    this.asked.leave()
    this.silentChecks = 0
    const entered = Effect.callback<void>((resume) => {
      this.lane = lanes.join(this.claim.turn, () => {
        this.stalled?.leave()
        this.active = active.join(this)
        signal.notify()
        resume(Effect.void)
      })
    })
    return Effect.andThen(entered, this.claim.asking.leave)
  })

  /** Releases the lane, or the position in its queue. */
  readonly leave: Effect.Effect<void> = Effect.suspend(() => {
    const { lane } = this
    this.lane = undefined
    this.active?.leave()
    return lane?.leave ?? Effect.void
  })

  readonly end: Effect.Effect<void> = Effect.suspend(() => {
    this.asked.leave()
    this.stalled?.leave()
    return this.leave
  })
}

const CHECKS = 5

/** Calls `silent` for each watched lease without data for `silentMs`, forever. */
const watchEach = (
  { asked, signal }: Leases,
  watched: Roster<LaneLease>,
  silentMs: number,
  silent: (lease: LaneLease) => Effect.Effect<void>
) =>
  Effect.gen(function* () {
    yield* signal.until(() => watched.size > 0)
    yield* Effect.sleep(silentMs / CHECKS)
    // Data may have arrived while the process was busy. Let it be processed first.
    yield* Effect.repeat(Effect.yieldNow, { times: 2 })
    for (const lease of watched.members()) {
      const isAsked = watched === asked
      // The lease has ended meanwhile.
      if ((isAsked ? lease.asked : lease.active)?.value === undefined) continue
      // A requested list may be queued at its cluster behind other silent lists, so it always counts as silent.
      const isSilent = isAsked || (lease.isWaiting && lease.waits === lease.waitsSeen)
      lease.waitsSeen = lease.waits
      lease.silentChecks = isSilent ? lease.silentChecks + 1 : 0
      if (lease.silentChecks >= CHECKS) yield* silent(lease)
    }
  }).pipe(Effect.forever)

/** Makes silent lists release their lanes, until the scope ends. */
export const watch = (leases: Leases) => {
  const { active, asked, limits, stalled } = leases
  const quiet = watchEach(leases, asked, limits.quietMs, (lease) => {
    lease.asked.leave()
    return lease.claim.asking.leave
  })
  const stalling = watchEach(leases, active, limits.stallMs, (lease) => {
    lease.stalled = stalled.join(lease)
    if (stalled.size > limits.stalled) stalled.first?.claim.cut()
    return lease.leave
  })
  return Effect.andThen(Effect.forkScoped(quiet), Effect.forkScoped(stalling))
}
