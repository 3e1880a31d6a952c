/** Allows one build at a time to fill the cache of programs. */
import { Effect, Schedule, type Scope } from "effect"
import * as LockFile from "../../../machine/LockFile.ts"
import { BuildLocked, DirectoryRefused } from "./BuildError.ts"

const EVERY = "500 millis"
/** Timeout of the wait for another build. Much longer than a first build, which takes four minutes on two cores. */
const TIMEOUT = "30 minutes"

/**
 * Takes the lock and waits for another build to end. Closing the scope releases it.
 *
 * `waiting` is called once if another build holds the lock.
 *
 * **Errors** `BuildLocked` after 30 minutes.
 */
export const acquire = (
  path: string,
  waiting: (owner: string) => Effect.Effect<void>
): Effect.Effect<void, BuildLocked | DirectoryRefused, Scope.Scope> =>
  Effect.gen(function* () {
    let announced = false
    let owner = "unknown"
    const once = Effect.gen(function* () {
      const holder = yield* refusing("take the build lock", () => LockFile.take(path))
      if (holder === undefined) return
      owner = String(holder.pid)
      if (!announced) yield* waiting(owner)
      announced = true
      return yield* new BuildLocked({ owner })
    })
    yield* Effect.acquireRelease(
      once.pipe(
        Effect.retry({ schedule: Schedule.spaced(EVERY), while: (error) => error._tag === "BuildLocked" }),
        Effect.timeoutOrElse({ duration: TIMEOUT, orElse: () => Effect.fail(new BuildLocked({ owner })) })
      ),
      () => refusing("release the build lock", () => LockFile.release(path)).pipe(Effect.orDie),
      { interruptible: true }
    )
  })

const refusing = <A>(action: string, run: () => Promise<A>): Effect.Effect<A, DirectoryRefused> =>
  Effect.tryPromise({ try: run, catch: (cause) => new DirectoryRefused({ action, cause }) })
