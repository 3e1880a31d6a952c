import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import * as LabelSelector from "../../src/list/LabelSelector.ts"

const parse = (text: string) => Result.getOrThrow(LabelSelector.parse(text))
const selects = (text: string, labels: Record<string, string>) => LabelSelector.matches(parse(text), labels)

const Key = Schema.Literals(["a", "b", "acme.io/tier", "in", "notin"])
const Value = Schema.Literals(["", "1", "2", "in", "x-y_z.9"])
const Values = Schema.Array(Value).check(Schema.isMinLength(1), Schema.isMaxLength(3))
const Requirement = Schema.Union([
  Schema.Struct({ operator: Schema.Literals(["In", "NotIn"]), key: Key, values: Values }),
  Schema.Struct({ operator: Schema.Literals(["Exists", "DoesNotExist"]), key: Key }),
  Schema.Struct({
    operator: Schema.Literals(["Gt", "Lt"]),
    key: Key,
    value: Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 0n, maximum: 2n ** 63n - 1n }))
  })
])
const Selector = Schema.Array(Requirement).check(Schema.isMaxLength(4))
const Labels = Schema.Record(Key, Value)

const distinct = (selector: typeof Selector.Type): LabelSelector.LabelSelector =>
  selector.map((requirement) =>
    "values" in requirement ? { ...requirement, values: [...new Set(requirement.values)] } : requirement
  )

describe("LabelSelector", () => {
  it.each([
    ["app=web", { app: "web" }, true],
    ["app == web", { app: "web" }, true],
    ["app=web", { app: "db" }, false],
    ["app=web", {}, false],
    ["app!=web", {}, true],
    ["app!=web", { app: "web" }, false],
    ["app in (web,db)", { app: "db" }, true],
    ["app in ( web , db )", { app: "db" }, true],
    ["app notin (web,db)", {}, true],
    ["app notin (web,db)", { app: "db" }, false],
    ["app", { app: "" }, true],
    ["app", {}, false],
    ["!app", {}, true],
    ["! app", { app: "web" }, false],
    ["app=", { app: "" }, true],
    ["app in (,web)", { app: "" }, true],
    ["app=web,tier!=back,!canary", { app: "web", tier: "front" }, true],
    [" app = web , tier ", { app: "web" }, false],
    ["acme.io/team=a", { "acme.io/team": "a" }, true],
    ["in in (in,notin)", { in: "notin" }, true],
    ["n>0,n<2", { n: "1" }, true],
    ["n > 1", { n: "1" }, false],
    ["n<10", { n: "9" }, true],
    ["n<10", { n: "007" }, true],
    ["n>9223372036854775806", { n: "9223372036854775807" }, true],
    ["n>0", { n: "9223372036854775808" }, false],
    ["n>0", { n: "one" }, false],
    ["n<2", { n: "" }, false],
    ["n<2", {}, false],
    ["", {}, true],
    ["  ", { any: "thing" }, true]
  ])("%s on %j is %s", (text, labels, expected) => {
    assert.strictEqual(selects(text, labels), expected)
  })

  it("does not take an inherited property for a label", () => {
    assert.isFalse(selects("constructor", {}))
    assert.isTrue(selects("!constructor", {}))
  })

  it.each([
    [",a", "key", 0],
    ["a,", "key", 2],
    ["a,,b", "key", 2],
    ["=a", "key", 0],
    ["-a=b", "key", 0],
    ["a=-b", "value", 2],
    ["a=b c", "end", 4],
    ["a b", "operator", 2],
    ["a ~ 1", "operator", 2],
    ["a > x", "number", 4],
    ["a>", "number", 2],
    ["a<-1", "number", 2],
    ["a<1.5", "number", 2],
    ["a>9223372036854775808", "number", 2],
    ["a>=1", "number", 2],
    ["a>1<2", "end", 3],
    ["a in b", "openingParenthesis", 5],
    ["a in", "openingParenthesis", 4],
    ["a in (b", "closingParenthesis", 7],
    ["a in (b c)", "closingParenthesis", 8],
    ["a in ()", "noValues", 6],
    ["a in (b))", "end", 8],
    ["!a=b", "end", 2],
    ["a===b", "end", 3],
    [`a=${"b".repeat(64)}`, "value", 2]
  ])("refuses %j and names its %s", (text, problem, at) => {
    const error = Result.merge(Result.flip(LabelSelector.parse(text)))
    assert.instanceOf(error, LabelSelector.InvalidLabelSelector)
    assert.strictEqual(error.problem, problem)
    assert.strictEqual(error.at, at)
    assert.include(error.message, `character ${at + 1}`)
  })

  it("refuses a selector of more than 4096 characters", () => {
    const error = Result.merge(Result.flip(LabelSelector.parse("a".repeat(4097))))
    assert.instanceOf(error, LabelSelector.InvalidLabelSelector)
    assert.strictEqual(error.problem, "tooLong")
  })

  it.prop("gives back every selector that it prints", [Selector], ([selector]) => {
    assert.deepStrictEqual(parse(LabelSelector.print(distinct(selector))), distinct(selector))
  })

  it.prop("selects what all of its requirements select", [Selector, Labels], ([selector, labels]) => {
    const each = distinct(selector).every((requirement) => LabelSelector.matches([requirement], labels))
    assert.strictEqual(LabelSelector.matches(distinct(selector), labels), each)
  })

  it.prop("never fails other than by refusing", [Schema.String], ([text]) => {
    assert.isTrue(Result.isResult(LabelSelector.parse(text)))
  })
})
