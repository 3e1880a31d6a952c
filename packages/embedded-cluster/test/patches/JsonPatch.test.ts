import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import type { Json } from "../../src/core/Json.ts"
import * as JsonPatch from "../../src/patches/JsonPatch.ts"

const patched = (document: Json, patch: Json) =>
  JsonPatch.fromJson(patch).pipe(Result.flatMap((operations) => JsonPatch.apply(document, operations)))

const Key = Schema.Literals(["a", "b", "a/b", "m~n", "__proto__", ""])
const pointer = (key: string) => `/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`

describe("JsonPatch", () => {
  it.each<[string, Json, Json, Json]>([
    ["adds a key", { a: 1 }, [{ op: "add", path: "/b", value: 2 }], { a: 1, b: 2 }],
    ["adds into a list", { a: [1, 3] }, [{ op: "add", path: "/a/1", value: 2 }], { a: [1, 2, 3] }],
    ["adds at the end of a list", { a: [1] }, [{ op: "add", path: "/a/-", value: 2 }], { a: [1, 2] }],
    ["replaces the whole", { a: 1 }, [{ op: "replace", path: "", value: { b: 1 } }], { b: 1 }],
    ["replaces a missing key by adding it", {}, [{ op: "replace", path: "/b", value: 1 }], { b: 1 }],
    ["removes from a list", { a: [1, 2] }, [{ op: "remove", path: "/a/0" }], { a: [2] }],
    ["removes the last of a list", { a: [1, 2] }, [{ op: "remove", path: "/a/-1" }], { a: [1] }],
    ["adds behind the last of a list", { a: [1] }, [{ op: "add", path: "/a/-1", value: 2 }], { a: [1, 2] }],
    ["takes an index with leading zeros", { a: [1, 2] }, [{ op: "remove", path: "/a/01" }], { a: [1] }],
    ["reads a missing key as null", {}, [{ op: "test", path: "/a", value: null }], {}],
    ["copies a missing key as null", {}, [{ op: "copy", from: "/a", path: "/b" }], { b: null }],
    ["moves", { a: 1 }, [{ op: "move", from: "/a", path: "/b" }], { b: 1 }],
    ["copies", { a: [1] }, [{ op: "copy", from: "/a", path: "/b" }], { a: [1], b: [1] }],
    [
      "continues after a successful test",
      { a: [1] },
      [
        { op: "test", path: "/a", value: [1] },
        { op: "remove", path: "/a" }
      ],
      {}
    ]
  ])("%s", (_, document, patch, expected) => {
    assert.deepStrictEqual(Result.getOrThrow(patched(document, patch)), expected)
  })

  it.each<[string, Json, Json]>([
    ["a test that fails", { a: 1 }, [{ op: "test", path: "/a", value: 2 }]],
    ["a missing path to remove", {}, [{ op: "remove", path: "/a" }]],
    ["a missing parent", {}, [{ op: "add", path: "/a/b", value: 1 }]],
    ["an index beyond the list", { a: [] }, [{ op: "add", path: "/a/1", value: 1 }]],
    ["an index before the list", { a: [1, 2] }, [{ op: "remove", path: "/a/-3" }]],
    ["a test of a missing parent", {}, [{ op: "test", path: "/a/b", value: null }]],
    ["a removal of the whole", { a: 1 }, [{ op: "remove", path: "" }]],
    ["a copy of the whole", { a: 1 }, [{ op: "copy", from: "", path: "/b" }]],
    ["a missing path to move", {}, [{ op: "move", from: "/a", path: "/b" }]],
    ["an unknown operation", {}, [{ op: "frobnicate", path: "/a" }]],
    ["a path that is no pointer", {}, [{ op: "add", path: "a", value: 1 }]]
  ])("422 for %s, and nothing is changed", (_, document, patch) => {
    const failure = Result.merge(Result.flip(patched(document, patch)))
    assert.propertyVal(failure, "code", 422)
  })

  it("400 for a body that is not an array", () => {
    const failure = Result.merge(Result.flip(JsonPatch.fromJson({})))
    assert.propertyVal(failure, "code", 400)
  })

  it.each<[string, Json, string]>([
    ["an operation that is none", [1], "[0] must be an object"],
    ["a path that is not a string", [{ op: "remove", path: 5 }], "[0].path must be a string"]
  ])("400 for %s, which is named", (_, patch, problem) => {
    const failure = Result.getOrThrow(Result.flip(JsonPatch.fromJson(patch)))
    assert.strictEqual(failure.code, 400)
    assert.include(failure.message, problem)
  })

  it("413 for more operations than a patch may have", () => {
    const operation = { op: "add", path: "/a", value: 1 }
    const failure = Result.merge(
      Result.flip(JsonPatch.fromJson(Array.from({ length: JsonPatch.MAX_OPERATIONS + 1 }, () => operation)))
    )
    assert.propertyVal(failure, "code", 413)
  })

  it.prop("a value added under any key can be tested and removed", [Key, Schema.Finite], ([key, value]) => {
    const document: Json = { other: true }
    const path = pointer(key)
    const after = patched(document, [
      { op: "add", path, value },
      { op: "test", path, value },
      { op: "remove", path }
    ])
    assert.deepStrictEqual(Result.getOrThrow(after), document)
  })
})
