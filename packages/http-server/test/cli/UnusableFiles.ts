/** Files that a server refuses to start with. */
import { Effect, FileSystem } from "effect"
import { DatabaseSync } from "node:sqlite"

/** The files of a test, and flags that name clusters, a data directory, or both with a port. */
export interface Place {
  readonly at: (name: string) => string
  readonly clusters: ReadonlyArray<string>
  readonly data: ReadonlyArray<string>
  readonly flags: ReadonlyArray<string>
}

/** Writes damaged files, files of a newer program, and files of another shape. */
export const writeUnusable = Effect.fnUntraced(function* (at: Place["at"]) {
  const files = yield* FileSystem.FileSystem
  yield* files.writeFileString(at("broken.yaml"), "clusters: [\n")
  yield* files.writeFileString(at("other.yaml"), "hello: 1\n")
  for (const [directory, file] of [
    ["damaged-costs", "cost.sqlite"],
    ["damaged-prices", "prices.json"],
    ["damaged-keys", "keys.sqlite"]
  ] as const) {
    yield* files.makeDirectory(at(directory), { mode: 0o700 })
    yield* files.writeFileString(at(`${directory}/${file}`), "not what it should be, ".repeat(100))
  }
  for (const [directory, file] of [
    ["newer-costs", "cost.sqlite"],
    ["newer-keys", "keys.sqlite"]
  ] as const) {
    yield* files.makeDirectory(at(directory), { mode: 0o700 })
    const database = new DatabaseSync(at(`${directory}/${file}`))
    database.exec("CREATE TABLE schema_version (version INTEGER NOT NULL); INSERT INTO schema_version VALUES (1000)")
    database.close()
  }
  for (const [directory, file, text] of [
    ["newer", "format", "1000\n"],
    ["other-prices", "prices.json", '{"version":[],"what":1}']
  ] as const) {
    yield* files.makeDirectory(at(directory), { mode: 0o700 })
    yield* files.writeFileString(at(`${directory}/${file}`), text)
  }
})
