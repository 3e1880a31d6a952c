/**
 * A vitest reporter that prints at the end of a run which drivers were left out, and how to make them available.
 *
 * Without this line a run that skipped drivers looks the same as a complete one.
 *
 * **Example**
 *
 * ```ts
 * // vitest.config.ts
 * test: { reporters: ["default", new LeftOutDrivers()] }
 * ```
 */
import { Console, Effect } from "effect"
import * as Drivers from "../drivers/Drivers.ts"

/** Returns the closing line, or undefined if no driver was left out. */
export const closingLine = (leftOut: ReadonlyArray<Drivers.LeftOut>): string | undefined =>
  leftOut.length === 0
    ? undefined
    : `drivers left out: ${leftOut.map(({ driver, remedy }) => `${driver} (${remedy})`).join("; ")}`

/** The reporter. It has the shape of vitest's `Reporter` without importing that type. */
export class LeftOutDrivers {
  readonly onTestRunEnd = (): Promise<void> =>
    Effect.runPromise(
      Drivers.selected.pipe(
        Effect.map(({ leftOut }) => closingLine(leftOut)),
        // An invalid list of drivers fails the tests that read the list. The reporter prints the error too, for runs
        // without such tests.
        Effect.catchTag("HarnessError", (error) => Effect.succeed(error.message)),
        Effect.flatMap((line) => (line === undefined ? Effect.void : Console.log(`\n${line}`)))
      )
    )
}
