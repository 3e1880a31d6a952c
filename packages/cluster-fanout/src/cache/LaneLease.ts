/** Holds a lane for a list while its bytes come, and gives it back while none do. */
import { Effect } from "effect"
import { Signal } from "../kube/Signal.ts"
import type { Waiting } from "../kube/Transport.ts"
import type * as FairLanes from "./FairLanes.ts"
import { type Place, Roster } from "./Roster.ts"

/**
 * How long a list may be silent before it loses its lane, and how many may wait without one.
 *
 * **Shape** at most `stalled` lists that have begun wait outside of the lanes, with what they have taken in; beyond
 * them the one that has waited longest is cut.
 *
 * **Units** milliseconds without a byte, which are noticed within a fifth more: `quietMs` before the first one, after
 * which a list counts no longer as one that is asked, and `stallMs` after it.
 */
export interface LeaseLimits {
  readonly quietMs: number
  readonly stallMs: number
  readonly stalled: number
}

/** The lanes of all lists whose answers are taken in. */
export interface Leases {
  readonly lanes: FairLanes.FairLanes
  readonly limits: LeaseLimits
  /** Those whose answers have not begun. */
  readonly asked: Roster<LaneLease>
  /** Those that hold a lane. */
  readonly active: Roster<LaneLease>
  /** Those that stalled outside of them, the longest first. */
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

/** What a lease is for. */
interface Claim {
  readonly turn: FairLanes.Turn
  /** The place among those that are asked, which is given back once the answer has a lane. */
  readonly asking: FairLanes.Ticket
  /** Ends the list: it has stalled, and so have too many others since. */
  readonly cut: () => void
}

export class LaneLease {
  readonly leases: Leases
  readonly claim: Claim
  /** The lane that is held or waited for. */
  lane: FairLanes.Ticket | undefined
  isWaiting = false
  /** The places among the leases, of those that are held or were. */
  readonly asked: Place<LaneLease>
  active: Place<LaneLease> | undefined
  stalled: Place<LaneLease> | undefined
  /** How often it waited, and had when it was looked at last. */
  waits = 0
  waitsSeen = 0
  /** How often it was looked at since it waited otherwise. */
  looks = 0

  constructor(leases: Leases, claim: Claim) {
    this.leases = leases
    this.claim = claim
    this.asked = leases.asked.join(this)
    leases.signal.notify()
  }

  /** Wraps each wait for the cluster: there is a lane when it is over. */
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
    this.looks = 0
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

  /** Gives up the lane, or the place in the queue for one. */
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

const LOOKS = 5

/** Gives those leases, while there are any, that have been silent for so long. */
const watchEach = (
  { asked, signal }: Leases,
  watched: Roster<LaneLease>,
  silentMs: number,
  silent: (lease: LaneLease) => Effect.Effect<void>
) =>
  Effect.gen(function* () {
    yield* signal.until(() => watched.size > 0)
    yield* Effect.sleep(silentMs / LOOKS)
    // What came while the process itself was busy is looked at first.
    yield* Effect.repeat(Effect.yieldNow, { times: 2 })
    for (const lease of watched.members()) {
      const isAsked = watched === asked
      // One that has ended since waits no more, whatever it did last.
      if ((isAsked ? lease.asked : lease.active)?.value === undefined) continue
      // What has not begun may wait for its turn at its cluster, behind others that are silent.
      const isSilent = isAsked || (lease.isWaiting && lease.waits === lease.waitsSeen)
      lease.waitsSeen = lease.waits
      lease.looks = isSilent ? lease.looks + 1 : 0
      if (lease.looks >= LOOKS) yield* silent(lease)
    }
  }).pipe(Effect.forever)

/** Has lists give back what they hold while they are silent, for the life of the scope. */
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
