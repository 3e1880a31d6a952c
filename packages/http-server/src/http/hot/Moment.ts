/**
 * Time and versions at which a reply was made, and the check that they are still current.
 */
import { DataEpoch } from "@quarterdeck/cluster-fanout"
import { KeyEpoch } from "@quarterdeck/keys"
import { Clock, Effect } from "effect"

/**
 * A point in time, and how many changes of cluster data and keys had been counted by then (their epochs). **Units**
 * `madeAt` in milliseconds of the monotonic clock.
 */
export interface Moment {
  readonly madeAt: number
  readonly data: number
  readonly keys: number
}

export interface Moments {
  /** Returns the present moment. */
  readonly now: () => Moment
  /** Returns true if a moment is at most `maxAgeMs` old, and neither cluster data nor keys have changed since. */
  readonly isPresent: (moment: Moment) => boolean
  /** Returns true if a moment is at most `maxAgeMs` old and no key has changed since. */
  readonly holdsKeys: (moment: Moment, maxAgeMs: number) => boolean
  /** Returns the monotonic time. **Units** milliseconds. */
  readonly steadyNow: () => number
  /** Returns the wall-clock time. **Units** milliseconds since the epoch. */
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
