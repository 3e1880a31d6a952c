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
  ])("prints %j with its problem, its value and its rule", (error, expected) => {
    assert.strictEqual(sentence(error), expected)
  })

  it("shortens a long value", () => {
    assert.isBelow(sentence(invalidValue("spec", "x".repeat(10_000), "must be short")).length, 300)
  })

  it("has a cause for every invalid field, and mentions a repeated problem once", () => {
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
