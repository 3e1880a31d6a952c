import { assert, describe, it } from "@effect/vitest"
import { spawn } from "node:child_process"
import { mkdir, readdir, stat, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { Effect } from "effect"
import { eventually } from "../../src/machine/Eventually.ts"
import { commandOf, processWorld, startOf } from "../../src/machine/Processes.ts"
import * as Workspace from "../../src/machine/Workspace.ts"
import { temporaryDirectory } from "./Fixture.ts"

const runs = (pid: number) => Effect.promise(async () => ((await commandOf(pid)) ?? "").trim() !== "")

/** A process of our own whose command line holds `text`, in a group of its own. */
const sleeper = (text: string, variables: Readonly<Record<string, string>> = {}) =>
  Effect.acquireRelease(
    Effect.sync(() =>
      spawn("/bin/sh", ["-c", "sleep 300; :", text], {
        detached: true,
        stdio: "ignore",
        env: { ...process.env, ...variables }
      })
    ),
    (child) =>
      Effect.sync(() => {
        if (child.exitCode === null && child.signalCode === null) process.kill(-(child.pid ?? Number.NaN), "SIGKILL")
      })
  ).pipe(Effect.map((child) => child.pid ?? Number.NaN))

/** A directory as an owner that died left it, with the programs that it noted. */
const leftBehind = Effect.fnUntraced(function* (root: string, name: string, pids: ReadonlyArray<number>) {
  yield* Effect.promise(async () => {
    await mkdir(join(root, name))
    await writeFile(join(root, name, "programs"), pids.map((pid) => `${pid}\n`).join(""))
  })
})

const worldOfProcesses = Effect.promise(() => processWorld())

describe("Workspace", () => {
  it.effect("only its user can read it, and it is gone with its scope", () =>
    Effect.gen(function* () {
      const root = yield* temporaryDirectory
      const path = yield* Effect.scoped(
        Effect.gen(function* () {
          const workspace = yield* Workspace.make(root)
          const { mode } = yield* Effect.promise(() => stat(workspace.path))
          assert.strictEqual(mode & 0o777, 0o700)
          return workspace.path
        })
      )
      assert.isEmpty(yield* Effect.promise(() => readdir(root)), path)
    })
  )

  it.effect("the next start ends what a dead owner left running, and removes its directory", () =>
    Effect.gen(function* () {
      const root = yield* temporaryDirectory
      const name = `1999999_12345_${yield* worldOfProcesses}_dead`
      const orphan = yield* sleeper(join(root, name))
      yield* leftBehind(root, name, [orphan])
      yield* Workspace.make(root)
      yield* eventually("the orphan is gone", runs(orphan), (is) => !is)
      assert.notInclude(yield* Effect.promise(() => readdir(root)), name)
    })
  )

  it.effect("so it does with one that its owner was killed too early to note, and with no other", () =>
    Effect.gen(function* () {
      const root = yield* temporaryDirectory
      const name = `1999999_12345_${yield* worldOfProcesses}_dead`
      const orphan = yield* sleeper("etcd", Workspace.variableOf(join(root, name)))
      const reader = yield* sleeper(join(root, name))
      yield* leftBehind(root, name, [])
      yield* Workspace.make(root)
      yield* eventually("the orphan is gone", runs(orphan), (is) => !is)
      assert.isTrue(yield* runs(reader))
    })
  )

  it.effect("a number that has become another process's is not killed", () =>
    Effect.gen(function* () {
      const root = yield* temporaryDirectory
      const name = `1999999_12345_${yield* worldOfProcesses}_dead`
      const stranger = yield* sleeper("something else")
      yield* leftBehind(root, name, [stranger, 0, -1, 1])
      yield* Workspace.make(root)
      assert.notInclude(yield* Effect.promise(() => readdir(root)), name)
      assert.isTrue(yield* runs(stranger))
    })
  )

  it.effect("an owner whose number was given to another process counts as dead", () =>
    Effect.gen(function* () {
      const root = yield* temporaryDirectory
      const name = `${process.pid}_1_${yield* worldOfProcesses}_old`
      yield* leftBehind(root, name, [])
      yield* Workspace.sweep(root)
      assert.isEmpty(yield* Effect.promise(() => readdir(root)))
    })
  )

  it.effect("what living owners, other containers and strangers own is left alone", () =>
    Effect.gen(function* () {
      const root = yield* temporaryDirectory
      const world = yield* worldOfProcesses
      const start = yield* Effect.promise(() => startOf(process.pid))
      const names = [`${process.pid}_${start}_${world}_ours`, `1999999_12345_${world}9_elsewhere`, "notes"]
      for (const name of names) yield* leftBehind(root, name, [])
      yield* Workspace.sweep(root)
      assert.deepStrictEqual((yield* Effect.promise(() => readdir(root))).toSorted(), names.toSorted())
    })
  )

  it.effect("a link in the place of the common directory is refused", () =>
    Effect.gen(function* () {
      const root = yield* temporaryDirectory
      const link = join(root, "link")
      yield* Effect.promise(() => symlink(root, link))
      const error = yield* Effect.flip(Workspace.make(link))
      assert.include(error.message, "belongs to another user or is not a directory")
    })
  )
})
