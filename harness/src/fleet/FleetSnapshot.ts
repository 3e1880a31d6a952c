/** A saved fleet: a directory with a page that says what is in it, and a directory for each cluster. */
import { mkdir, readFile, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { Effect, Schema } from "effect"
import { HarnessError, InvalidFleet, type MachineRefused } from "../machine/HarnessError.ts"
import { attempt } from "../machine/Machine.ts"

/** What the page says. **Shape** `clusters` holds the names, the parent first; a cluster's directory is its place there. */
const Page = Schema.Struct({
  version: Schema.Literal(1),
  driver: Schema.NonEmptyString,
  clusters: Schema.NonEmptyArray(Schema.NonEmptyString)
})
type Page = typeof Page.Type

const PAGE = "fleet.json"

const decodePage = Schema.decodeUnknownEffect(Schema.fromJsonString(Page), { onExcessProperty: "error" })
const encodePage = Schema.encodeEffect(Schema.fromJsonString(Page))

/** The directory of the cluster at a place of a saved fleet; names may hold characters that no file may. */
export const directoryOf = (directory: string, place: number): string => join(directory, `cluster-${place}`)

/**
 * Makes the directory, lets `fill` save the clusters into it, and writes the page last: what has no page is no snapshot.
 *
 * **Errors** `MachineRefused` when something stands there already, and those of `fill`; then nothing stays of it.
 */
export const write = Effect.fnUntraced(function* (
  directory: string,
  page: Omit<Page, "version">,
  fill: Effect.Effect<void, HarnessError>
): Effect.fn.Return<void, HarnessError> {
  const text = yield* Effect.orDie(encodePage({ version: 1, ...page }))
  const tried = (action: string, run: () => Promise<unknown>) =>
    attempt(action, run).pipe(Effect.mapError((reason: MachineRefused) => new HarnessError({ reason })))
  const remove = tried("remove a snapshot that was not finished", () => rm(directory, { recursive: true, force: true }))
  yield* Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      yield* tried("make a snapshot's directory", () => mkdir(directory, { mode: 0o700 }))
      yield* restore(fill).pipe(
        Effect.andThen(
          tried("write a snapshot's page", () => writeFile(join(directory, PAGE), `${text}\n`, { mode: 0o600 }))
        ),
        Effect.onError(() => Effect.ignore(remove, { log: "Warn" }))
      )
    })
  )
})

/**
 * Reads where each cluster of a saved fleet lies, by its name.
 *
 * **Errors** `MachineRefused` when there is no page, `InvalidFleet` when it was written by another driver or release, or
 * for clusters of other names.
 */
export const open = Effect.fnUntraced(function* (
  directory: string,
  asked: Omit<Page, "version">
): Effect.fn.Return<ReadonlyMap<string, string>, HarnessError> {
  const text = yield* attempt("read a snapshot", () => readFile(join(directory, PAGE), "utf8")).pipe(
    Effect.mapError((reason: MachineRefused) => new HarnessError({ reason }))
  )
  const page = yield* decodePage(text).pipe(
    Effect.mapError(() => refused(`the snapshot in ${directory} was not written by this release`))
  )
  if (page.driver !== asked.driver) {
    return yield* refused(`the snapshot in ${directory} was saved by the ${page.driver} driver, not ${asked.driver}`)
  }
  const unknown = asked.clusters.filter((name) => !page.clusters.includes(name))
  if (unknown.length > 0) {
    const has = page.clusters.join(", ")
    return yield* refused(`the snapshot in ${directory} holds ${has}, not ${unknown.join(", ")}`)
  }
  return new Map(page.clusters.map((name, place) => [name, directoryOf(directory, place)]))
})

const refused = (problem: string) => new HarnessError({ reason: new InvalidFleet({ problem }) })
