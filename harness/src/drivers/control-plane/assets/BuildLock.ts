/** Lets one build at a time fill the cache. */
import { Effect, Schedule, type Scope } from "effect"
import * as LockFile from "../../../machine/LockFile.ts"
import { BuildLocked, DirectoryRefused } from "./BuildError.ts"

const EVERY = "500 millis"
/** A build from nothing takes four minutes on two cores. */
const PATIENCE = "30 minutes"

/**
 * Takes the lock, waiting for another build to end; gives it back with the scope.
 *
 * `waiting` is called once if there is somebody to wait for.
 *
 * **Errors** `BuildLocked` after 30 minutes.
 */
export const acquire = (
  path: string,
  waiting: (owner: string) => Effect.Effect<void>
): Effect.Effect<void, BuildLocked | DirectoryRefused, Scope.Scope> =>
  Effect.gen(function* () {
    let told = false
    let owner = "unknown"
    const once = Effect.gen(function* () {
      const holder = yield* refusing("take the build's lock", () => LockFile.take(path))
      if (holder === undefined) return
      owner = String(holder.pid)
      if (!told) yield* waiting(owner)
      told = true
      return yield* new BuildLocked({ owner })
    })
    yield* Effect.acquireRelease(
      once.pipe(
        Effect.retry({ schedule: Schedule.spaced(EVERY), while: (error) => error._tag === "BuildLocked" }),
        Effect.timeoutOrElse({ duration: PATIENCE, orElse: () => Effect.fail(new BuildLocked({ owner })) })
      ),
      () => refusing("give back the build's lock", () => LockFile.release(path)).pipe(Effect.orDie),
      { interruptible: true }
    )
  })

const refusing = <A>(action: string, run: () => Promise<A>): Effect.Effect<A, DirectoryRefused> =>
  Effect.tryPromise({ try: run, catch: (cause) => new DirectoryRefused({ action, cause }) })
