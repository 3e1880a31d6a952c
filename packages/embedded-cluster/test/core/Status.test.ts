import { assert, describe, it } from "@effect/vitest"
import { invalid, invalidValue, required, sentence, tooMany, unsupportedValue } from "../../src/core/Status.ts"

describe("Status", () => {
  it.each([
    [required("spec"), "required value"],
    [required("spec", "of a list of type map"), "required value: of a list of type map"],
    [invalidValue("spec", -1, "must be at least 0"), "invalid value -1: must be at least 0"],
    [invalidValue("spec", undefined, "must be JSON"), "invalid value: must be JSON"],
    [tooMany("spec", 9, 8), "too many 9: must be at most 8"],
    [unsupportedValue("spec", "x", ["a", "b"]), 'unsupported value "x": must be one of "a", "b"']
  ])("says of %j what is wrong, what stands there and what may", (error, expected) => {
    assert.strictEqual(sentence(error), expected)
  })

  it("repeats no more of a value than one can read", () => {
    assert.isBelow(sentence(invalidValue("spec", "x".repeat(10_000), "must be short")).length, 300)
  })

  it("names every field at fault in its causes, and tells what was found twice once", () => {
    const negative = invalidValue("spec.replicas", -1, "must be at least 0")
    const failure = invalid("Deployment", "apps", "web", [negative, required("spec.selector"), negative])
    assert.deepStrictEqual(
      failure.details?.causes?.map(({ field, reason }) => [reason, field]),
      [
        ["FieldValueInvalid", "spec.replicas"],
        ["FieldValueRequired", "spec.selector"],
        ["FieldValueInvalid", "spec.replicas"]
      ]
    )
    assert.strictEqual(
      failure.message,
      'Deployment.apps "web" is invalid: spec.replicas: invalid value -1: must be at least 0; spec.selector: required value'
    )
  })
})
