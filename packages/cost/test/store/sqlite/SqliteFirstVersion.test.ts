import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { chmod, copyFile } from "node:fs/promises"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { check, layerSqlite, repair } from "../../../src/store/sqlite/Sqlite.ts"
import { at } from "../samples.ts"
import { temporaryDirectory } from "../../temporaryDirectory.ts"
import { SQLITE } from "../fixtures/FirstVersion.ts"
import {
  addsNewHours,
  efficiencyOf,
  fillsOldHours,
  reportingOf,
  reportsTheSame,
  repricesOldHours,
  rewritesOldHour
} from "../keepsFirstVersion.ts"

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

  it.effect("takes hours of the time before that are written later as what they are", () =>
    Effect.gen(function* () {
      const directory = yield* written
      yield* Effect.scoped(Effect.provide(fillsOldHours, opened(directory)))
      assert.deepStrictEqual((yield* check({ directory })).findings, [])
    })
  )

  it.effect("estimates hours as before that a change of prices writes again", () =>
    Effect.gen(function* () {
      const directory = yield* written
      yield* Effect.scoped(Effect.provide(repricesOldHours, opened(directory)))
      assert.deepStrictEqual((yield* check({ directory })).findings, [])
    })
  )

  it.effect("estimates an hour again to which a lost one that was estimated comes", () =>
    Effect.gen(function* () {
      const directory = yield* written
      yield* Effect.scoped(Effect.provide(rewritesOldHour(at("2026-03-02T09:00")), opened(directory)))
      const file = new DatabaseSync(join(directory, "cost.sqlite"))
      file.exec("UPDATE steps SET sums = zeroblob(8) WHERE level = 0 AND step = 8")
      file.close()
      yield* repair({ directory })
      yield* TestClock.setTime(at("2026-03-02T10:00"))
      const both = { from: "2026-03-02T08:00:00Z", to: "2026-03-02T10:00:00Z" }
      // Ten replicas of which nothing is known and eight of which all is: one of the two hours counts.
      const figures = Effect.scoped(Effect.provide(efficiencyOf(both), opened(directory)))
      assert.deepStrictEqual(yield* figures, [2, 9, 2 / 9])
    })
  )
})
