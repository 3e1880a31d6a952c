/**
 * A vitest reporter that says, once and last, which drivers a run left out and what would bring them.
 *
 * A run that quietly tested less than another one looks the same; this line is the difference.
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

/** The closing line; undefined when nothing was left out. */
export const closingLine = (leftOut: ReadonlyArray<Drivers.LeftOut>): string | undefined =>
  leftOut.length === 0
    ? undefined
    : `drivers left out: ${leftOut.map(({ driver, remedy }) => `${driver} (${remedy})`).join("; ")}`

/** The reporter; vitest calls it by the shape of its own `Reporter`, which is not needed to build it. */
export class LeftOutDrivers {
  readonly onTestRunEnd = (): Promise<void> =>
    Effect.runPromise(
      Drivers.selected.pipe(
        Effect.map(({ leftOut }) => closingLine(leftOut)),
        // A bad list has failed the tests that read it, with this message; it is repeated here for runs that read none.
        Effect.catchTag("HarnessError", (error) => Effect.succeed(error.message)),
        Effect.flatMap((line) => (line === undefined ? Effect.void : Console.log(`\n${line}`)))
      )
    )
}
