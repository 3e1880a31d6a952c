/**
 * The file in which a cluster's objects outlive it.
 *
 * Lines of JSON: a first one that says what follows, one for each object, and a last one that counts them, so that a
 * file which was cut off is not taken for a smaller cluster.
 */
import { mkdir, readFile, rm, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { Effect, Option, Schema } from "effect"
import { InvalidFleet, type MachineRefused } from "../machine/HarnessError.ts"
import { attempt } from "../machine/Machine.ts"

/** The release of the file's form; a newer one is refused. */
const VERSION = 1
const FORMAT = "quarterdeck-cluster"
const FILE = "cluster.ndjson"

/** What every release of the file says first. */
const Form = Schema.fromJsonString(Schema.Struct({ format: Schema.Literal(FORMAT), version: Schema.Natural }))
const Head = Schema.fromJsonString(
  Schema.Struct({
    driver: Schema.NonEmptyString,
    /** The Kubernetes whose objects these are, `v1.36.3`. */
    kubernetes: Schema.NonEmptyString,
    /** What the driver needs beside the objects. */
    extra: Schema.Json
  })
)
const Tail = Schema.fromJsonString(Schema.Struct({ objects: Schema.Natural }))

const decodeForm = Schema.decodeUnknownOption(Form)
const decodeHead = Schema.decodeUnknownOption(Head)
const decodeTail = Schema.decodeUnknownOption(Tail)

/** A saved cluster. **Shape** `objects` are in the driver's own form, one JSON text each. */
export interface SavedCluster {
  readonly driver: string
  readonly kubernetes: string
  readonly extra: Schema.Json
  readonly objects: ReadonlyArray<string>
}

/**
 * Writes the file into a directory, which is made.
 *
 * Only this user can read it: it holds secrets and keys as they are.
 *
 * **Errors** `MachineRefused` when something stands there already; what was begun is removed.
 */
export const write = (directory: string, saved: SavedCluster): Effect.Effect<void, MachineRefused> =>
  attempt("save a cluster", async () => {
    await mkdir(dirname(directory), { recursive: true })
    await mkdir(directory, { mode: 0o700 })
    try {
      await writeFile(join(directory, FILE), lines(saved), { mode: 0o600, flag: "wx" })
    } catch (cause) {
      await rm(directory, { recursive: true, force: true })
      throw cause
    }
  })

function* lines({ driver, kubernetes, extra, objects }: SavedCluster) {
  yield `${JSON.stringify({ format: FORMAT, version: VERSION, driver, kubernetes, extra })}\n`
  for (const object of objects) yield `${object}\n`
  yield `${JSON.stringify({ objects: objects.length })}\n`
}

/**
 * Reads the file that a driver wrote.
 *
 * **Errors** `MachineRefused` when there is none, `InvalidFleet` when it is cut off, of a newer release, or another
 * driver's.
 */
export const read = Effect.fnUntraced(function* (
  directory: string,
  driver: string
): Effect.fn.Return<SavedCluster, InvalidFleet | MachineRefused> {
  const text = yield* attempt("read a saved cluster", () => readFile(join(directory, FILE), "utf8"))
  const all = text.split("\n")
  const form = decodeForm(all[0])
  if (Option.isNone(form)) return yield* unusable(directory, "its file does not begin as one")
  if (form.value.version > VERSION) {
    const problem = `its file has form ${form.value.version} of a newer release; this one reads up to ${VERSION}`
    return yield* unusable(directory, problem)
  }
  const head = decodeHead(all[0])
  if (Option.isNone(head)) return yield* unusable(directory, "the first line of its file is not whole")
  if (head.value.driver !== driver) {
    return yield* unusable(directory, `it was saved by the ${head.value.driver} driver, not ${driver}`)
  }
  // The last line ends with a line break too, so an empty text follows it.
  const objects = all.slice(1, -2)
  const tail = decodeTail(all.at(-2))
  if (all.length < 3 || all.at(-1) !== "" || Option.isNone(tail) || tail.value.objects !== objects.length) {
    return yield* unusable(directory, "its file is cut off")
  }
  return { ...head.value, objects }
})

/** Says why a saved cluster cannot be started. */
export const unusable = (directory: string, problem: string): InvalidFleet =>
  new InvalidFleet({ problem: `${directory} holds no saved cluster that can be started: ${problem}` })
