import { NodeServices } from "@effect/platform-node"
import { assert, layer } from "@effect/vitest"
import { Effect, Exit, Fiber, FileSystem, Path, Scope } from "effect"
import { TestClock } from "effect/testing"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { hostname } from "node:os"
import { fileURLToPath } from "node:url"
import * as DirectoryLock from "../../src/services/DirectoryLock.ts"

const HOLDER = fileURLToPath(new URL("holder.ts", import.meta.url))

/** A program of its own that holds a directory. */
const program = (directory: string) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(async () => {
        const child = spawn(process.execPath, ["--conditions=@quarterdeck/source", HOLDER, directory], {
          stdio: ["ignore", "pipe", "inherit"]
        })
        await Promise.race([once(child.stdout, "data"), once(child, "close")])
        assert.isNull(child.exitCode, "the holder ended")
        return child
      }),
      (child) => Effect.promise(async () => end(child))
    ),
    (child) => ({ pid: child.pid ?? 0, kill: Effect.promise(async () => end(child)) })
  )

const end = async (child: ReturnType<typeof spawn>): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill("SIGKILL")
  await once(child, "close")
}

const own = Effect.gen(function* () {
  const files = yield* FileSystem.FileSystem
  const { join } = yield* Path.Path
  const directory = yield* files.makeTempDirectoryScoped({ prefix: "quarterdeck-lock-" })
  return { directory, files, at: (name: string) => join(directory, name) }
})

layer(NodeServices.layer)("a data directory has one program at a time:", (it) => {
  it.effect("a server waits 30 s for the one that has it, and is then refused with that one's process id", () =>
    Effect.gen(function* () {
      const { directory } = yield* own
      const { pid } = yield* program(directory)
      const second = yield* Effect.forkChild(Effect.flip(Effect.scoped(DirectoryLock.forServer(directory))))
      while (second.pollUnsafe() === undefined) {
        yield* TestClock.adjust("100 millis")
        // Time for what it reads from the disk, which takes none of the test clock's.
        yield* TestClock.withLive(Effect.sleep("1 millis"))
      }
      const refusal = yield* Fiber.join(second)
      assert.instanceOf(refusal, DirectoryLock.DataDirectoryInUse)
      assert.match(
        refusal.message,
        new RegExp(
          `^dataDirectory: ${directory} is in use by process ${pid} on ${hostname()}, since \\S+Z, still after 30 s: stop it first, or name another directory$`
        )
      )
    })
  )
})

layer(NodeServices.layer, { excludeTestServices: true })("a data directory has one program at a time:", (it) => {
  it.effect("one that waits has it as soon as the other is killed, and whatever process id stands there", () =>
    Effect.gen(function* () {
      const { at, directory, files } = yield* own
      const first = yield* program(directory)
      const scope = yield* Effect.scope
      const second = yield* Effect.forkChild(Scope.provide(DirectoryLock.forServer(directory), scope), {
        startImmediately: true
      })
      // An id that the system has given again, to a process that lives; written before the other has reason to write its own.
      yield* files.writeFileString(
        at("holder.json"),
        JSON.stringify({ pid: process.ppid, host: hostname(), since: "2026-01-01T00:00:00Z" })
      )
      yield* first.kill
      yield* Fiber.join(second)
      assert.include(yield* files.readFileString(at("holder.json")), `"pid":${process.pid},`)
    })
  )

  it.effect("two in one process are told apart, and the refusal of one does not free the other's", () =>
    Effect.gen(function* () {
      const { directory, files } = yield* own
      const first = yield* Scope.make()
      yield* Scope.provide(DirectoryLock.forServer(directory), first)
      for (let attempt = 0; attempt < 2; attempt++) {
        const refusal = yield* Effect.flip(Effect.scoped(DirectoryLock.forCommand(directory)))
        assert.include(refusal.message, `is in use by process ${process.pid} on `)
      }
      yield* Scope.close(first, Exit.void)
      yield* Effect.scoped(DirectoryLock.forCommand(directory))
      assert.deepStrictEqual(yield* files.readDirectory(directory), ["format", "holder.lock"])
    })
  )

  it.effect("who holds it but has not said so is another process", () =>
    Effect.gen(function* () {
      const { at, directory, files } = yield* own
      yield* DirectoryLock.forServer(directory)
      yield* files.writeFileString(at("holder.json"), "{")
      const refusal = yield* Effect.flip(Effect.scoped(DirectoryLock.forCommand(directory)))
      assert.include(refusal.message, "is in use by another process: stop it first")
    })
  )

  it.effect("a file in the lock's place that is none is named with the reason", () =>
    Effect.gen(function* () {
      const { at, directory, files } = yield* own
      yield* files.writeFileString(at("holder.lock"), "not what it should be, ".repeat(100))
      const refusal = yield* Effect.flip(Effect.scoped(DirectoryLock.forCommand(directory)))
      assert.strictEqual(
        refusal.message,
        `dataDirectory: cannot use ${at("holder.lock")} (it cannot be locked: file is not a database)`
      )
    })
  )

  it.effect("one of a newer program is refused, and a note that is none is named", () =>
    Effect.gen(function* () {
      const { at, directory, files } = yield* own
      yield* files.writeFileString(at("format"), "2\n")
      assert.strictEqual(
        (yield* Effect.flip(Effect.scoped(DirectoryLock.forCommand(directory)))).message,
        `dataDirectory: ${directory} has format 2, this program knows 1: run the newer program, or restore a backup`
      )
      assert.strictEqual(yield* files.readFileString(at("format")), "2\n")
      yield* files.writeFileString(at("format"), "two")
      assert.strictEqual(
        (yield* Effect.flip(Effect.scoped(DirectoryLock.forCommand(directory)))).message,
        `dataDirectory: cannot use ${at("format")} (it does not contain a number)`
      )
    })
  )
})
