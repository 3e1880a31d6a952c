/**
 * Follows while somebody asks.
 */
import { Effect } from "effect"
import * as steadyClock from "../kube/SteadyClock.ts"

/** How long something is followed after it was last asked for. **Units** milliseconds. */
const IDLE_MS = 600_000

/** Says that somebody asks now. **Units** milliseconds by `steadyClock`. **Limits** never waits. */
export type Want = (now: number) => void

/**
 * Makes something that is followed while it is wanted.
 *
 * **Shape** `follow` is run by `fork` when it is wanted, and interrupted when nobody has wanted it for ten minutes; `forget`
 * comes after that.
 */
export const make = (
  fork: (effect: Effect.Effect<void>) => void,
  follow: Effect.Effect<never>,
  forget: () => void
): Want => {
  let wantedAt = 0
  let wants = 0
  let answered = 0
  let isFollowed = false
  const idle = Effect.gen(function* () {
    let left = IDLE_MS
    while (left > 0) {
      yield* Effect.sleep(left)
      left = wantedAt + IDLE_MS - (yield* steadyClock.now)
    }
    answered = wants
  })
  const end = Effect.sync(() => {
    forget()
    // Whoever asked while it was being ended waits for it.
    isFollowed = wants > answered
    return isFollowed
  })
  const followed = Effect.andThen(Effect.raceFirst(follow, idle), end).pipe(
    Effect.repeat({ while: (goesOn) => goesOn }),
    Effect.asVoid
  )
  const want: Want = (now) => {
    wantedAt = now
    wants++
    if (isFollowed) return
    isFollowed = true
    fork(followed)
  }
  return want
}
