import { assert, describe, it } from "@effect/vitest"
import { Option, Result, Schema } from "effect"
import * as ClusterHeader from "../src/ClusterHeader.ts"
import { ClusterName } from "../src/ClusterName.ts"
import * as TargetRequest from "../src/TargetRequest.ts"

const read = (...values: ReadonlyArray<string>) =>
  Option.getOrUndefined(Result.getOrThrow(ClusterHeader.parse(values, 64)))
const refusal = (...values: ReadonlyArray<string>) => {
  const error = Result.merge(Result.flip(ClusterHeader.parse(values, 64)))
  assert.strictEqual(error?._tag, "InvalidTarget")
  return error?._tag === "InvalidTarget" ? error.problem : undefined
}
const names = (...texts: ReadonlyArray<string>) => TargetRequest.named(texts.map((text) => ClusterName.make(text)))

describe("ClusterHeader", () => {
  it("says nothing when the header is absent", () => {
    assert.isUndefined(read())
  })

  it.each([
    ["prod", names("prod")],
    ["prod|stage", names("prod", "stage")],
    [" prod |\tstage\t", names("prod", "stage")],
    ["b|a|b|a", names("b", "a")],
    ["*", TargetRequest.all],
    ['"*"', TargetRequest.all],
    [" * ", TargetRequest.all]
  ])("reads %j", (value, target) => {
    assert.deepStrictEqual(read(value), target)
  })

  it.each([
    ["", "blank"],
    [" \t", "blank"],
    ["a||b", "emptySegment"],
    ["|a", "emptySegment"],
    ["a|", "emptySegment"],
    ["a| |b", "emptySegment"],
    ["a,b", "comma"],
    ["a, b", "comma"],
    ["a|*", "strayWildcard"],
    ["**", "strayWildcard"],
    ["prod-*", "strayWildcard"],
    ['"a"', "quote"],
    ["'*", "strayWildcard"],
    ["a b", "name"],
    ["-a", "name"],
    ["a".repeat(254), "name"],
    ["a".repeat(4097), "tooLong"]
  ])("refuses %j as %s", (value, problem) => {
    assert.strictEqual(refusal(value), problem)
  })

  it("refuses a header that was sent twice", () => {
    assert.strictEqual(refusal("a", "a"), "repeated")
  })

  it("reads a header of blanks in a time that grows with its length alone", () => {
    const startedAt = performance.now()
    for (let call = 0; call < 2_000; call++) assert.strictEqual(refusal(`a${" \t".repeat(2_000)}b`), "name")
    assert.isBelow(performance.now() - startedAt, 5_000)
  })

  it("takes 64 distinct names and refuses 65", () => {
    const many = (count: number) => Array.from({ length: count }, (_, index) => `c${index}`).join("|")
    assert.deepStrictEqual(read(`${many(64)}|c0`), names(...many(64).split("|")))
    assert.strictEqual(refusal(many(65)), "tooManyNames")
  })

  it.prop(
    "gives back every target that it prints",
    [Schema.Array(ClusterName).check(Schema.isMaxLength(16))],
    ([list]) => {
      for (const target of [
        TargetRequest.parent,
        TargetRequest.all,
        ...(list.length > 0 ? [TargetRequest.named(list)] : [])
      ]) {
        const printed = ClusterHeader.print(target)
        const values = printed === undefined ? [] : [printed]
        if (printed !== undefined && printed.length > 4096) continue
        assert.deepStrictEqual(
          Option.getOrElse(Result.getOrThrow(ClusterHeader.parse(values, 64)), () => TargetRequest.parent),
          target
        )
      }
    }
  )

  it.prop("reads only names of the grammar out of any text", [Schema.String], ([text]) => {
    const parsed = ClusterHeader.parse([text], 64)
    if (Result.isFailure(parsed)) return
    const target = Option.getOrThrow(parsed.success)
    if (target._tag === "Named") {
      for (const name of target.names) assert.isTrue(text.includes(name))
    }
  })
})
