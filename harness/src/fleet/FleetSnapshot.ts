/** A saved fleet: a directory with an index file and one directory per cluster. */
import { mkdir, readFile, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { Effect, Schema } from "effect"
import { HarnessError, InvalidFleet, type MachineRefused } from "../machine/HarnessError.ts"
import { attempt } from "../machine/Machine.ts"

/**
 * The index file. **Shape** `clusters` holds the names, the parent first. The position of a name determines its
 * cluster's directory.
 */
const Index = Schema.Struct({
  version: Schema.Literal(1),
  driver: Schema.NonEmptyString,
  clusters: Schema.NonEmptyArray(Schema.NonEmptyString)
})
type Index = typeof Index.Type

const INDEX_FILE = "fleet.json"

const decodeIndex = Schema.decodeUnknownEffect(Schema.fromJsonString(Index), { onExcessProperty: "error" })
const encodeIndex = Schema.encodeEffect(Schema.fromJsonString(Index))

/**
 * Returns the directory of the cluster at an index of the saved fleet. Names are not used, because they may contain
 * characters that file names cannot.
 */
export const directoryOf = (directory: string, position: number): string => join(directory, `cluster-${position}`)

/**
 * Creates the directory, runs `fill` to save the clusters into it, and writes the index file last. A directory without
 * an index file is not a snapshot.
 *
 * **Errors** `MachineRefused` if the directory exists, and those of `fill`. After a failure the directory is removed.
 */
export const write = Effect.fnUntraced(function* (
  directory: string,
  index: Omit<Index, "version">,
  fill: Effect.Effect<void, HarnessError>
): Effect.fn.Return<void, HarnessError> {
  const text = yield* Effect.orDie(encodeIndex({ version: 1, ...index }))
  const tried = (action: string, run: () => Promise<unknown>) =>
    attempt(action, run).pipe(Effect.mapError((reason: MachineRefused) => new HarnessError({ reason })))
  const remove = tried("remove an incomplete snapshot", () => rm(directory, { recursive: true, force: true }))
  yield* Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      yield* tried("create a snapshot's directory", () => mkdir(directory, { mode: 0o700 }))
      yield* restore(fill).pipe(
        Effect.andThen(
          tried("write a snapshot's index file", () =>
            writeFile(join(directory, INDEX_FILE), `${text}\n`, { mode: 0o600 })
          )
        ),
        Effect.onError(() => Effect.ignore(remove, { log: "Warn" }))
      )
    })
  )
})

/**
 * Returns the directory of each cluster of a saved fleet, by cluster name.
 *
 * **Errors** `MachineRefused` if the index file cannot be read; `InvalidFleet` if another driver or release wrote the
 * snapshot, or a name in `expected` is missing.
 */
export const open = Effect.fnUntraced(function* (
  directory: string,
  expected: Omit<Index, "version">
): Effect.fn.Return<ReadonlyMap<string, string>, HarnessError> {
  const text = yield* attempt("read a snapshot", () => readFile(join(directory, INDEX_FILE), "utf8")).pipe(
    Effect.mapError((reason: MachineRefused) => new HarnessError({ reason }))
  )
  const index = yield* decodeIndex(text).pipe(
    Effect.mapError(() => refused(`the snapshot in ${directory} was not written by this release`))
  )
  if (index.driver !== expected.driver) {
    return yield* refused(
      `the snapshot in ${directory} was saved by the ${index.driver} driver, not ${expected.driver}`
    )
  }
  const unknown = expected.clusters.filter((name) => !index.clusters.includes(name))
  if (unknown.length > 0) {
    const has = index.clusters.join(", ")
    return yield* refused(`the snapshot in ${directory} holds ${has}, not ${unknown.join(", ")}`)
  }
  return new Map(index.clusters.map((name, position) => [name, directoryOf(directory, position)]))
})

const refused = (problem: string) => new HarnessError({ reason: new InvalidFleet({ problem }) })
