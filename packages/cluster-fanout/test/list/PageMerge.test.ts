import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Schema } from "effect"
import * as PageMerge from "../../src/list/PageMerge.ts"
import * as RowOrder from "../../src/projection/RowOrder.ts"

const Row = Schema.Struct({
  name: Schema.Literals(["a", "b", "c", "d"]),
  size: Schema.Natural.check(Schema.isLessThan(5)),
  id: Schema.Natural
})
type Row = typeof Row.Type
const Rows = Schema.Array(Row)
const Limit = Schema.Natural.check(Schema.isLessThan(20))
const Direction = Schema.Literals(["asc", "desc"])

const orderOf = (order: "asc" | "desc") =>
  RowOrder.make<Row>(
    RowOrder.number((row) => row.size),
    order,
    [RowOrder.text((row) => row.name), RowOrder.number((row) => row.id)]
  )

describe("Page", () => {
  it.prop("selects what sorting everything would put first", [Rows, Limit, Direction], ([rows, size, direction]) => {
    const order = orderOf(direction)
    const { count, first } = PageMerge.selectNow(rows, {
      matches: (row) => row.name !== "a",
      order,
      after: undefined,
      size
    })
    const sorted = rows.filter((row) => row.name !== "a").toSorted(order.compare)
    assert.deepStrictEqual(first, sorted.slice(0, size))
    assert.strictEqual(count, sorted.length)
  })

  it.prop(
    "selects between two places, and counts all",
    [Rows, Row, Row, Limit, Direction],
    ([rows, after, before, size, direction]) => {
      const order = orderOf(direction)
      const { count, first } = PageMerge.selectNow(rows, { order, after: order.position(after), before, size })
      const between = rows.filter((row) => order.compare(row, after) > 0 && order.compare(row, before) < 0)
      assert.deepStrictEqual(first, between.toSorted(order.compare).slice(0, size))
      assert.strictEqual(count, rows.length)
    }
  )

  it.prop("merges sorted lists into one", [Schema.Array(Rows), Limit, Direction], ([lists, limit, direction]) => {
    const order = orderOf(direction)
    const { isLast, items } = PageMerge.merge(
      lists.map((rows) => rows.toSorted(order.compare)),
      order,
      limit
    )
    const all = lists.flat().toSorted(order.compare)
    assert.deepStrictEqual(items.map(order.position), all.slice(0, limit).map(order.position))
    assert.strictEqual(isLast, all.length <= limit)
  })
})

describe("Page, given way", () => {
  it.effect.prop("is the same as in one turn", [Rows, Limit, Direction], ([rows, size, direction]) =>
    Effect.gen(function* () {
      const options = { order: orderOf(direction), after: undefined, size }
      assert.deepStrictEqual(yield* PageMerge.select(rows, options), PageMerge.selectNow(rows, options))
    })
  )

  it.effect("lets other fibers run while it looks at many rows", () =>
    Effect.gen(function* () {
      const rows = Array.from({ length: 100_000 }, (_, id): Row => ({ name: "a", size: id % 5, id }))
      let turns = 0
      const other = yield* Effect.forkChild(
        Effect.forever(
          Effect.andThen(
            Effect.sync(() => turns++),
            Effect.yieldNow
          )
        )
      )
      yield* PageMerge.select(rows, { order: orderOf("asc"), after: undefined, size: 10 })
      yield* Fiber.interrupt(other)
      assert.isAbove(turns, 10)
    })
  )
})

describe("RowOrder", () => {
  it.prop("orders texts as their bytes in UTF-8", [Schema.String, Schema.String], ([one, other]) => {
    // A lone surrogate has no UTF-8 of its own.
    const [left, right] = [one.toWellFormed(), other.toWellFormed()]
    assert.strictEqual(
      Math.sign(RowOrder.compareText(left, right)),
      Buffer.compare(Buffer.from(left), Buffer.from(right))
    )
  })

  it.prop(
    "tells what stands behind a text by itself",
    [Schema.String, Schema.String, Direction],
    ([one, other, direction]) => {
      const order = RowOrder.make<string>(
        RowOrder.text((text) => text),
        direction,
        []
      )
      assert.strictEqual(order.behind(one)(other), order.compare(other, one) > 0)
      for (const high of ["\uffee", "\u{1f600}"]) {
        assert.strictEqual(order.behind(one + high)(one + other), order.compare(one + other, one + high) > 0)
        assert.strictEqual(order.behind(one + other)(one + high), order.compare(one + high, one + other) > 0)
      }
    }
  )

  it("orders what lies beyond the surrogates before what they spell", () => {
    assert.isBelow(RowOrder.compareText("\uffee", "\u{1f600}"), 0)
    assert.isAbove(RowOrder.compareText("\u{1f600}", "\ud7ff"), 0)
  })

  it("turns the first key alone when descending", () => {
    const rows: ReadonlyArray<Row> = [
      { name: "b", size: 1, id: 1 },
      { name: "a", size: 1, id: 2 },
      { name: "c", size: 2, id: 3 }
    ]
    assert.deepStrictEqual(
      rows.toSorted(orderOf("desc").compare).map((row) => row.name),
      ["c", "a", "b"]
    )
  })
})
