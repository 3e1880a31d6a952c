import { assert, beforeEach, describe, it } from "@effect/vitest"
import { Effect, Logger } from "effect"
import { readFileSync } from "node:fs"
import shared from "node:fs/promises"
import { syncBuiltinESMExports } from "node:module"
import { basename, join } from "node:path"
import * as DurableFile from "../../src/hour/DurableFile.ts"
import { temporaryDirectory } from "../temporaryDirectory.ts"

/** The file system calls in order, and the error code with which it refuses to sync a directory. */
const asked: Array<string> = []
let refusal: string | undefined

const files = { ...shared }

// The real file system, listened to: nothing else tells whether something has reached the disk. It stays so for the whole
// process, which this file has to itself.
Object.assign(shared, {
  rename: async (from: string, to: string) => {
    await files.rename(from, to)
    asked.push(`rename ${basename(from)} to ${basename(to)}`)
  },
  open: async (path: string, flags: string, mode?: number) => {
    const file = await files.open(path, flags, mode)
    const written = (sync: () => Promise<void>) => async () => {
      if (flags === "r" && refusal !== undefined) throw Object.assign(new Error(refusal), { code: refusal })
      await sync()
      asked.push(`write ${flags === "r" ? "directory" : basename(path)}`)
    }
    file.sync = written(file.sync.bind(file))
    file.datasync = written(file.datasync.bind(file))
    return file
  }
})
syncBuiltinESMExports()

beforeEach(() => {
  asked.length = 0
  refusal = undefined
})

/** Runs with a place for a file, and gives what was warned of. */
const warnedOf = (run: (path: string) => Effect.Effect<void, unknown>) =>
  Effect.gen(function* () {
    const warnings: Array<string> = []
    const logger = Logger.make<unknown, void>(({ message }) => void warnings.push(String(message)))
    const directory = yield* temporaryDirectory
    yield* run(join(directory, "prices.json")).pipe(Effect.provide(Logger.layer([logger])))
    return warnings
  }).pipe(Effect.scoped)

const replace = (action: string, path: string, text: string) =>
  Effect.flatMap(DurableFile.writer, (writer) => writer.replace(action, path, [text]))

const append = (action: string, path: string, pieces: Iterable<string> & object) =>
  Effect.flatMap(DurableFile.writer, (writer) => writer.append(action, path, pieces))

const readText = (path: string) => Effect.promise(() => files.readFile(path, "utf8"))

describe("a file that must outlive a loss of power", () => {
  it.live("is on the disk under its name, the name too, before it counts as replaced", () =>
    Effect.gen(function* () {
      const warnings = yield* warnedOf((path) =>
        Effect.gen(function* () {
          yield* replace("keep it", path, "old")
          asked.length = 0
          yield* replace("keep it", path, "new")
          assert.strictEqual(yield* readText(path), "new")
        })
      )
      assert.deepStrictEqual(asked, [
        "write prices.json.new",
        "rename prices.json.new to prices.json",
        "write directory"
      ])
      assert.deepStrictEqual(warnings, [])
    })
  )

  it.live("keeps its name with the first thing that is added, and needs not again", () =>
    Effect.gen(function* () {
      yield* warnedOf((path) =>
        Effect.gen(function* () {
          yield* append("add to it", path, ["one\n"])
          yield* append("add to it", path, ["two\n"])
          assert.strictEqual(yield* readText(path), "one\ntwo\n")
        })
      )
      assert.deepStrictEqual(asked, ["write prices.json", "write directory", "write prices.json"])
    })
  )

  it.live("asks for what is added piece by piece, once the one before is written", () =>
    warnedOf((path) =>
      Effect.gen(function* () {
        const written: Array<string> = []
        const pieces = function* () {
          yield "one\n"
          written.push(readFileSync(path, "utf8"))
          yield "two\n"
        }
        yield* append("add to it", path, pieces())
        assert.deepStrictEqual(written, ["one\n"])
        assert.strictEqual(yield* readText(path), "one\ntwo\n")
      })
    )
  )

  it.live("keeps the name of every directory that was made for it", () =>
    Effect.gen(function* () {
      yield* warnedOf((path) =>
        Effect.gen(function* () {
          yield* DurableFile.makeDirectory("make it", join(path, "..", "data", "costs"))
          assert.deepStrictEqual(asked, ["write directory", "write directory"])
          yield* DurableFile.makeDirectory("make it", join(path, "..", "data", "costs"))
          assert.strictEqual(asked.length, 2)
        })
      )
    })
  )

  it.live("succeeds with a warning if the directory cannot be synced, because readers see the new content", () =>
    Effect.gen(function* () {
      refusal = "EIO"
      const warnings = yield* warnedOf((path) =>
        Effect.andThen(
          replace("keep it", path, "new"),
          Effect.map(readText(path), (text) => assert.strictEqual(text, "new"))
        )
      )
      assert.strictEqual(warnings.length, 1)
      assert.include(warnings[0], "a power failure may undo the last write")
    })
  )

  it.live("is no matter for complaint where a system has no way to write directories", () =>
    Effect.gen(function* () {
      refusal = "EINVAL"
      assert.deepStrictEqual(yield* warnedOf((path) => replace("keep it", path, "new")), [])
    })
  )

  it.live("stays the old one where the new one cannot be written", () =>
    Effect.gen(function* () {
      yield* warnedOf((path) =>
        Effect.gen(function* () {
          yield* replace("keep it", path, "old")
          yield* Effect.promise(() => files.mkdir(`${path}.new`))
          const error = yield* Effect.flip(replace("keep it", path, "new"))
          assert.strictEqual(error.reason._tag, "StoreUnavailable")
          assert.strictEqual(yield* readText(path), "old")
        })
      )
    })
  )
})
