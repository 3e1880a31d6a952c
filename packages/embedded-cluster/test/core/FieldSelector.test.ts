import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import * as FieldSelector from "../../src/core/FieldSelector.ts"
import { nodes, pods } from "../../src/core/Resources.ts"

const read = (text: string) => Result.getOrThrow(FieldSelector.parse(text, pods))

describe("FieldSelector", () => {
  it.each([
    ["", true],
    ["spec.nodeName=n1", true],
    ["spec.nodeName==n1,status.phase!=Failed", true],
    ["spec.nodeName!=n1", false],
    ["status.podIP=", true]
  ])("decides %s", (text, expected) => {
    assert.strictEqual(
      FieldSelector.matches(read(text), { "spec.nodeName": "n1", "status.phase": "Running" }),
      expected
    )
  })

  it("400 for a field that the kind cannot be selected by", () => {
    const failure = Result.getOrThrow(Result.flip(FieldSelector.parse("spec.foo=x", pods)))
    assert.deepStrictEqual([failure.code, failure.reason], [400, "BadRequest"])
    assert.match(failure.message, /"spec\.foo=x": pods are selected by metadata\.name, .*spec\.nodeName/)
    assert.isTrue(Result.isFailure(FieldSelector.parse("metadata.namespace=x", nodes)))
  })

  it("400 for an invalid selector", () => {
    const failure = Result.merge(Result.flip(FieldSelector.parse("spec.nodeName", pods)))
    assert.deepInclude(failure, { code: 400, reason: "BadRequest" })
  })

  it.prop("selects by any escaped value", [Schema.String], ([value]) => {
    const selector = read(`spec.nodeName=${FieldSelector.escape(value)}`)
    assert.isTrue(FieldSelector.matches(selector, { "spec.nodeName": value }))
    assert.strictEqual(FieldSelector.pinned(selector, "spec.nodeName"), value)
  })

  it.prop("never throws, whatever the text", [Schema.String], ([text]) => {
    assert.isBoolean(Result.isSuccess(FieldSelector.parse(text, pods)))
  })
})
