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

  it.effect("are read once, and no others than those of which the series are asked for", () =>
    Effect.gen(function* () {
      const known = SeriesBook.nothingKnown()
      const asked: Array<ReadonlyArray<number>> = []
      const readPage = (ids: Int32Array) =>
        Effect.sync(() => {
          asked.push([...ids])
          return JSON.stringify(Array.from(ids, (id) => named(`s-${id}`)))
        })
      const first = yield* SeriesBook.seriesOf(known, Int32Array.of(900_000, 7, 800_000), readPage)
      assert.isArray(first)
      const second = yield* SeriesBook.seriesOf(known, Int32Array.of(7, 8), readPage)
      assert.deepStrictEqual(asked, [[7, 800_000, 900_000], [8]])
      assert.deepStrictEqual(first, [named("s-900000"), named("s-7"), named("s-800000")])
      assert.deepStrictEqual(second, [named("s-7"), named("s-8")])
    })
  )

  it.effect("keep no more series than twice those of the present report and some to spare", () =>
    Effect.gen(function* () {
      const known = SeriesBook.nothingKnown()
      const readPage = (ids: Int32Array) => Effect.sync(() => JSON.stringify(Array.from(ids, (id) => named(`s-${id}`))))
      for (let day = 0; day < 8; day++) {
        yield* SeriesBook.seriesOf(
          known,
          Int32Array.from({ length: 20_000 + day }, (_, id) => day * 30_000 + id),
          readPage
        )
        assert.isAtMost(known.series.size, 141_000)
      }
    })
  )

  it.effect("name the first of which there is no series", () =>
    Effect.gen(function* () {
      const readPage = () => Effect.succeed("[null]")
      assert.strictEqual(yield* SeriesBook.seriesOf(SeriesBook.nothingKnown(), Int32Array.of(5), readPage), 5)
    })
  )
})
