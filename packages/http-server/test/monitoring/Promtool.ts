/**
 * Prometheus' promtool, which judges rules: found on the `PATH`, or demanded.
 *
 * A run leaves out its tests where the machine lacks it, unless `QUARTERDECK_REQUIRE` names `promtool` (separated by commas
 * from others): then they run, and fail.
 */
import { NodeServices } from "@effect/platform-node"
import { Config, Effect, FileSystem, Option, Path } from "effect"
import { spawn } from "node:child_process"

const NAME = "promtool"
const VARIABLE = "QUARTERDECK_REQUIRE"

const setting = (name: string) => Config.String(name).pipe(Config.withDefault(""))

const find = Effect.gen(function* () {
  const files = yield* FileSystem.FileSystem
  const paths = yield* Path.Path
  const candidates = (yield* setting("PATH")).split(":").map((directory) => paths.join(directory, NAME))
  const found = yield* Effect.filter(candidates, (path) => files.exists(path))
  const required = (yield* setting(VARIABLE)).split(",").map((name) => name.trim())
  return { path: Option.fromUndefinedOr(found[0]), isRequired: required.includes(NAME) }
})

const { isRequired, path } = await Effect.runPromise(Effect.provide(find, NodeServices.layer))

/** Whether its tests are part of this run. */
export const runs = isRequired || Option.isSome(path)

/** Says in a suite that its tests are left out, where they are. */
export const sayIfLeftOut = (it: {
  readonly effect: (name: string, test: () => Effect.Effect<void>) => void
}): void => {
  if (!runs)
    it.effect(`is left out: there is no ${NAME} on the PATH, which Debian's package prometheus has`, () => Effect.void)
}

/** Runs it, and gives how it ended and what it said. */
export const run = (...args: ReadonlyArray<string>) =>
  Option.match(path, {
    onNone: () => Effect.die(new Error(`${NAME} is not on the PATH, and ${VARIABLE} names it`)),
    onSome: (program) =>
      Effect.callback<{ readonly status: number | null; readonly text: string }>((resume) => {
        const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"] })
        let text = ""
        const note = (chunk: Buffer) => {
          text += chunk.toString("utf8")
        }
        child.stdout.on("data", note)
        child.stderr.on("data", note)
        child.once("error", (error) => resume(Effect.die(error)))
        child.once("close", (status) => resume(Effect.succeed({ status, text })))
        return Effect.sync(() => child.kill("SIGKILL"))
      })
  })
