/**
 * Reserve file that is removed when a store meets a full disk, so that keys can still be revoked.
 */
import { Context, Effect, Latch, Layer, Metric, Semaphore } from "effect"
import { open, rename, rm, stat, statfs } from "node:fs/promises"
import { randomBytes } from "node:crypto"
import { join } from "node:path"

/** The file's name in the data directory. */
export const FILE_NAME = "disk.reserve"
/** Size of the file. **Units** bytes. */
export const RESERVE_BYTES = 16 * 1_024 * 1_024
/** Free space that must remain after the file is made. **Units** bytes. */
const MARGIN_BYTES = 4 * 1_024 * 1_024
/**
 * Free space that the start of the server needs. With less, the reserve file is removed before the stores are opened.
 * **Units** bytes.
 */
const START_BYTES = 1_024 * 1_024
const PART_BYTES = 1_024 * 1_024
const CHECKED_EVERY = "10 seconds"
/** Maximum time that the removal of the file waits for writes in progress. */
const MAX_WRITE_WAIT = "5 seconds"

/** Disk use of a call. **Shape** Opening a store is also a `revoke`, because a server without its stores cannot revoke keys. */
export type Use = "read" | "write" | "revoke"

export interface DiskReserve {
  /** True from the first failed write on a full disk until the file is made again. */
  readonly isFull: () => boolean
  /**
   * Removes the file. Returns once its space is free.
   *
   * **Limits** Waits up to 5 s for writes in progress, so that they fail instead of using the freed space.
   */
  readonly giveUp: Effect.Effect<void>
  /** Runs a write. Until it ends, {@link giveUp} waits for it. */
  readonly track: <A, E, R>(write: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

/** The outcome of a call that failed in a worker thread. */
export interface Failed {
  readonly outcome: "failed"
  readonly message: string
  readonly isDiskFull: boolean
}

const REFUSED: Failed = {
  outcome: "failed",
  message: "the disk is full: only revocations are written until it has room again",
  isDiskFull: true
}

/** The reserve of the data directory. The default reserves no space. */
export const CurrentReserve = Context.Reference<DiskReserve>("@quarterdeck/sqlite-thread/DiskReserve", {
  defaultValue: () => ({ isFull: () => false, giveUp: Effect.void, track: (write) => write })
})

/**
 * Sends a call to a store, or changes a file.
 *
 * **Shape** While the disk is full, a `write` fails without being sent. If a call fails because the disk is full, the reserve
 * file is removed. A `revoke` is then sent a second time.
 */
export const send = <Outcome extends { readonly outcome: string }, E, R>(
  reserve: DiskReserve,
  use: Use,
  call: Effect.Effect<Outcome | Failed, E, R>
): Effect.Effect<Outcome | Failed, E, R> =>
  Effect.suspend(() => {
    if (use === "write" && reserve.isFull()) return Effect.succeed(REFUSED)
    return Effect.flatMap(use === "write" ? reserve.track(call) : call, (outcome) => {
      if (!("isDiskFull" in outcome) || !outcome.isDiskFull) return Effect.succeed(outcome)
      return Effect.andThen(reserve.giveUp, use === "revoke" ? call : Effect.succeed(outcome))
    })
  })

const fullGauge = Metric.gauge("quarterdeck_disk_full", {
  description: "1 from the moment a store meets a full disk until the 16 MiB reserve file is made again"
})

/**
 * Keeps the reserve file of a data directory.
 *
 * **Limits** 16 MiB. A missing file is made again within 10 s once the disk has 20 MiB free. The file stays when the server
 * stops.
 */
export const layer = (options: { readonly directory: string }): Layer.Layer<never> =>
  Layer.effect(CurrentReserve, make(options.directory))

const make = Effect.fnUntraced(function* (directory: string) {
  const path = join(directory, FILE_NAME)
  const idle = yield* Latch.make(true)
  /** Only one fiber at a time removes the file or makes it again. */
  const turn = Semaphore.makeUnsafe(1)
  let isHeld = false
  let isFull = false
  let writes = 0

  const remove = Effect.tryPromise(() => rm(path, { force: true })).pipe(
    Effect.catch((error) => Effect.logError(`the disk reserve ${path} cannot be removed`, error))
  )
  const declareFull = Effect.suspend(() => {
    if (isFull) return Effect.void
    isFull = true
    return Effect.andThen(
      Metric.update(fullGauge, 1),
      Effect.logError(
        `the disk of ${directory} is full: the reserve ${FILE_NAME} is removed, and only revocations are written until 20 MiB are free`
      )
    )
  })
  const release = Effect.suspend(() => {
    isHeld = false
    return Effect.andThen(Effect.timeoutOption(idle.await, MAX_WRITE_WAIT), remove)
  })
  // While `turn` was awaited, a refill may have ended and declared the disk usable. The disk is therefore declared full
  // again.
  const giveUp = Effect.uninterruptible(
    Effect.andThen(declareFull, turn.withPermit(Effect.andThen(release, declareFull)))
  )
  const track = <A, E, R>(write: Effect.Effect<A, E, R>) =>
    Effect.acquireUseRelease(
      Effect.sync(() => {
        writes += 1
        idle.closeUnsafe()
      }),
      () => write,
      () =>
        Effect.sync(() => {
          writes -= 1
          if (writes === 0) idle.openUnsafe()
        })
    )
  const hold = Effect.suspend(() => {
    isHeld = true
    const wasFull = isFull
    isFull = false
    return Effect.andThen(
      Metric.update(fullGauge, 0),
      wasFull ? Effect.logInfo(`the disk of ${directory} has room again: the reserve was made again`) : Effect.void
    )
  })
  const refillNow = Effect.gen(function* () {
    if (isHeld) return
    const free = yield* freeBytesOf(directory)
    if (free < RESERVE_BYTES + MARGIN_BYTES) return
    yield* Effect.tryPromise(() => fill(path))
    yield* hold
  }).pipe(Effect.catch((error) => Effect.andThen(remove, Effect.logWarning("the disk reserve cannot be made", error))))
  const refill = turn.withPermit(refillNow)

  yield* Metric.update(fullGauge, 0)
  const sizeBytes = yield* Effect.promise(() =>
    stat(path).then(
      ({ size }) => size,
      () => 0
    )
  )
  if (sizeBytes >= RESERVE_BYTES) {
    const free = yield* Effect.orElseSucceed(freeBytesOf(directory), () => START_BYTES)
    yield* free < START_BYTES ? giveUp : hold
  }
  yield* refill
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(CHECKED_EVERY), refill)))
  return { isFull: () => isFull, giveUp, track } satisfies DiskReserve
})

const freeBytesOf = (directory: string) =>
  Effect.map(
    Effect.tryPromise(() => statfs(directory)),
    ({ bavail, bsize }) => bavail * bsize
  )

/** Writes the whole file, because a sparse file takes no space. Random bytes cannot be compressed by the file system. */
const fill = async (path: string): Promise<void> => {
  const unfinished = `${path}.new`
  const part = randomBytes(PART_BYTES)
  const file = await open(unfinished, "w", 0o600)
  try {
    for (let written = 0; written < RESERVE_BYTES; written += PART_BYTES) await file.writeFile(part)
    await file.datasync()
  } catch (error) {
    await rm(unfinished, { force: true })
    throw error
  } finally {
    await file.close()
  }
  await rename(unfinished, path)
}
