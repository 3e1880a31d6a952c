import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import * as LabelSelector from "../../src/list/LabelSelector.ts"
import * as SelectorText from "../../src/projection/SelectorText.ts"

const Key = Schema.Literals(["app", "tier", "example.com/team", "canary"])
const Value = Schema.Literals(["a", "web-1", "X_y.z", ""])

const Selector = Schema.Struct({
  matchLabels: Schema.Record(Key, Schema.optionalKey(Value)),
  matchExpressions: Schema.Array(
    Schema.Union([
      Schema.Struct({ key: Key, operator: Schema.Literals(["In", "NotIn"]), values: Schema.NonEmptyArray(Value) }),
      Schema.Struct({ key: Key, operator: Schema.Literals(["Exists", "DoesNotExist"]) })
    ])
  )
})

describe("SelectorText", () => {
  it.prop("is read back as the same requirements", { selector: Selector }, ({ selector }) => {
    const text = SelectorText.of(selector)
    const labels = Object.entries(selector.matchLabels).map(([key, value]) => ({
      operator: "In",
      key,
      values: [value ?? ""]
    }))
    const expressions = selector.matchExpressions.map((one) =>
      one.operator === "In" || one.operator === "NotIn" ? { ...one, values: [...new Set(one.values)] } : one
    )
    const wanted = [...labels, ...expressions]
    const read = Result.getOrThrow(LabelSelector.parse(text ?? ""))
    const inOrder = (all: ReadonlyArray<object>) => all.map((one) => JSON.stringify({ operator: "", key: "", ...one }))
    assert.deepStrictEqual(inOrder(read), inOrder(wanted))
  })

  it.each([
    undefined,
    null,
    {},
    { matchLabels: {} },
    { matchExpressions: [{ key: "a", operator: "Near" }] },
    "app=web"
  ])("selects nothing by %j, which a list must not take for everything it knows", (selector) => {
    assert.isUndefined(SelectorText.of(selector))
  })
})
