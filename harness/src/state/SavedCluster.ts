/**
 * The file format of a saved cluster.
 *
 * Lines of JSON: a header, one line per object, and a last line with their count, which reveals a truncated file.
 */
import { mkdir, readFile, rm, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { Effect, Option, Schema } from "effect"
import { InvalidFleet, type MachineRefused } from "../machine/HarnessError.ts"
import { attempt } from "../machine/Machine.ts"

/** Version of the file format. A newer version is refused. */
const VERSION = 1
const FORMAT = "quarterdeck-cluster"
const FILE = "cluster.ndjson"

/** Header fields that every version of the format has. */
const Form = Schema.fromJsonString(Schema.Struct({ format: Schema.Literal(FORMAT), version: Schema.Natural }))
const Head = Schema.fromJsonString(
  Schema.Struct({
    driver: Schema.NonEmptyString,
    /** Kubernetes version of the saved objects: `v1.36.3`. */
    kubernetes: Schema.NonEmptyString,
    /** Data that the driver needs in addition to the objects. */
    extra: Schema.Json
  })
)
const Tail = Schema.fromJsonString(Schema.Struct({ objects: Schema.Natural }))

const decodeForm = Schema.decodeUnknownOption(Form)
const decodeHead = Schema.decodeUnknownOption(Head)
const decodeTail = Schema.decodeUnknownOption(Tail)

/** A saved cluster. **Shape** `objects` are in the driver's own format, one JSON text each. */
export interface SavedCluster {
  readonly driver: string
  readonly kubernetes: string
  readonly extra: Schema.Json
  readonly objects: ReadonlyArray<string>
}

/**
 * Writes the file into a new directory.
 *
 * Only this user can read it: it contains secrets and keys in plain text.
 *
 * **Errors** `MachineRefused` if the directory exists. After a failure the directory is removed.
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
 * **Errors** `MachineRefused` if there is no file; `InvalidFleet` if the file is truncated, or if a newer release or
 * another driver wrote it.
 */
export const read = Effect.fnUntraced(function* (
  directory: string,
  driver: string
): Effect.fn.Return<SavedCluster, InvalidFleet | MachineRefused> {
  const text = yield* attempt("read a saved cluster", () => readFile(join(directory, FILE), "utf8"))
  const all = text.split("\n")
  const form = decodeForm(all[0])
  if (Option.isNone(form)) return yield* unusable(directory, "its file is not a saved cluster")
  if (form.value.version > VERSION) {
    const problem = `its file has version ${form.value.version} of the format; this release reads versions up to ${VERSION}`
    return yield* unusable(directory, problem)
  }
  const head = decodeHead(all[0])
  if (Option.isNone(head)) return yield* unusable(directory, "the first line of its file is invalid")
  if (head.value.driver !== driver) {
    return yield* unusable(directory, `it was saved by the ${head.value.driver} driver, not ${driver}`)
  }
  // The last line ends with a line break, so an empty string follows it.
  const objects = all.slice(1, -2)
  const tail = decodeTail(all.at(-2))
  if (all.length < 3 || all.at(-1) !== "" || Option.isNone(tail) || tail.value.objects !== objects.length) {
    return yield* unusable(directory, "its file is truncated")
  }
  return { ...head.value, objects }
})

/** Returns the error for a saved cluster that cannot be started. */
export const unusable = (directory: string, problem: string): InvalidFleet =>
  new InvalidFleet({ problem: `cannot start the cluster saved in ${directory}: ${problem}` })
