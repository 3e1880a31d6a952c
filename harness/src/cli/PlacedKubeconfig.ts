/**
 * A kubeconfig in a place that the user names, there as long as its fleet is.
 *
 * @since 0.1.0
 */
import { link, readFile, rename, rm, writeFile } from "node:fs/promises"
import { Effect, type Scope } from "effect"
import type { MachineRefused } from "../HarnessError.ts"
import { attempt } from "../internal/Machine.ts"
import * as Owner from "../internal/Owner.ts"
import { type CommandFailure, failed } from "./CommandFailure.ts"

/** The first line of a file that may be replaced and removed; its end names the process whose fleet it enters. */
const MARKER = "# harness up wrote this file and removes it with its fleet: "

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
 * **Errors** those of {@link check}.
 */
export const write = (
  path: string,
  kubeconfig: string
): Effect.Effect<void, CommandFailure | MachineRefused, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.gen(function* () {
      const found = yield* check(path)
      return yield* attempt(`write ${path}`, async () => {
        const owner = Owner.print(await Owner.self())
        const text = `${MARKER}${owner}\n${kubeconfig}`
        const draft = `${path}.${owner}`
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

const standing = async (path: string): Promise<string | undefined> => {
  try {
    return await readFile(path, "utf8")
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "ENOENT") return undefined
    throw cause
  }
}
