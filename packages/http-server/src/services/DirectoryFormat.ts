/**
 * The version of what a data directory holds as a whole, so that an older program leaves a newer one alone.
 */
import { Effect, FileSystem, Path, Schema } from "effect"
import { DataDirectoryUnusable, unusable } from "./DataDirectory.ts"

const FILE = "format"

/**
 * What this program knows.
 *
 * Raised with any change of the files in the directory that an older program would misread; `keys.sqlite` and
 * `cost.sqlite` have schema versions of their own beside it.
 */
const FORMAT = 1

/** A newer program wrote the directory, and may keep there what this one would lose. */
export class DataDirectoryTooNew extends Schema.TaggedError<DataDirectoryTooNew>()("DataDirectoryTooNew", {
  directory: Schema.String,
  found: Schema.Natural
}) {
  override get message(): string {
    return `dataDirectory: ${this.directory} has format ${this.found}, this program knows ${FORMAT}: run the newer program, or restore a backup`
  }
}

/**
 * Admits a directory of this format or an older one, and notes this program's in it.
 *
 * **Shape** a directory without the note is older than the note. Only who holds the directory may call this.
 *
 * **Errors** `DataDirectoryTooNew`; `DataDirectoryUnusable` for a note that is none.
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
  if (!/^\d{1,9}\s*$/.test(text)) return yield* new DataDirectoryUnusable({ path, problem: "it holds no number" })
  const found = Number(text)
  if (found > FORMAT) return yield* new DataDirectoryTooNew({ directory, found })
  if (found === FORMAT) return
  yield* files
    .writeFileString(`${path}.new`, `${FORMAT}\n`, { mode: 0o600 })
    .pipe(Effect.andThen(files.rename(`${path}.new`, path)), Effect.mapError(unusable(path)))
})
