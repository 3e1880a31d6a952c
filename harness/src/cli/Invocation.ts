/** How this program was called, so that what it tells the user to type works there. */
import { Effect } from "effect"
import { setting } from "../machine/Machine.ts"

export interface Surroundings {
  /** The file that Node was given. */
  readonly entry: string
  /** Whether a package manager started it: npx, pnpm exec, or a script of a package. */
  readonly managed: boolean
}

/**
 * Gives the command as the user types it: `harness`, `npx harness`, `npx @quarterdeck/harness`, from a checkout
 * `npx pnpm@12 harness`.
 */
export const commandFor = ({ entry, managed }: Surroundings): string => {
  if (entry.endsWith(".ts")) return "npx pnpm@12 harness"
  const path = entry.replaceAll("\\", "/")
  // npx keeps what it has fetched for one call apart from every project.
  if (path.includes("/_npx/")) return "npx @quarterdeck/harness"
  return managed ? "npx harness" : "harness"
}

/** The command as the user would type it again. */
export const command: Effect.Effect<string> = Effect.gen(function* () {
  const managed = (yield* setting("npm_command")) ?? (yield* setting("npm_lifecycle_event"))
  return commandFor({ entry: process.argv[1] ?? "", managed: managed !== undefined })
})
