import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { RowTexts } from "../../../src/http/lists/RowTexts.ts"

const Row = Schema.Struct({ name: Schema.String, size: Schema.Natural })

describe("RowTexts", () => {
  it.prop(
    "are what JSON.stringify writes, however few are held",
    [Schema.Array(Row), Schema.Natural],
    ([rows, most]) => {
      const texts = new RowTexts(most)
      for (const row of [...rows, ...rows]) assert.strictEqual(texts.of(row), JSON.stringify(row))
    }
  )

  it("are made once while there is room, and anew for a row that changed", () => {
    const texts = new RowTexts(1_000)
    let made = 0
    const row = {
      toJSON: () => {
        made++
        return { made }
      }
    }
    assert.strictEqual(texts.of(row), texts.of(row))
    assert.strictEqual(made, 1)
    assert.strictEqual(texts.of({ ...row }), '{"made":2}')
  })

  it("are made again for what was long not asked for, and not for what is", () => {
    const texts = new RowTexts(1_000)
    const counted = (size: number) => {
      const row = {
        made: 0,
        toJSON: () => {
          row.made++
          return "x".repeat(size)
        }
      }
      return row
    }
    const asked = counted(100)
    const left = counted(100)
    texts.of(left)
    for (let others = 0; others < 100; others++) {
      texts.of(asked)
      texts.of(counted(100))
    }
    texts.of(left)
    assert.deepStrictEqual([asked.made, left.made], [1, 2])
  })
})
