/**
 * Follows a source while it is requested.
 */
import { Effect } from "effect"
import * as steadyClock from "../kube/SteadyClock.ts"

/** Time after the last request at which following stops. **Units** milliseconds. */
const IDLE_MS = 600_000

/** Requests the source now. **Units** milliseconds by `steadyClock`. **Limits** never waits. */
export type Want = (now: number) => void

/**
 * Makes a source that is followed on request.
 *
 * **Shape** the first request starts `follow` through `fork`. After ten minutes without a request, `follow` is
 * interrupted and `forget` runs.
 */
export const make = (
  fork: (effect: Effect.Effect<void>) => void,
  follow: Effect.Effect<never>,
  forget: () => void
): Want => {
  let wantedAt = 0
  let requests = 0
  let handledRequests = 0
  let isFollowed = false
  const idle = Effect.gen(function* () {
    let left = IDLE_MS
    while (left > 0) {
      yield* Effect.sleep(left)
      left = wantedAt + IDLE_MS - (yield* steadyClock.now)
    }
    handledRequests = requests
  })
  const end = Effect.sync(() => {
    forget()
    // A request that came while `follow` was being stopped starts it again.
    isFollowed = requests > handledRequests
    return isFollowed
  })
  const followed = Effect.andThen(Effect.raceFirst(follow, idle), end).pipe(
    Effect.repeat({ while: (isWantedAgain) => isWantedAgain }),
    Effect.asVoid
  )
  const want: Want = (now) => {
    wantedAt = now
    requests++
    if (isFollowed) return
    isFollowed = true
    fork(followed)
  }
  return want
}
