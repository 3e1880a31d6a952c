import { assert, describe, it } from "@effect/vitest"
import { Redacted, Result, Schema } from "effect"
import * as Cursor from "../../src/list/Cursor.ts"
import * as RowOrder from "../../src/projection/RowOrder.ts"

interface Row {
  readonly name: string
  readonly size: number
}

const key = Redacted.make(new Uint8Array(32).fill(7))
const otherKey = Redacted.make(new Uint8Array(32).fill(8))
const order = RowOrder.make<Row>(
  RowOrder.number((row) => row.size),
  "asc",
  [RowOrder.text((row) => row.name)]
)
const open = (cursor: string, binding = "list", by = key) =>
  Result.getOrUndefined(Cursor.open(by, binding, order, cursor))

describe("Cursor", () => {
  it.prop("opens what it sealed", [Schema.Natural, Schema.String, Schema.String], ([size, name, binding]) => {
    const position = [size, name.toWellFormed()]
    assert.deepStrictEqual(open(Cursor.seal(key, binding, position), binding), position)
  })

  it("opens for no other list, and with no other key", () => {
    const cursor = Cursor.seal(key, "list", [1, "a"])
    assert.isUndefined(open(cursor, "other"))
    assert.isUndefined(open(cursor, "list", otherKey))
  })

  it("does not mistake a part of the binding for a part of the place", () => {
    const [payload = "", signature = ""] = Cursor.seal(key, "list", [1, "a"]).split(".")
    assert.isUndefined(open(`${payload.slice(1)}.${signature}`, `list:${payload.slice(0, 1)}`))
  })

  it.prop(
    "refuses a cursor in which any character is another",
    [Schema.Natural, Schema.Literals(["A", "-", ".", "=", " "])],
    ([at, character]) => {
      const cursor = Cursor.seal(key, "list", [1, "a"])
      const index = at % cursor.length
      const changed = cursor.slice(0, index) + character + cursor.slice(index + 1)
      if (changed !== cursor) assert.isUndefined(open(changed))
    }
  )

  it.each(["", ".", "a", "a.b", "a.b.c", "%%%", "A".repeat(5000)])("refuses %j", (text) => {
    assert.isUndefined(open(text))
  })

  it("refuses a genuine cursor whose place does not fit the order", () => {
    assert.isUndefined(open(Cursor.seal(key, "list", ["a", 1])))
    assert.isUndefined(open(Cursor.seal(key, "list", [1])))
  })
})
