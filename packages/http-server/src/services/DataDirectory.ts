/**
 * The directory that holds what the service keeps.
 */
import { Effect, FileSystem, Path, type PlatformError, Schema } from "effect"
import * as SystemRefusal from "../settings/SystemRefusal.ts"

/** The data directory cannot be used. **Shape** `path` is the file or directory at fault. */
export class DataDirectoryUnusable extends Schema.TaggedError<DataDirectoryUnusable>()("DataDirectoryUnusable", {
  path: Schema.String,
  problem: Schema.String
}) {
  override get message(): string {
    return `dataDirectory: cannot use ${this.path} (${this.problem})`
  }
}

/** Says what the system refused, without its own numbers and calls. */
export const unusable =
  (path: string) =>
  ({ reason }: PlatformError.PlatformError): DataDirectoryUnusable =>
    new DataDirectoryUnusable({
      path,
      problem: reason._tag === "NotFound" ? "it cannot be made there" : SystemRefusal.print(reason)
    })

/**
 * Makes the directory and those above it where they are missing, and proves that a file can be written in it.
 *
 * **Shape** a directory made here has mode 0700. Made one by one: the recursive mkdir of Node 24 never returns below a
 * file system that answers "no such file" to every attempt, such as `/proc`.
 *
 * **Errors** `DataDirectoryUnusable`.
 */
export const prepare = Effect.fn("DataDirectory.prepare")(function* (directory: string) {
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const make = (wanted: string): Effect.Effect<void, DataDirectoryUnusable> =>
    Effect.gen(function* () {
      const found = yield* files.stat(wanted).pipe(
        Effect.catchIf(
          ({ reason }) => reason._tag === "NotFound",
          () => Effect.succeed(undefined)
        ),
        // What lies above may be the reason, and then it is what the user has to know.
        Effect.catch((error) => Effect.andThen(make(path.dirname(wanted)), Effect.fail(unusable(wanted)(error))))
      )
      if (found?.type === "Directory") return
      if (found !== undefined) return yield* new DataDirectoryUnusable({ path: wanted, problem: "not a directory" })
      yield* make(path.dirname(wanted))
      yield* files.makeDirectory(wanted, { mode: 0o700 }).pipe(
        // Another program that starts at the same moment may have been faster.
        Effect.catchIf(
          ({ reason }) => reason._tag === "AlreadyExists",
          () => Effect.void
        ),
        Effect.mapError(unusable(wanted))
      )
    })
  const whole = path.resolve(directory)
  yield* make(whole)
  yield* Effect.scoped(files.makeTempFileScoped({ directory: whole, prefix: ".writable-" })).pipe(
    Effect.mapError(unusable(whole))
  )
})
