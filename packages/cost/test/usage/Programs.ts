/**
 * Programs from elsewhere that tests run: found on the `PATH`, or demanded.
 *
 * A run leaves out the tests of a program that the machine lacks, unless `QUARTERDECK_REQUIRE` names it (separated by
 * commas: `prometheus,promtool`): then they run, and fail.
 */
import { Config, Effect } from "effect"
import { constants } from "node:fs"
import { access } from "node:fs/promises"
import { delimiter, join } from "node:path"

const VARIABLE = "QUARTERDECK_REQUIRE"

export interface Needed {
  readonly name: string
  readonly path: string | undefined
  /** True if the tests of this program are part of this run. */
  readonly runs: boolean
}

const setting = (name: string) => Config.String(name).pipe(Config.withDefault(""))

/** Looks for a program. */
export const needed = (name: string): Promise<Needed> =>
  Effect.runPromise(
    Effect.gen(function* () {
      const required = (yield* setting(VARIABLE)).split(",").map((one) => one.trim())
      const paths = (yield* setting("PATH")).split(delimiter).map((directory) => join(directory, name))
      const found = yield* Effect.forEach(paths, (path) =>
        Effect.promise(() =>
          access(path, constants.X_OK)
            .then(() => path)
            .catch(() => undefined)
        )
      )
      const path = found.find((one) => one !== undefined)
      return { name, path, runs: path !== undefined || required.includes(name) }
    })
  )

/** The program's path; its absence fails the test that asks. */
export const pathOf = ({ name, path }: Needed): Effect.Effect<string> =>
  path === undefined
    ? Effect.die(new Error(`${name} is not on the PATH, and ${VARIABLE} names it`))
    : Effect.succeed(path)
