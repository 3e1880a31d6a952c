import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { chmod, copyFile } from "node:fs/promises"
import { join } from "node:path"
import { check, layerSqlite } from "../../../src/store/sqlite/Sqlite.ts"
import { temporaryDirectory } from "../../temporaryDirectory.ts"
import { SQLITE } from "../fixtures/FirstVersion.ts"
import { addsNewHours, reportingOf, reportsTheSame } from "../keepsFirstVersion.ts"

/** A copy of the directory that the first version wrote. */
const written = Effect.gen(function* () {
  const directory = yield* temporaryDirectory
  const path = join(directory, "cost.sqlite")
  yield* Effect.promise(() => copyFile(SQLITE, path))
  yield* Effect.promise(() => chmod(path, 0o600))
  return directory
})

const opened = (directory: string) => reportingOf(Layer.fresh(layerSqlite({ directory })))

describe("a cost history in SQLite that the first version wrote", () => {
  it.effect("opens, and reports the same figures, each time", () =>
    Effect.gen(function* () {
      const directory = yield* written
      yield* Effect.scoped(Effect.provide(reportsTheSame, opened(directory)))
      yield* Effect.scoped(Effect.provide(reportsTheSame, opened(directory)))
      assert.deepStrictEqual((yield* check({ directory })).findings, [])
    })
  )

  it.effect("goes on with hours that know what was requested while usage was known", () =>
    Effect.gen(function* () {
      const directory = yield* written
      yield* Effect.scoped(Effect.provide(addsNewHours, opened(directory)))
      assert.deepStrictEqual((yield* check({ directory })).findings, [])
    })
  )
})
