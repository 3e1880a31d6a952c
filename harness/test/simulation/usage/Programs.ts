/**
 * Programs from elsewhere that tests run: found on the `PATH`, or demanded.
 *
 * A run leaves out the tests of a program that the machine lacks, unless `QUARTERDECK_REQUIRE` names it (separated by
 * commas: `prometheus,promtool`): then they run, and fail.
 */
import { spawn } from "node:child_process"
import { constants } from "node:fs"
import { access, mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { Effect } from "effect"
import { setting } from "../../../src/machine/Machine.ts"

const VARIABLE = "QUARTERDECK_REQUIRE"

export interface Needed {
  readonly name: string
  readonly path: string | undefined
  /** Whether the tests of this program are part of this run. */
  readonly runs: boolean
}

/** Looks for a program. */
export const needed = (name: string): Promise<Needed> =>
  Effect.runPromise(
    Effect.gen(function* () {
      const required = ((yield* setting(VARIABLE)) ?? "").split(",").map((one) => one.trim())
      const directories = ((yield* setting("PATH")) ?? "").split(delimiter)
      const paths = directories.map((directory) => join(directory, name))
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

/** A directory that is gone after the test. */
export const temporaryDirectory = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(join(tmpdir(), "quarterdeck-test-"))),
  (path) => Effect.promise(() => rm(path, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 }))
)

/** Runs a program until the scope closes. */
export const running = (path: string, args: ReadonlyArray<string>) =>
  Effect.acquireRelease(
    Effect.sync(() => spawn(path, args, { stdio: "ignore" })),
    (child) =>
      Effect.callback<void>((resume) => {
        if (child.exitCode !== null || child.signalCode !== null) return resume(Effect.void)
        child.once("exit", () => resume(Effect.void))
        child.kill("SIGKILL")
      })
  )
