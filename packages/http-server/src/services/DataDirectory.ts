/**
 * The data directory of the service.
 */
import { Effect, FileSystem, Path, type PlatformError, Schema } from "effect"
import * as SystemRefusal from "../settings/SystemRefusal.ts"

/** The data directory is unusable. **Shape** `path` is the file or directory with the problem. */
export class DataDirectoryUnusable extends Schema.TaggedError<DataDirectoryUnusable>()("DataDirectoryUnusable", {
  path: Schema.String,
  problem: Schema.String
}) {
  override get message(): string {
    return `dataDirectory: cannot use ${this.path} (${this.problem})`
  }
}

/** Makes the error for a failed file operation, without error numbers and system calls. */
export const unusable =
  (path: string) =>
  ({ reason }: PlatformError.PlatformError): DataDirectoryUnusable =>
    new DataDirectoryUnusable({
      path,
      problem: reason._tag === "NotFound" ? "it cannot be created there" : SystemRefusal.print(reason)
    })

/**
 * Creates the directory and its missing parents, and checks that a file can be written in it.
 *
 * **Shape** new directories have mode 0700. They are created one by one, because the recursive mkdir of Node 24 never
 * returns on a file system that answers "no such file" to every attempt, such as `/proc`.
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
        // If a parent is the reason, report the parent instead.
        Effect.catch((error) => Effect.andThen(make(path.dirname(wanted)), Effect.fail(unusable(wanted)(error))))
      )
      if (found?.type === "Directory") return
      if (found !== undefined) return yield* new DataDirectoryUnusable({ path: wanted, problem: "not a directory" })
      yield* make(path.dirname(wanted))
      yield* files.makeDirectory(wanted, { mode: 0o700 }).pipe(
        // Another process may have created the directory in the meantime.
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
