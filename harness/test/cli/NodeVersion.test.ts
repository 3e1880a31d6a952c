/** The programs on a Node that is too old for them. */
import { assert, describe, it } from "@effect/vitest"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { text } from "node:stream/consumers"
import { Effect } from "effect"

const ENTRY = new URL("../../src/cli/harness.ts", import.meta.url).pathname

/** An older version, and nothing that the program could import. */
const OLD = `
import { registerHooks } from "node:module"
Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.20.2" } })
Object.defineProperty(process, "version", { value: "v20.20.2" })
registerHooks({
  resolve: (specifier, context, next) => {
    if (context.parentURL?.endsWith("/cli/harness.ts")) throw new TypeError("imported too early")
    return next(specifier, context)
  }
})
`

describe("harness", () => {
  for (const command of ["doctor", "up", "--version"]) {
    it.effect(`${command} says in one line which Node is needed, before anything of it is loaded`, () =>
      Effect.promise(async () => {
        const preload = `--import=data:text/javascript,${encodeURIComponent(OLD)}`
        const child = spawn(process.execPath, [preload, "--conditions=@quarterdeck/source", ENTRY, command], {
          stdio: ["ignore", "pipe", "pipe"]
        })
        const [out, err] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")])
        assert.deepStrictEqual(
          [child.exitCode, out, err],
          [1, "", "harness: Node 24 or newer is required; this is v20.20.2\n"]
        )
      })
    )
  }
})
