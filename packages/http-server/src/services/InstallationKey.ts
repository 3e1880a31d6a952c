/**
 * Secret keys of the installation, stored in the data directory so that they stay the same after a restart.
 */
import { Effect, FileSystem, Path, Redacted } from "effect"
import { randomBytes, randomUUID } from "node:crypto"
import { DataDirectoryUnusable, unusable } from "./DataDirectory.ts"

const BYTES = 32

/**
 * Reads a key from the data directory, or creates it the first time.
 *
 * **Shape** 32 random bytes in a file of mode 0600. The directory must exist.
 *
 * **Errors** `DataDirectoryUnusable`, also for a file of another length.
 */
export const readOrMake = Effect.fn("InstallationKey.readOrMake")(
  function* (dataDirectory: string, name: string) {
    const files = yield* FileSystem.FileSystem
    const path = (yield* Path.Path).join(dataDirectory, name)
    const read = files
      .readFile(path)
      .pipe(
        Effect.flatMap((bytes) =>
          bytes.length === BYTES
            ? Effect.succeed(Redacted.make(bytes))
            : Effect.fail(
                new DataDirectoryUnusable({ path, problem: `holds ${bytes.length} bytes instead of ${BYTES}` })
              )
        )
      )
    // The link is atomic: if two processes start at once, the second reads the key of the first.
    const unfinished = `${path}.${randomUUID()}`
    const write = files
      .writeFile(unfinished, new Uint8Array(randomBytes(BYTES)), { flag: "wx", mode: 0o600 })
      .pipe(
        Effect.andThen(files.link(unfinished, path)),
        Effect.ensuring(Effect.orDie(files.remove(unfinished, { force: true })))
      )
    return yield* read.pipe(
      Effect.catchIf(
        (error) => error._tag === "PlatformError" && error.reason._tag === "NotFound",
        () =>
          write.pipe(
            Effect.catchIf(
              (error) => error.reason._tag === "AlreadyExists",
              () => Effect.void
            ),
            Effect.andThen(read)
          )
      )
    )
  },
  (run, dataDirectory) => Effect.catchTag(run, "PlatformError", (error) => Effect.fail(unusable(dataDirectory)(error)))
)
