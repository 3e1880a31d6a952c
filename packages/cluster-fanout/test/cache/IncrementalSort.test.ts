import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { IncrementalSort } from "../../src/cache/IncrementalSort.ts"

interface Row {
  readonly key: number
  readonly id: number
}
const compare = (one: Row, other: Row) => one.key - other.key || one.id - other.id

const Changes = Schema.Array(
  Schema.Struct({ steps: Schema.Literals([0, 1, 3]), does: Schema.Literals(["put", "move", "go"]), at: Schema.Natural })
).check(Schema.isMaxLength(60))

describe("IncrementalSort", () => {
  it.prop(
    "ends with every row as it is then, in order",
    [Schema.Natural.check(Schema.isLessThan(2_000)), Schema.Natural, Changes],
    ([length, seed, changes]) => {
      const rows = Array.from({ length }, (_, id): Row => ({ key: (id * (seed + 7_919)) % 101, id }))
      const sorting = new IncrementalSort(rows, compare)
      let sorted = sorting.step()
      const change = (held: Row | undefined, next: Row | undefined) => (sorted ?? sorting).change(held, next)
      for (const { at, does, steps } of changes) {
        for (let step = 0; step < steps; step++) sorted ??= sorting.step()
        const place = at % (rows.length + 1)
        const held = rows[place]
        const next = { key: at % 101, id: does === "put" || held === undefined ? 10_000 + rows.length : held.id }
        if (does === "put" || held === undefined) {
          if (rows.some(({ id }) => id === next.id)) continue
          rows.push(next)
          change(undefined, next)
        } else if (does === "move") {
          rows[place] = next
          change(held, next)
        } else {
          rows.splice(place, 1)
          change(held, undefined)
        }
      }
      while (sorted === undefined) sorted = sorting.step()
      assert.deepStrictEqual(sorted.rows, rows.toSorted(compare))
    }
  )

  it("is overrun by more changes than there are rows, and some thousands at least", () => {
    const sorting = new IncrementalSort<Row>([], compare)
    for (let id = 0; id < 4_096; id++) sorting.change(undefined, { key: id, id })
    assert.isFalse(sorting.isOverrun)
    sorting.change(undefined, { key: 0, id: 4_096 })
    assert.isTrue(sorting.isOverrun)
  })
})
