/**
 * What was true when an answer began to be made, and whether it still is.
 */
import { DataEpoch } from "@quarterdeck/cluster-fanout"
import { KeyEpoch } from "@quarterdeck/keys"
import { Clock, Effect } from "effect"

/** A point in time, and the epochs of data and keys then; `madeAt` in milliseconds by `steadyClock`. */
export interface Moment {
  readonly madeAt: number
  readonly data: number
  readonly keys: number
}

export interface Moments {
  /** The present moment. */
  readonly now: () => Moment
  /** Tells whether no cluster told anything and no key changed since a moment, and it is young. */
  readonly isPresent: (moment: Moment) => boolean
  /** Tells whether no key changed since a moment, and it is so young. **Units** milliseconds. */
  readonly holdsKeys: (moment: Moment, maxAgeMs: number) => boolean
  /** The time in milliseconds by `steadyClock`; `epochNow` in milliseconds since the epoch. */
  readonly steadyNow: () => number
  readonly epochNow: () => number
}

const NANOS = 1_000_000n

export const make = Effect.fnUntraced(function* (maxAgeMs: number) {
  const clock = yield* Clock.Clock
  const data = yield* DataEpoch.CurrentDataEpoch
  const keys = yield* KeyEpoch.CurrentKeyEpoch
  const steadyNow = () => Number(clock.monotonicTimeNanosUnsafe() / NANOS)
  const moments: Moments = {
    steadyNow,
    epochNow: () => clock.currentTimeMillisUnsafe(),
    now: () => ({ madeAt: steadyNow(), data: data.number, keys: keys.number }),
    isPresent: (moment) =>
      moment.data === data.number && moment.keys === keys.number && steadyNow() - moment.madeAt <= maxAgeMs,
    holdsKeys: (moment, ageMs) => moment.keys === keys.number && steadyNow() - moment.madeAt <= ageMs
  }
  return moments
})
