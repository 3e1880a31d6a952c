/**
 * Locks a data directory for one process at a time.
 */
import { Clock, Context, DateTime, Duration, Effect, FileSystem, Path, Result, Schema } from "effect"
import { hostname } from "node:os"
import type { DatabaseSync } from "node:sqlite"
import * as DataDirectory from "./DataDirectory.ts"
import * as DirectoryFormat from "./DirectoryFormat.ts"

/** Always empty and never removed, because all processes must lock the same file. */
const LOCK = "holder.lock"
const HOLDER = "holder.json"

/** Time that a server waits for its predecessor: the default grace period of a terminating pod. */
const SERVER_WAITS = Duration.seconds(30)
/** Time that a command waits: long enough for another command to end. A server would keep the lock for much longer. */
const COMMAND_WAITS = Duration.millis(500)
const ASKED_EVERY = Duration.millis(200)

/** The process that holds the lock. **Shape** `pid` is valid on `host` only: each container has its own process ids. */
const Holder = Schema.Struct({ pid: Schema.Natural, host: Schema.String, since: Schema.String })
type Holder = typeof Holder.Type

const decode = Schema.decodeUnknownResult(Schema.fromJsonString(Holder))

/** The identity of this process in the holder file. */
const ThisProcess = Context.Reference<Omit<Holder, "since">>(
  "@quarterdeck/http-server/services/DirectoryLock/ThisProcess",
  { defaultValue: () => ({ pid: process.pid, host: hostname() }) }
)

/** Another process holds the data directory. **Shape** `holder` is absent until that process has written its holder file. */
export class DataDirectoryInUse extends Schema.TaggedError<DataDirectoryInUse>()("DataDirectoryInUse", {
  directory: Schema.String,
  /** Time limit of the wait. On a busy machine the process may have waited longer. */
  patienceMs: Schema.Natural,
  holder: Schema.optionalKey(Holder)
}) {
  override get message(): string {
    const waited = this.patienceMs < 1_000 ? "" : `, still after ${Math.round(this.patienceMs / 1_000)} s`
    return `dataDirectory: ${this.directory} is in use by ${print(this.holder)}${waited}: stop it first, or name another directory`
  }
}

const print = (holder: Holder | undefined): string =>
  holder === undefined ? "another process" : `process ${holder.pid} on ${holder.host}, since ${holder.since}`

/**
 * The error code for a lock that another process holds.
 *
 * **Source** SQLite, "Result and Error Codes": SQLITE_BUSY.
 */
const BUSY = 5
const isBusy = (error: unknown): boolean => error instanceof Error && "errcode" in error && error.errcode === BUSY

/** Takes the lock. Returns `undefined` if another process holds it. **Shape** SQLite's journal is in memory. */
const attempt = (sqlite: typeof import("node:sqlite"), path: string): DatabaseSync | undefined => {
  const database = new sqlite.DatabaseSync(path, { timeout: 0 })
  try {
    database.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE")
    return database
  } catch (error) {
    database.close()
    if (isBusy(error)) return undefined
    throw error
  }
}

/**
 * Locks an existing directory until the scope ends.
 *
 * **Shape** the lock is a system file lock, taken through SQLite. The system releases the lock when the process ends for
 * any reason. A reused process id cannot block the directory: the id in the holder file is only for messages.
 *
 * **Errors** `DataDirectoryInUse`, `DataDirectoryUnusable`.
 */
const lock = Effect.fn("DirectoryLock.lock")(function* (directory: string, patience: Duration.Duration) {
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const file = path.join(directory, LOCK)
  const told = path.join(directory, HOLDER)
  // Only SQLite may open an existing lock file: if this process closes the file once, POSIX releases all its locks on it.
  yield* files.writeFile(file, new Uint8Array(), { flag: "wx", mode: 0o600 }).pipe(
    Effect.catchIf(
      ({ reason }) => reason._tag === "AlreadyExists",
      () => Effect.void
    ),
    Effect.mapError(DataDirectory.unusable(file))
  )

  const holder = files.readFileString(told).pipe(
    Effect.map((text) => Result.getOrUndefined(decode(text))),
    Effect.catchIf(
      ({ reason }) => reason._tag === "NotFound",
      () => Effect.succeed(undefined)
    ),
    Effect.mapError(DataDirectory.unusable(told))
  )
  // Imported late: an old Node without `node:sqlite` must first reach the message about its version.
  const sqlite = yield* Effect.promise(() => import("node:sqlite"))
  const take = Effect.try({
    try: () => attempt(sqlite, file),
    catch: (cause) =>
      new DataDirectory.DataDirectoryUnusable({
        path: file,
        problem: `it cannot be locked: ${cause instanceof Error ? cause.message : "not an error"}`
      })
  })
  const takeInTime = Effect.gen(function* () {
    const startMs = yield* Clock.currentTimeMillis
    let isTold = false
    while (true) {
      const taken = yield* take
      if (taken !== undefined) return taken
      const waitedMs = (yield* Clock.currentTimeMillis) - startMs
      if (waitedMs >= Duration.toMillis(patience)) {
        const other = yield* holder
        return yield* new DataDirectoryInUse({
          directory,
          patienceMs: Duration.toMillis(patience),
          ...(other === undefined ? {} : { holder: other })
        })
      }
      if (!isTold && waitedMs >= Duration.toMillis(COMMAND_WAITS)) {
        isTold = true
        yield* Effect.logWarning(
          `waiting up to ${Duration.format(patience)} for the data directory ${directory}, which is in use by ${print(yield* holder)}`
        )
      }
      yield* Effect.interruptible(Effect.sleep(ASKED_EVERY))
    }
  })

  yield* Effect.acquireRelease(takeInTime, (taken) => Effect.sync(() => taken.close()))
  const since = DateTime.formatIso(yield* DateTime.now)
  const own = JSON.stringify({ ...(yield* ThisProcess), since } satisfies Holder)
  // The rename is atomic, so a process that is refused at the same moment reads a complete holder file.
  // A full disk must not prevent the start, because keys are revoked through the running service.
  yield* files.writeFileString(`${told}.new`, own, { mode: 0o600 }).pipe(
    Effect.andThen(files.rename(`${told}.new`, told)),
    Effect.ignore({
      log: "Warn",
      message: `cannot write ${told}, which names the process that holds the data directory`
    })
  )
  yield* Effect.addFinalizer(() =>
    Effect.ignore(files.remove(told, { force: true }), {
      log: "Warn",
      message: `cannot remove ${told}, which names the process that held the data directory`
    })
  )
})

const hold = Effect.fnUntraced(function* (directory: string, patience: Duration.Duration) {
  yield* DataDirectory.prepare(directory)
  yield* lock(directory, patience)
  yield* DirectoryFormat.admit(directory)
})

/**
 * Locks a directory for a server until the scope ends. Creates a missing directory.
 *
 * **Limits** waits 30 s for another process and logs the wait. Then fails with the id of that process.
 *
 * **Errors** `DataDirectoryInUse`, `DataDirectoryUnusable`, `DataDirectoryTooNew`.
 */
export const forServer = (directory: string) => hold(directory, SERVER_WAITS)

/**
 * Locks a directory for a command until the scope ends. Fails after 500 ms if another process holds the lock.
 *
 * **Errors** those of {@link forServer}.
 */
export const forCommand = (directory: string) => hold(directory, COMMAND_WAITS)
