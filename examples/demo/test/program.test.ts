import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { text } from "node:stream/consumers"
import { fileURLToPath } from "node:url"
import * as Page from "../src/Page.ts"

const PROGRAM = fileURLToPath(new URL("../src/main.ts", import.meta.url))

const demo = (...words: ReadonlyArray<string>) =>
  Effect.promise(async () => {
    const child = spawn(process.execPath, ["--conditions=@quarterdeck/source", PROGRAM, ...words])
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "exit")])
    return { stdout, stderr, status: child.exitCode }
  })

describe("demo", () => {
  it.live.each(["--help", "-h"])("prints its flags for %s, starts nothing and ends with 0", (word) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* demo(word), { stdout: `${Page.help}\n`, stderr: "", status: 0 })
    })
  )

  it.live("says which word it does not know, with its flags, and ends with 2", () =>
    Effect.gen(function* () {
      const { status, stderr, stdout } = yield* demo("--twice")
      assert.deepStrictEqual([status, stdout], [2, ""])
      assert.include(stderr, "demo: Unknown option '--twice'")
      assert.include(stderr, Page.help)
    })
  )

  it("prints lines for a shell that the commands need, and where its data lies", () => {
    const lines = Page.commandLine("http://127.0.0.1:8080", "qd_key", "/tmp/demo/data", "assistant-5d8f-x2x9k").split(
      "\n"
    )
    assert.includeMembers(lines, [
      "export QUARTERDECK_URL=http://127.0.0.1:8080",
      "export QUARTERDECK_API_KEY=qd_key",
      "npx pnpm@12 quarterdeck logs assistant-5d8f-x2x9k -n shop -c hub --follow",
      "npx pnpm@12 quarterdeck audit verify --data /tmp/demo/data"
    ])
  })
})
