/**
 * The format version of a data directory, so that an older program does not open a newer directory.
 */
import { Effect, FileSystem, Path, Schema } from "effect"
import { DataDirectoryUnusable, unusable } from "./DataDirectory.ts"

const FILE = "format"

/**
 * The format that this program writes.
 *
 * Increase it with any change of files that an older program would misread. `keys.sqlite` and `cost.sqlite` also have
 * their own schema versions.
 */
const FORMAT = 1

/** A newer program wrote the directory. This program might lose data that it does not know. */
export class DataDirectoryTooNew extends Schema.TaggedError<DataDirectoryTooNew>()("DataDirectoryTooNew", {
  directory: Schema.String,
  found: Schema.Natural
}) {
  override get message(): string {
    return `dataDirectory: ${this.directory} has format ${this.found}, this program knows ${FORMAT}: run the newer program, or restore a backup`
  }
}

/**
 * Accepts a directory of this format or an older one, and writes this program's format into it.
 *
 * **Shape** a directory without a format file counts as format 0. The caller must hold the directory's lock.
 *
 * **Errors** `DataDirectoryTooNew`; `DataDirectoryUnusable` for an invalid format file.
 */
export const admit = Effect.fn("DirectoryFormat.admit")(function* (directory: string) {
  const files = yield* FileSystem.FileSystem
  const path = (yield* Path.Path).join(directory, FILE)
  const text = yield* files.readFileString(path).pipe(
    Effect.catchIf(
      ({ reason }) => reason._tag === "NotFound",
      () => Effect.succeed("0")
    ),
    Effect.mapError(unusable(path))
  )
  if (!/^\d{1,9}\s*$/.test(text))
    return yield* new DataDirectoryUnusable({ path, problem: "it does not contain a number" })
  const found = Number(text)
  if (found > FORMAT) return yield* new DataDirectoryTooNew({ directory, found })
  if (found === FORMAT) return
  yield* files
    .writeFileString(`${path}.new`, `${FORMAT}\n`, { mode: 0o600 })
    .pipe(Effect.andThen(files.rename(`${path}.new`, path)), Effect.mapError(unusable(path)))
})
