/** Prints the ends of the clusters' logs when a test fails. */
import { Console, Effect } from "effect"
import type { TestContext } from "vitest"
import { lastLines } from "../machine/Program.ts"
import type { RunningFleet } from "../fleet/RunningFleet.ts"

/**
 * Prints the last lines of every cluster's log if the test failed.
 *
 * It prints to standard error, which vitest shows with the test's name. Annotations and `onTestFailed` would come too
 * late: vitest accepts no more annotations then, and the clusters may be gone.
 */
export const show = Effect.fnUntraced(function* (
  { result }: Pick<TestContext["task"], "result">,
  fleet: RunningFleet
): Effect.fn.Return<void> {
  if (result?.state !== "fail") return
  for (const { logs, name } of fleet.clusters) {
    const lines = lastLines(yield* logs)
    if (lines.length > 0) yield* Console.error(`the end of the log of ${name}:\n${lines.join("\n")}`)
  }
})
