import { assert, describe, it } from "@effect/vitest"
import { DateTime, Schema } from "effect"
import * as ListPosition from "../src/ListPosition.ts"

describe("a position in the list of keys", () => {
  it.prop(
    "reads every position that it prints",
    [
      Schema.Union([
        Schema.Tuple([
          Schema.Literal("configured"),
          Schema.Literals(["a", "Gr\u00f6\u00dfe", "\u{1F511}".repeat(128), '"\\'.repeat(64)])
        ]),
        Schema.Tuple([Schema.Literal("created"), Schema.Natural])
      ])
    ],
    ([place]) => {
      const position: ListPosition.ListPosition =
        place[0] === "configured"
          ? { source: "configured", after: { name: place[1], id: "cfg_1" } }
          : { source: "created", after: { createdAt: DateTime.makeUnsafe(place[1] % 8.64e15), id: "key_1" } }
      const text = ListPosition.print(position)
      assert.isAtMost(text.length, 1_024)
      assert.deepStrictEqual(ListPosition.parse(text), position)
    }
  )

  it.prop("is read or refused, whatever the text", [Schema.String], ([text]) => {
    const position = ListPosition.parse(text)
    if (position !== undefined) assert.strictEqual(ListPosition.print(position), text)
  })
})
