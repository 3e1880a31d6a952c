/** Reconstructs the command with which the user started this program, for suggestions in its output. */
import { Effect } from "effect"
import { setting } from "../machine/Machine.ts"

export interface Surroundings {
  /** The script that Node runs. */
  readonly entry: string
  /** True if a package manager started the program: npx, pnpm exec, or a package script. */
  readonly managed: boolean
}

/**
 * Returns the command to type: `harness`, `npx harness`, `npx @quarterdeck/harness`, or `npx pnpm@12 harness` in a
 * checkout.
 */
export const commandFor = ({ entry, managed }: Surroundings): string => {
  if (entry.endsWith(".ts")) return "npx pnpm@12 harness"
  const path = entry.replaceAll("\\", "/")
  // npx installs packages for a single call in a directory of this name.
  if (path.includes("/_npx/")) return "npx @quarterdeck/harness"
  return managed ? "npx harness" : "harness"
}

/** The command with which the user started this process. */
export const command: Effect.Effect<string> = Effect.gen(function* () {
  const managed = (yield* setting("npm_command")) ?? (yield* setting("npm_lifecycle_event"))
  return commandFor({ entry: process.argv[1] ?? "", managed: managed !== undefined })
})
