import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { spawn } from "node:child_process"
import { text } from "node:stream/consumers"

/** Makes a process one of Node 20, which has no `node:sqlite`, and no zstd in `node:zlib`. */
const AS_NODE_20 = `
import { registerHooks } from "node:module"
Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.20.2" } })
Object.defineProperty(process, "version", { value: "v20.20.2" })
const zlib = process.getBuiltinModule("node:zlib")
const names = Object.keys(zlib).filter((name) => !name.startsWith("zstd"))
const older = \`const zlib = process.getBuiltinModule("node:zlib"); export default zlib; export const { \${names.join(", ")} } = zlib\`
registerHooks({
  resolve: (name, context, next) => {
    if (name === "node:sqlite") throw new Error("No such built-in module: node:sqlite")
    if (name !== "node:zlib") return next(name, context)
    return { url: "data:text/javascript," + encodeURIComponent(older), shortCircuit: true }
  }
})`

/** Imports a module as Node 20 would. **Shape** what the failure says, with its stack. */
const importIn20 = (name: string): Effect.Effect<string> =>
  Effect.promise(async (signal) => {
    // A program of its own, which tells what it came to on its standard output: that is how it answers.
    const script = `try { await import(${JSON.stringify(name)}); console.log("imported") } catch (error) { console.log(error.stack) }`
    const args = [
      "--conditions=@quarterdeck/source",
      "--import",
      `data:text/javascript,${encodeURIComponent(AS_NODE_20)}`
    ]
    const child = spawn(process.execPath, [...args, "--input-type=module", "--eval", script], {
      cwd: import.meta.dirname,
      signal,
      stdio: ["ignore", "pipe", "inherit"]
    })
    return text(child.stdout)
  })

describe("on Node 20", () => {
  it.live.each([
    { module: "@quarterdeck/http-server", named: "@quarterdeck/http-server" },
    { module: "@quarterdeck/http-server/Quarterdeck", named: "@quarterdeck/http-server" },
    { module: "@quarterdeck/cluster-fanout", named: "@quarterdeck/cluster-fanout" },
    { module: "@quarterdeck/cluster-fanout/KubeApi", named: "@quarterdeck/cluster-fanout" }
  ])("importing $module says in one line that Node 24 is needed", ({ module, named }) =>
    Effect.gen(function* () {
      assert.strictEqual(yield* importIn20(module), `${named} needs Node 24 or newer, and this is v20.20.2\n`)
    })
  )
})
