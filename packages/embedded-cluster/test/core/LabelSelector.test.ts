import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import * as LabelSelector from "../../src/core/LabelSelector.ts"

const read = (text: string) => Result.getOrThrow(LabelSelector.parse(text))
const matching = (text: string, labels: LabelSelector.Labels) => LabelSelector.matches(read(text), labels)

const Name = Schema.String.check(Schema.isPattern(/^[a-z]([a-z0-9]{0,5}[a-z0-9])?$/))
const SelectorRequirement = Schema.Union([
  Schema.Struct({ key: Name, operator: Schema.Literals(["in", "notin"]), values: Schema.NonEmptyArray(Name) }),
  Schema.Struct({ key: Name, operator: Schema.Literals(["exists", "absent"]), values: Schema.Tuple([]) })
])

describe("LabelSelector", () => {
  it.each([
    ["", true],
    ["app=web", true],
    ["app==web", true],
    ["app!=web", false],
    ["app=web,tier!=db", true],
    ["missing!=x", true],
    ["app in (web, api)", true],
    ["app notin (api)", true],
    ["missing notin (api)", true],
    ["app", true],
    ["!app", false],
    ["!missing", true],
    ["size>2", true],
    ["size<2", false],
    ["app>2", false],
    ["empty=", true],
    ["example.com/part=x", true]
  ])("decides %s on an object's labels", (text, expected) => {
    const labels = { app: "web", size: "10", empty: "", "example.com/part": "x" }
    assert.strictEqual(matching(text, labels), expected)
  })

  it.each(["a===b", "a in (b", "a b", ",a", "a,", "a=x y", "a>x", "-a", "a=-", "a in (b,-)"])(
    "400 for %s, which is repeated",
    (text) => {
      const { code, message, reason } = Result.getOrThrow(Result.flip(LabelSelector.parse(text)))
      assert.deepStrictEqual([code, reason], [400, "BadRequest"])
      assert.include(message, `labelSelector "${text}": `)
    }
  )

  it("an inherited property of JavaScript objects is not a label", () => {
    assert.isFalse(matching("constructor", {}))
    assert.isTrue(matching("!toString", {}))
  })

  it.prop(
    "parses every selector that it prints",
    [Schema.Array(SelectorRequirement), Schema.Record(Name, Name)],
    ([selector, labels]) => {
      const again = read(LabelSelector.print(selector))
      assert.strictEqual(LabelSelector.matches(again, labels), LabelSelector.matches(selector, labels))
    }
  )

  it.prop("never throws, whatever the text", [Schema.String], ([text]) => {
    assert.isBoolean(Result.isSuccess(LabelSelector.parse(text)))
  })

  it("parses the object form of workloads", () => {
    const selector = LabelSelector.fromObject({
      matchLabels: { app: "web" },
      matchExpressions: [
        { key: "tier", operator: "NotIn", values: ["db"] },
        { key: "team", operator: "Exists" }
      ]
    })
    assert.isTrue(LabelSelector.matches(selector, { app: "web", team: "a" }))
    assert.isFalse(LabelSelector.matches(selector, { app: "web", team: "a", tier: "db" }))
  })
})
