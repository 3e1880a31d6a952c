import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Series } from "../../../src/hour/Series.ts"
import * as SeriesBook from "../../../src/store/sqlite/SeriesBook.ts"

const named = (name: string): Series => ({ namespace: "shop", kind: "Deployment", name, uid: name, labels: {} })

describe("the ids of a cluster's series", () => {
  it.effect("are asked for once, and found again for the same series as another object", () =>
    Effect.gen(function* () {
      const known = SeriesBook.nothingKnown()
      const first = [named("web"), named("db")]
      const fresh = yield* SeriesBook.idsOf(known, first)
      assert.deepStrictEqual([...fresh.fresh.places], [0, 1])
      SeriesBook.note(known, first, fresh, Int32Array.of(7, 3))
      assert.deepStrictEqual([...fresh.ids], [7, 3])

      const again = yield* SeriesBook.idsOf(known, [named("db"), named("web"), named("queue")])
      assert.deepStrictEqual([...again.fresh.places], [2])
      assert.deepStrictEqual([...again.ids.subarray(0, 2)], [3, 7])
    })
  )

  it.effect("stay with objects that come again, wherever they stand", () =>
    Effect.gen(function* () {
      const known = SeriesBook.nothingKnown()
      const [web, db] = [named("web"), named("db")]
      const fresh = yield* SeriesBook.idsOf(known, [web, db])
      SeriesBook.note(known, [web, db], fresh, Int32Array.of(0, 1))
      const moved = yield* SeriesBook.idsOf(known, [db, web])
      assert.deepStrictEqual([...moved.ids], [1, 0])
      assert.strictEqual(moved.fresh.places.length, 0)
    })
  )
})
