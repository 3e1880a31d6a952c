/** What the program reads before a command does its work: it is most of the time that a short command takes. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { spawn } from "node:child_process"
import { text } from "node:stream/consumers"
import { fileURLToPath } from "node:url"

const BIN = fileURLToPath(new URL("../../src/bin.ts", import.meta.url))

/** Tells on standard error which modules a process has read. */
const TELLING = `
import { registerHooks } from "node:module"
const urls = []
registerHooks({ load: (url, context, next) => (urls.push(url), next(url, context)) })
process.on("exit", () => process.stderr.write(urls.join("\\n")))`

const modulesOf = (args: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<string>> =>
  Effect.promise(async (signal) => {
    const hooks = ["--import", `data:text/javascript,${encodeURIComponent(TELLING)}`]
    const child = spawn(process.execPath, ["--conditions=@quarterdeck/source", ...hooks, BIN, ...args], {
      signal,
      stdio: ["ignore", "ignore", "pipe"]
    })
    return (await text(child.stderr)).split("\n")
  })

/** The modules of commands among those that a process has read. */
const commandsOf = (modules: ReadonlyArray<string>): ReadonlyArray<string> =>
  modules.map((url) => /[^/]*Commands?\.ts$/.exec(url)?.[0] ?? "").filter((name) => name !== "")

describe("a command that asks a server", () => {
  it.live("reads nothing of the server itself", () =>
    Effect.gen(function* () {
      const modules = yield* modulesOf(["whoami"])
      assert.isTrue(modules.some((url) => url.endsWith("/cli/Cli.ts")))
      const ofServer =
        /\/undici\/|\/cluster-fanout\/src\/(?:index|cache\/|kube\/KubeApi)|\/(?:cost|keys)\/src\/index|\/http\/handlers\//
      assert.deepStrictEqual(
        modules.filter((url) => ofServer.test(url)),
        []
      )
      assert.deepStrictEqual(commandsOf(modules), ["WhoamiCommand.ts"])
    })
  )
})

describe("the version", () => {
  it.live("reads no command", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(commandsOf(yield* modulesOf(["--version"])), [])
    })
  )
})
