import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import type { Rule } from "../../src/access/Authorization.ts"
import * as RuleCover from "../../src/access/RuleCover.ts"

const texts = (...all: ReadonlyArray<string>) => Schema.Array(Schema.Literals(all))
const Rules = Schema.Array(
  Schema.Struct({
    verbs: texts("get", "list", "*"),
    groups: texts("", "apps", "*"),
    resources: texts("pods", "pods/log", "*/log", "*"),
    names: texts("a", "b"),
    paths: texts("/x", "/x/*", "*")
  })
)

const rule = (more: Partial<Rule>): Rule => ({
  verbs: ["get"],
  groups: [],
  resources: [],
  names: [],
  paths: [],
  ...more
})
const pods = rule({ groups: [""], resources: ["pods"] })

describe("RuleCover", () => {
  it.prop("whoever has rules may grant the same ones", [Rules], ([rules]) => {
    // A rule on paths says nothing by its names, but names narrow what it covers.
    const plain = rules.map((one) => (one.paths.length === 0 ? one : { ...one, names: [] }))
    assert.deepStrictEqual(RuleCover.uncovered(plain, plain), [])
  })

  it.prop("whoever has everything may grant everything", [Rules], ([rules]) => {
    const everything = [rule({ verbs: ["*"], groups: ["*"], resources: ["*"] }), rule({ verbs: ["*"], paths: ["*"] })]
    assert.deepStrictEqual(RuleCover.uncovered(everything, rules), [])
  })

  it.prop("nobody who has nothing grants anything", [Rules], ([rules]) => {
    const missing = RuleCover.uncovered([], rules)
    assert.deepStrictEqual(RuleCover.uncovered([], missing), missing)
    assert.isTrue(missing.every(({ verbs }) => verbs.length === 1))
  })

  it("a right on one object is not a right on all of them, and a word for all is none for one", () => {
    const one = rule({ ...pods, names: ["a"] })
    assert.deepStrictEqual(RuleCover.uncovered([one], [pods]), [pods])
    assert.deepStrictEqual(RuleCover.uncovered([pods], [one]), [])
    const any = rule({ groups: ["*"], resources: ["pods"] })
    assert.deepStrictEqual(RuleCover.uncovered([pods], [any]), [any])
  })

  it("tells the verbs on the same thing together", () => {
    const missing = RuleCover.uncovered(
      [],
      [
        rule({ ...pods, verbs: ["get", "list"] }),
        rule({ paths: ["/x"] }),
        rule({ groups: ["apps"], resources: ["*"], names: ["a"] })
      ]
    )
    assert.strictEqual(RuleCover.describe(missing), 'get, list on pods of ""; get on /x; get on * of "apps" named a')
  })
})
