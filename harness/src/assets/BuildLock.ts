/**
 * Lets one build at a time fill the cache.
 *
 * @since 0.1.0
 */
import { link, readFile, rename, rm, writeFile } from "node:fs/promises"
import { Effect, Schedule, type Scope } from "effect"
import { processWorld, startOf } from "../internal/Processes.ts"
import { BuildLocked, DirectoryRefused } from "./BuildError.ts"

const EVERY = "500 millis"
/** A build from nothing takes four minutes on two cores. */
const PATIENCE = "30 minutes"

/**
 * Takes the lock, waiting for another build to end; gives it back with the scope.
 *
 * **Shape** the file names its owner, and is there whole or not at all. The lock of an owner that no longer runs is taken
 * over. `waiting` is called once if there is somebody to wait for.
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
      const holder = yield* refusing("take the build's lock", () => take(path))
      if (holder === undefined) return
      owner = holder
      if (!told) yield* waiting(holder)
      told = true
      return yield* new BuildLocked({ owner: holder })
    })
    yield* Effect.acquireRelease(
      once.pipe(
        Effect.retry({ schedule: Schedule.spaced(EVERY), while: (error) => error._tag === "BuildLocked" }),
        Effect.timeoutOrElse({ duration: PATIENCE, orElse: () => Effect.fail(new BuildLocked({ owner })) })
      ),
      () => refusing("give back the build's lock", () => rm(path, { force: true })).pipe(Effect.orDie),
      { interruptible: true }
    )
  })

/** Takes the lock now and gives undefined, or gives the process that has it. */
const take = async (path: string): Promise<string | undefined> => {
  const mine = `${process.pid} ${await startOf(process.pid)} ${await processWorld()}`
  const draft = `${path}.${process.pid}`
  await writeFile(draft, mine)
  try {
    await link(draft, path)
    return undefined
  } catch (cause) {
    if (!(cause instanceof Error && "code" in cause && cause.code === "EEXIST")) throw cause
  } finally {
    await rm(draft, { force: true })
  }
  const held = await readFile(path, "utf8").catch(() => "")
  const [owner = "", start, world] = held.split(" ")
  if (held !== "" && (world !== (await processWorld()) || (await startOf(Number(owner))) === start)) return owner
  return (await discard(path, held)) ? await take(path) : owner
}

/** Removes a dead owner's lock, and puts back what it finds instead if somebody was faster. */
const discard = async (path: string, held: string): Promise<boolean> => {
  const aside = `${path}.${process.pid}.aside`
  try {
    await rename(path, aside)
  } catch {
    return true
  }
  const same = (await readFile(aside, "utf8")) === held
  if (!same) await link(aside, path).catch(() => undefined)
  await rm(aside, { force: true })
  return same
}

const refusing = <A>(action: string, run: () => Promise<A>): Effect.Effect<A, DirectoryRefused> =>
  Effect.tryPromise({ try: run, catch: (cause) => new DirectoryRefused({ action, cause }) })
