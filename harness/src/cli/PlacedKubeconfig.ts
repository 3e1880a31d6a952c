/**
 * A kubeconfig in a place that the user names, there as long as its fleet is.
 *
 * A note beside the fleet's other files says where it lies and what was written, so that it goes too when the
 * process that wrote it was killed.
 */
import { createHash } from "node:crypto"
import { link, readFile, rename, rm, writeFile } from "node:fs/promises"
import { Effect, Option, Schema, type Scope } from "effect"
import type { MachineRefused } from "../machine/HarnessError.ts"
import { attempt } from "../machine/Machine.ts"
import * as Owner from "../machine/Owner.ts"
import * as WholeFile from "../machine/WholeFile.ts"
import { type CommandFailure, failed } from "./CommandFailure.ts"

/** The first line of a file that may be replaced and removed; its end names the process whose fleet it enters. */
const MARKER = "# harness up wrote this file and removes it with its fleet: "

/** What tells a file that was placed from every other one. */
const Note = Schema.fromJsonString(
  Schema.Struct({
    path: Schema.NonEmptyString,
    /** Where it is written before it is put in its place; its name says whose it is. */
    draft: Schema.NonEmptyString,
    /** SHA-256 of its text, in hexadecimal. */
    digest: Schema.String
  })
)
const decodeNote = Schema.decodeUnknownOption(Note)
const encodeNote = Schema.encodeSync(Note)

/**
 * Says whether a kubeconfig may be written to a place.
 *
 * **Errors** `CommandFailure` when a file is there that this command did not write, or that a fleet has which runs.
 */
export const check = Effect.fnUntraced(function* (
  path: string
): Effect.fn.Return<"absent" | "left", CommandFailure | MachineRefused> {
  const text = yield* attempt(`read ${path}`, () => standing(path))
  if (text === undefined) return "absent"
  const [first = ""] = text.split("\n", 1)
  const owner = first.startsWith(MARKER) ? Owner.parse(first) : undefined
  if (owner === undefined) {
    return yield* failed(`--kubeconfig must name a new file: harness up did not write the one at ${path}`)
  }
  const state = yield* attempt("look at who wrote a kubeconfig", () => Owner.stateOf(owner))
  if (state !== "dead") {
    return yield* failed(`--kubeconfig must name a new file: ${path} belongs to the fleet of process ${owner.pid}`)
  }
  return "left"
})

/**
 * Writes a kubeconfig, whole and for its user's eyes alone, and removes it when the scope closes if it is still the same.
 *
 * `note` is the file that {@link removeLeft} reads if nothing closes the scope; it is there before the
 * kubeconfig is.
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
          // A link never replaces what somebody else put there meanwhile.
          await (found === "absent" ? link(draft, path) : rename(draft, path))
        } finally {
          await rm(draft, { force: true })
        }
        return text
      })
    }),
    (text) =>
      attempt(`remove ${path}`, async () => {
        if ((await standing(path)) === text) await rm(path, { force: true })
      }).pipe(Effect.orDie)
  ).pipe(Effect.asVoid)

/**
 * Removes what a process that is gone placed, by its note; the note stays.
 *
 * A file that is not as it was written is somebody else's by now and stays too.
 */
export const removeLeft = async (note: string): Promise<void> => {
  const left = decodeNote(await standing(note))
  if (Option.isNone(left)) return
  const { digest, draft, path } = left.value
  await rm(draft, { force: true })
  const text = await standing(path)
  if (text !== undefined && digestOf(text) === digest) await rm(path, { force: true })
}

const digestOf = (text: string): string => createHash("sha256").update(text).digest("hex")

const standing = async (path: string): Promise<string | undefined> => {
  try {
    return await readFile(path, "utf8")
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "ENOENT") return undefined
    throw cause
  }
}
