/**
 * A kubeconfig at a path that the user chose, which exists as long as its fleet.
 *
 * A note among the fleet's files records its path and content, so that a sweep removes it if the process was killed.
 */
import { createHash } from "node:crypto"
import { link, readFile, rename, rm, writeFile } from "node:fs/promises"
import { Effect, Option, Schema, type Scope } from "effect"
import type { MachineRefused } from "../machine/HarnessError.ts"
import { attempt } from "../machine/Machine.ts"
import * as Owner from "../machine/Owner.ts"
import * as WholeFile from "../machine/WholeFile.ts"
import { type CommandFailure, failed } from "./CommandFailure.ts"

/** First line of a file that the harness may replace and remove. The line ends with the name of the owner. */
const MARKER = "# harness up wrote this file and removes it with its fleet: "

/** Content of a note: identifies a kubeconfig that was written to a path of the user's choice. */
const Note = Schema.fromJsonString(
  Schema.Struct({
    path: Schema.NonEmptyString,
    /** Path of the draft that is renamed to `path`. Its name ends with the owner. */
    draft: Schema.NonEmptyString,
    /** SHA-256 of the text, in hexadecimal. */
    digest: Schema.String
  })
)
const decodeNote = Schema.decodeUnknownOption(Note)
const encodeNote = Schema.encodeSync(Note)

/**
 * Checks whether a kubeconfig may be written to a path. Returns `left` if a dead process left a file there.
 *
 * **Errors** `CommandFailure` if the file was not written by this command, or its fleet is running.
 */
export const check = Effect.fnUntraced(function* (
  path: string
): Effect.fn.Return<"absent" | "left", CommandFailure | MachineRefused> {
  const text = yield* attempt(`read ${path}`, () => readIfPresent(path))
  if (text === undefined) return "absent"
  const [first = ""] = text.split("\n", 1)
  const owner = first.startsWith(MARKER) ? Owner.parse(first) : undefined
  if (owner === undefined) {
    return yield* failed(`--kubeconfig must name a new file: harness up did not write the one at ${path}`)
  }
  const state = yield* attempt("check the owner of a kubeconfig", () => Owner.stateOf(owner))
  if (state !== "dead") {
    return yield* failed(`--kubeconfig must name a new file: ${path} belongs to the fleet of process ${owner.pid}`)
  }
  return "left"
})

/**
 * Writes a kubeconfig atomically, readable only by its user. Closing the scope removes it if it is unchanged.
 *
 * `note` is the path of the note for {@link removeLeft}, written before the kubeconfig.
 *
 * **Errors** those of {@link check}.
 */
export const write = (
  path: string,
  kubeconfig: string,
  note: string
): Effect.Effect<void, CommandFailure | MachineRefused, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.gen(function* () {
      const found = yield* check(path)
      return yield* attempt(`write ${path}`, async () => {
        const owner = Owner.print(await Owner.self())
        const text = `${MARKER}${owner}\n${kubeconfig}`
        const draft = `${path}.${owner}`
        await WholeFile.write(note, encodeNote({ path, draft, digest: digestOf(text) }))
        await writeFile(draft, text, { mode: 0o600, flag: "wx" })
        try {
          // A link never replaces a file that another program has created meanwhile.
          await (found === "absent" ? link(draft, path) : rename(draft, path))
        } finally {
          await rm(draft, { force: true })
        }
        return text
      })
    }),
    (text) =>
      attempt(`remove ${path}`, async () => {
        if ((await readIfPresent(path)) === text) await rm(path, { force: true })
      }).pipe(Effect.orDie)
  ).pipe(Effect.asVoid)

/**
 * Removes the kubeconfig of a dead process, according to its note. The note stays.
 *
 * A changed file stays too: another program has written it.
 */
export const removeLeft = async (note: string): Promise<void> => {
  const left = decodeNote(await readIfPresent(note))
  if (Option.isNone(left)) return
  const { digest, draft, path } = left.value
  await rm(draft, { force: true })
  const text = await readIfPresent(path)
  if (text !== undefined && digestOf(text) === digest) await rm(path, { force: true })
}

const digestOf = (text: string): string => createHash("sha256").update(text).digest("hex")

const readIfPresent = async (path: string): Promise<string | undefined> => {
  try {
    return await readFile(path, "utf8")
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "ENOENT") return undefined
    throw cause
  }
}
