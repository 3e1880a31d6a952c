#!/usr/bin/env node
/**
 * The command `quarterdeck-assets`: builds the programs of real control planes, and says where they are.
 *
 * @since 0.1.0
 */
import { Console, Effect, Option } from "effect"
import { build } from "../assets/Build.ts"
import { find, PROGRAMS } from "../assets/Programs.ts"

const USAGE = "usage: quarterdeck-assets build | list"

const runBuild = Effect.gen(function* () {
  const built = yield* build(Console.log)
  yield* Console.log(built.length === 0 ? "nothing to build: every program is there" : `built ${built.join(", ")}`)
  return 0
})

const runList = Effect.gen(function* () {
  for (const name of PROGRAMS) {
    const place = yield* find(name)
    yield* Console.log(
      Option.match(place, {
        onNone: () => `${name}: not found`,
        onSome: ({ path, origin }) => `${name}: ${path} (${origin})`
      })
    )
  }
  return 0
})

const commandNamed = (name: string | undefined) => {
  if (name === "build") return runBuild
  if (name === "list") return runList
  return Effect.as(Console.error(USAGE), 2)
}

const command = commandNamed(process.argv[2]).pipe(
  Effect.catchTag("BuildError", (error) => Effect.as(Console.error(`quarterdeck-assets: ${error.message}`), 1))
)

const stop = new AbortController()
process.once("SIGINT", () => stop.abort())
process.once("SIGTERM", () => stop.abort())
process.exitCode = await Effect.runPromise(command, { signal: stop.signal }).catch((error: unknown) => {
  if (stop.signal.aborted) return 130
  throw error
})
