import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as Interner from "../../src/projection/Interner.ts"

const Labels = Schema.Record(Schema.Literals(["a", "b", "c"]), Schema.Literals(["", "1", "2"]))

describe("Interner", () => {
  it.prop("gives back labels as they were, one map for equal ones", [Schema.Array(Labels)], ([all]) => {
    const interner = Interner.make(3)
    for (const labels of all) {
      const kept = interner.labels(labels)
      assert.deepStrictEqual(kept, labels)
      assert.strictEqual(interner.labels(Object.fromEntries(Object.entries(labels).toReversed())), kept)
    }
  })

  it("keeps apart labels that read alike when joined", () => {
    const interner = Interner.make()
    assert.notStrictEqual(interner.labels({ a: "b", c: "d" }), interner.labels({ a: "b-c", d: "" }))
  })
})
