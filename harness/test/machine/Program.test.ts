import { assert, describe, it } from "@effect/vitest"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { Effect } from "effect"
import { eventually } from "../../src/machine/Eventually.ts"
import { commandOf } from "../../src/machine/Processes.ts"
import * as Program from "../../src/machine/Program.ts"
import * as Watchdog from "../../src/machine/Watchdog.ts"
import * as Workspace from "../../src/machine/Workspace.ts"
import { temporaryDirectory } from "./Fixture.ts"

const place = Effect.gen(function* () {
  const workspace = yield* Workspace.make(yield* temporaryDirectory)
  return { workspace, watchdog: yield* Watchdog.make(workspace.path) }
})
const shell = (script: string) => ({ name: "shell", command: "/bin/sh", args: ["-c", script] })
const runs = (pid: number) => Effect.promise(async () => ((await commandOf(pid)) ?? "").trim() !== "")

describe("Program", () => {
  it.effect("fails with its outcome and last lines as soon as it ends", () =>
    Effect.gen(function* () {
      const program = yield* Program.start(shell("echo starting; echo no such flag >&2; exit 3"), yield* place)
      const error = yield* Effect.flip(program.failsWhenEnded)
      assert.strictEqual(error.message, "shell ended with exit status 3; its last lines:\nstarting\nno such flag")
    })
  )

  it.effect("fails at once when there is no such program", () =>
    Effect.gen(function* () {
      const missing = { name: "absent", command: "/nowhere/absent", args: [] }
      const error = yield* Effect.flip(Program.start(missing, yield* place))
      assert.include(error.message, "ENOENT")
    })
  )

  it.effect("ends with its scope, children included", () =>
    Effect.gen(function* () {
      const at = yield* place
      const pids = yield* Effect.scoped(
        Effect.gen(function* () {
          const program = yield* Program.start(shell("sleep 300 & echo $!; wait"), at)
          const child = yield* eventually("the child runs", program.tail, (tail) => /^\d+\n/.test(tail))
          return [program.pid, Number(child)]
        })
      )
      for (const pid of pids) yield* eventually("the process is gone", runs(pid), (is) => !is)
    })
  )

  it.effect("is killed when it ignores the request to end", () =>
    Effect.gen(function* () {
      const at = yield* place
      const ended = yield* Effect.scoped(
        Effect.gen(function* () {
          const program = yield* Program.start(shell("trap '' TERM; echo ready; while :; do sleep 0.05; done"), at)
          yield* eventually("the trap is set", program.tail, (tail) => tail === "ready\n")
          return program.ended
        })
      ).pipe(Effect.provideService(Program.TerminationGrace, "100 millis"))
      assert.strictEqual(yield* ended, "signal SIGKILL")
    })
  )

  it.effect("is noted in its workspace, for the next start to find", () =>
    Effect.gen(function* () {
      const at = yield* place
      const program = yield* Program.start(shell("sleep 300"), at)
      const noted = yield* Effect.promise(() => readFile(join(at.workspace.path, "programs"), "utf8"))
      assert.strictEqual(noted, `${program.pid}\n`)
    })
  )

  it.effect("shows the last 20 lines of a long log", () =>
    Effect.sync(() => {
      const text = Array.from({ length: 100 }, (_, at) => `line ${at}\n\n`).join("")
      const lines = Program.lastLines(text)
      assert.strictEqual(lines.length, 20)
      assert.strictEqual(lines.at(-1), "line 99")
    })
  )
})
