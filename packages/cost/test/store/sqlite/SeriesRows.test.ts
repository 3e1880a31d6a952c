import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import * as Database from "../../../src/store/sqlite/CostDatabase.ts"
import { digestOf } from "../../../src/store/sqlite/SeriesDigest.ts"
import { SeriesRows } from "../../../src/store/sqlite/SeriesRows.ts"
import { temporaryDirectory } from "../../temporaryDirectory.ts"

/** Notes its statements. */
class Watched extends DatabaseSync {
  readonly prepared: Array<string> = []
  override prepare(sql: string) {
    this.prepared.push(sql)
    return super.prepare(sql)
  }
}

const planOf = (database: DatabaseSync, sql: string): ReadonlyArray<string> =>
  database
    .prepare(`EXPLAIN QUERY PLAN ${sql}`)
    .all(...Array.from({ length: sql.split("?").length - 1 }, () => 1))
    .map(({ detail }) => String(detail))

describe("the series of clusters", () => {
  it.live("looks for an id that it forgets by its key, however many there are", () =>
    Effect.gen(function* () {
      const path = join(yield* temporaryDirectory, "cost.sqlite")
      Database.open(path, { isAlone: false }).close()
      const database = new Watched(path)
      database.exec("INSERT INTO clusters (id, name, next_series) VALUES (1, 'prod', 0)")
      const rows = new SeriesRows(database)
      const texts = ["one", "two"]
      rows.idsOf(1, { places: Int32Array.of(0, 1), digests: texts.map(digestOf).join(""), texts: texts.join("\n") })
      rows.removeId(1, "one", 0)
      const removing = database.prepared.filter((sql) => sql.startsWith("DELETE FROM series_ids"))
      assert.isAbove(removing.length, 0)
      for (const sql of removing) {
        assert.deepStrictEqual(planOf(database, sql), ["SEARCH series_ids USING PRIMARY KEY (cluster=? AND digest=?)"])
      }
      const left = database.prepare("SELECT id FROM series_ids").all()
      assert.deepStrictEqual(
        left.map(({ id }) => id),
        [1]
      )
      database.close()
    })
  )
})
