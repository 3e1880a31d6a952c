import { assert, describe, it } from "@effect/vitest"
import { execFile } from "node:child_process"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { Effect } from "effect"
import type { Reporter } from "vitest/node"
import { LeftOutDrivers } from "../../src/vitest/LeftOutDrivers.ts"
import { compileCache } from "../machine/Fixture.ts"

const run = promisify(execFile)
const MODULE = new URL("../../src/vitest/LeftOutDrivers.ts", import.meta.url).href
const reporter: Reporter = new LeftOutDrivers()

/** What a run of vitest would print at its end, in a process that has no programs anywhere. */
const printed = (drivers: Record<string, string>) =>
  Effect.acquireUseRelease(
    Effect.promise(() => mkdtemp(join(tmpdir(), "quarterdeck-test-"))),
    (home) =>
      Effect.promise(async () => {
        const script = join(home, "end.ts")
        await writeFile(
          script,
          `const { LeftOutDrivers } = await import(${JSON.stringify(MODULE)})\nawait new LeftOutDrivers().onTestRunEnd()\n`
        )
        const env = { ...compileCache, HOME: home, ...drivers }
        return (await run(process.execPath, ["--conditions=@quarterdeck/source", script], { env })).stdout
      }),
    (home) => Effect.promise(() => rm(home, { recursive: true }))
  )

describe("LeftOutDrivers", () => {
  it("is a reporter that speaks at the end of a run", () => {
    assert.isFunction(reporter.onTestRunEnd)
  })

  it.effect("says what was left out and what would bring it, in one line", () =>
    Effect.gen(function* () {
      const lines = (yield* printed({})).trim().split("\n")
      assert.strictEqual(lines.length, 1)
      assert.match(
        lines[0] ?? "",
        /^drivers left out: control-plane \(etcd and kube-apiserver not found; run `.+` \(needs Go/
      )
    })
  )

  it.effect("is silent when the list leaves nothing open", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* printed({ QUARTERDECK_DRIVERS: "embedded" }), "")
    })
  )

  it.effect("repeats that the list is wrong", () =>
    Effect.gen(function* () {
      assert.include(yield* printed({ QUARTERDECK_DRIVERS: "embeded" }), "names the unknown driver embeded")
    })
  )
})
