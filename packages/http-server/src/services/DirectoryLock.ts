/**
 * Keeps a data directory to one program at a time.
 */
import { Clock, Context, DateTime, Duration, Effect, FileSystem, Path, Result, Schema } from "effect"
import { hostname } from "node:os"
import type { DatabaseSync } from "node:sqlite"
import * as DataDirectory from "./DataDirectory.ts"
import * as DirectoryFormat from "./DirectoryFormat.ts"

/** Empty for ever, and never removed: two programs must lock one and the same file. */
const LOCK = "holder.lock"
const HOLDER = "holder.json"

/** How long a server waits for the one before it: Kubernetes gives a pod that ends as long. */
const SERVER_WAITS = Duration.seconds(30)
/** How long a command waits: a server keeps its directory, a command that ends just now does not. */
const COMMAND_WAITS = Duration.millis(500)
const ASKED_EVERY = Duration.millis(200)

/** The program that holds a directory. **Shape** `pid` is one of `host`: on a volume, containers count their own. */
const Holder = Schema.Struct({ pid: Schema.Natural, host: Schema.String, since: Schema.String })
type Holder = typeof Holder.Type

const decode = Schema.decodeUnknownResult(Schema.fromJsonString(Holder))

/** Who this program is to others that want the same directory. */
const ThisProcess = Context.Reference<Omit<Holder, "since">>(
  "@quarterdeck/http-server/services/DirectoryLock/ThisProcess",
  { defaultValue: () => ({ pid: process.pid, host: hostname() }) }
)

/** Another program holds the data directory. **Shape** `holder` is absent when it has not said yet who it is. */
export class DataDirectoryInUse extends Schema.TaggedError<DataDirectoryInUse>()("DataDirectoryInUse", {
  directory: Schema.String,
  /** How long it was waited for at least; a busy machine notices the end of it late. */
  patienceMs: Schema.Natural,
  holder: Schema.optionalKey(Holder)
}) {
  override get message(): string {
    const waited = this.patienceMs < 1_000 ? "" : `, also after ${Math.round(this.patienceMs / 1_000)} s`
    return `dataDirectory: ${this.directory} is in use by ${print(this.holder)}${waited}: stop it first, or name another directory`
  }
}

const print = (holder: Holder | undefined): string =>
  holder === undefined ? "another process" : `process ${holder.pid} on ${holder.host}, since ${holder.since}`

/**
 * The code of an error that says another process holds the lock.
 *
 * **Source** SQLite, "Result and Error Codes": SQLITE_BUSY.
 */
const BUSY = 5
const isBusy = (error: unknown): boolean => error instanceof Error && "errcode" in error && error.errcode === BUSY

/** Takes the lock, or gives `undefined` where another has it. **Shape** in memory, so that no journal lies beside it. */
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
 * Holds a directory, which exists, until the scope ends.
 *
 * **Shape** the lock is the system's own on a file, taken by way of SQLite: it ends with the process however that ends,
 * and no process id stands for it, so none that was given again can. The id beside it is for people alone.
 *
 * **Errors** `DataDirectoryInUse`, `DataDirectoryUnusable`.
 */
const lock = Effect.fn("DirectoryLock.lock")(function* (directory: string, patience: Duration.Duration) {
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const file = path.join(directory, LOCK)
  const told = path.join(directory, HOLDER)
  // Only ever made, never opened by anything but SQLite: POSIX ends a process's locks when it closes the file once.
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
  // A Node without it would end before anything could say which one is needed.
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
  // In its place in one step: who is refused meanwhile reads the whole of one holder, or of the one before.
  // A full disk must not keep the service from a start: keys are revoked through it.
  yield* files
    .writeFileString(`${told}.new`, own, { mode: 0o600 })
    .pipe(
      Effect.andThen(files.rename(`${told}.new`, told)),
      Effect.ignore({ log: "Warn", message: `${told} does not name the process that holds the directory` })
    )
  yield* Effect.addFinalizer(() =>
    Effect.ignore(files.remove(told, { force: true }), {
      log: "Warn",
      message: "who held the data directory still stands there"
    })
  )
})

const hold = Effect.fnUntraced(function* (directory: string, patience: Duration.Duration) {
  yield* DataDirectory.prepare(directory)
  yield* lock(directory, patience)
  yield* DirectoryFormat.admit(directory)
})

/**
 * Holds a directory for a server, and makes it where it is missing.
 *
 * **Limits** waits 30 s for another program, and says so in the log; it then fails with that program's process id.
 *
 * **Errors** `DataDirectoryInUse`, `DataDirectoryUnusable`, `DataDirectoryTooNew`.
 */
export const forServer = (directory: string) => hold(directory, SERVER_WAITS)

/**
 * Holds a directory for a command, which is refused at once while a server runs.
 *
 * **Errors** those of a server.
 */
export const forCommand = (directory: string) => hold(directory, COMMAND_WAITS)
