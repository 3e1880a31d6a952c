import { assert, describe, it } from "@effect/vitest"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { Effect } from "effect"
import { compactFile } from "../../../src/drivers/k3s/KineHistory.ts"
import { temporaryDirectory } from "../../machine/Fixture.ts"

/**
 * The table of kine, with what a cluster writes into it.
 *
 * **Source** kine v0.17, `pkg/drivers/sqlite/sqlite.go`.
 */
const store = Effect.fnUntraced(function* () {
  const path = join(yield* temporaryDirectory, "state.db")
  const database = new DatabaseSync(path)
  database.exec(
    "CREATE TABLE kine (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT, created INTEGER, deleted INTEGER,"
      + " create_revision INTEGER, prev_revision INTEGER, lease INTEGER, value BLOB, old_value BLOB)"
  )
  const insert = database.prepare(
    "INSERT INTO kine (name, created, deleted, create_revision, prev_revision, lease) VALUES (?, ?, ?, ?, ?, 0)"
  )
  for (const row of [
    ["compact_rev_key", 1, 0, 0, 0],
    ["/registry/a", 1, 0, 0, 0],
    ["/registry/b", 1, 0, 0, 0],
    ["/registry/a", 0, 0, 2, 2],
    ["/registry/b", 0, 1, 3, 3],
    ["/registry/c", 1, 0, 0, 0],
    ["/registry/c", 0, 1, 6, 6]
  ] as const) {
    insert.run(...row)
  }
  database.close()
  return path
})

const rowsOf = (path: string) => {
  const database = new DatabaseSync(path, { readOnly: true })
  const rows = database.prepare("SELECT id, name, deleted, prev_revision FROM kine ORDER BY id").all()
  database.close()
  return rows.map((row) => Object.values(row).join(" "))
}

describe("compactFile", () => {
  it.effect("keeps the present objects alone, and a newer revision than the forgotten ones", () =>
    Effect.gen(function* () {
      const path = yield* store()
      yield* Effect.promise(() => compactFile(path))
      assert.deepStrictEqual(rowsOf(path), ["1 compact_rev_key 0 7", "4 /registry/a 0 2", "8 gap-8 1 0"])
    })
  )

  it.effect("can be done again", () =>
    Effect.gen(function* () {
      const path = yield* store()
      yield* Effect.promise(() => compactFile(path))
      yield* Effect.promise(() => compactFile(path))
      assert.deepStrictEqual(rowsOf(path), ["1 compact_rev_key 0 8", "4 /registry/a 0 2", "9 gap-9 1 0"])
    })
  )
})
