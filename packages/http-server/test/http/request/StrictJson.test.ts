import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import * as StrictJson from "../../../src/http/request/StrictJson.ts"

const refusal = (text: string) => {
  const parsed = StrictJson.parse(text)
  return Result.isFailure(parsed) ? [parsed.failure.problem, parsed.failure.field] : undefined
}

describe("StrictJson", () => {
  it.each([
    ["{}"],
    ["[]"],
    ["null"],
    ['"a"'],
    ['{"a":{"a":1},"b":[{"a":1},{"a":2}]}'],
    [' { "a" : "a" , "b" : [ "a" , "a" ] } ']
  ])("reads %s as JSON.parse does", (text) => {
    assert.deepStrictEqual(Result.getOrThrow(StrictJson.parse(text)), JSON.parse(text))
  })

  it.each([
    ['{"a":1,"a":2}', "a"],
    ['{"a":1,"b":{},"\\u0061":2}', "a"],
    ['{"rule":{"role":"Viewer","role":"Admin"}}', "rule.role"],
    ['{"a":[{},{"b":1,"b":1}]}', "a[1].b"],
    ['[{"x":[],"x":[]}]', "[0].x"]
  ])("refuses %s and names %s", (text, field) => {
    assert.deepStrictEqual(refusal(text), ["duplicateMember", field])
  })

  it("names a member of any length by its beginning", () => {
    assert.deepStrictEqual(refusal(`{"${"x".repeat(1_000)}":{"a":1,"a":2}}`), [
      "duplicateMember",
      `${"x".repeat(128)}.a`
    ])
  })

  it.each([
    [""],
    ["{"],
    ["{a:1}"],
    ['{"a":1,}'],
    ["// x\n{}"],
    ["{} {}"],
    ["01"],
    ["'a'"],
    ["NaN"],
    ['{"a"}'],
    ["\u00a0{}"]
  ])("refuses %j, which is not JSON", (text) => {
    assert.deepStrictEqual(refusal(text), ["syntax", undefined])
  })

  it("refuses a body that nests a million levels deep, without running out of stack", () => {
    assert.deepStrictEqual(refusal("[".repeat(1_000_000)), ["depth", undefined])
  })

  it("refuses a body of more values than any route takes, before it is decoded", () => {
    assert.deepStrictEqual(refusal(`[${"1,".repeat(20_000)}1]`), ["values", undefined])
    assert.isUndefined(refusal(`[${"1,".repeat(19_998)}1]`))
  })

  it.prop("gives back every value that JSON prints", [Schema.Json], ([value]) => {
    const text = JSON.stringify(value)
    const parsed = StrictJson.parse(text)
    if (Result.isFailure(parsed)) return assert.strictEqual(parsed.failure.problem, "depth")
    assert.deepStrictEqual(parsed.success, JSON.parse(text))
  })
})
