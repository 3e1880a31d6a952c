import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { temporaryDirectory } from "../temporaryDirectory.ts"
import { storeIn } from "./world.ts"

const NEWER = "schema version 99, this program knows 1: run the newer program, or restore a backup"

describe("the file of the audit", () => {
  it.effect.each<[string, (path: string) => unknown, (path: string) => string]>([
    ["is no database", (path) => writeFile(path, "no database at all".repeat(40)), () => "file is not a database"],
    ["is a directory", (path) => mkdir(path), (path) => `EISDIR: illegal operation on a directory, open '${path}'`],
    ["was written by a newer program", (path) => new DatabaseSync(path).exec("PRAGMA user_version = 99"), () => NEWER]
  ])("that %s is refused by its name and the reason", ([, write, reasonOf]) =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const path = join(directory, "audit.sqlite")
      yield* Effect.promise(async () => write(path))
      const refused = yield* Effect.flip(Effect.scoped(Layer.build(storeIn(directory))))
      assert.strictEqual(refused.message, `the audit could not open: ${reasonOf(path)} (${path})`)
    })
  )
})
