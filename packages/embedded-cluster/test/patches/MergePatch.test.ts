import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { equals, type Json, withoutNulls } from "../../src/core/Json.ts"
import { merge } from "../../src/patches/Patches.ts"

const Flat = Schema.Record(Schema.Literals(["a", "b", "c"]), Schema.Union([Schema.Finite, Schema.Null]))
const Nested = Schema.Record(Schema.Literals(["a", "b", "c"]), Schema.Union([Schema.Finite, Schema.Null, Flat]))

describe("MergePatch", () => {
  // The table of RFC 7396, Appendix A.
  it.each<[Json, Json, Json]>([
    [{ a: "b" }, { a: "c" }, { a: "c" }],
    [{ a: "b" }, { b: "c" }, { a: "b", b: "c" }],
    [{ a: "b" }, { a: null }, {}],
    [{ a: "b", b: "c" }, { a: null }, { b: "c" }],
    [{ a: ["b"] }, { a: "c" }, { a: "c" }],
    [{ a: "c" }, { a: ["b"] }, { a: ["b"] }],
    [{ a: { b: "c" } }, { a: { b: "d", c: null } }, { a: { b: "d" } }],
    [{ a: [{ b: "c" }] }, { a: [1] }, { a: [1] }],
    [
      ["a", "b"],
      ["c", "d"],
      ["c", "d"]
    ],
    [{ a: "b" }, ["c"], ["c"]],
    [{ a: "foo" }, null, null],
    [{ a: "foo" }, "bar", "bar"],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [[1, 2], { a: "b", c: null }, { a: "b" }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }]
  ])("%j patched by %j is %j", (target, patch, expected) => {
    assert.deepStrictEqual(merge(target, patch), expected)
  })

  it.prop("is idempotent", [Nested, Nested], ([target, patch]) => {
    const once = merge(target, patch)
    assert.isTrue(equals(merge(once, patch), once))
  })

  it.prop("a patch of an empty object is the patch without its nulls", [Nested], ([patch]) => {
    assert.isTrue(equals(merge({}, patch), withoutNulls(patch)))
  })
})
