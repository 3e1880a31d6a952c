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
  it.prop("a user may grant the user's own rules", [Rules], ([rules]) => {
    // Names have no meaning in a rule on paths, but they still narrow the rule.
    const plain = rules.map((one) => (one.paths.length === 0 ? one : { ...one, names: [] }))
    assert.deepStrictEqual(RuleCover.uncovered(plain, plain), [])
  })

  it.prop("a user with all permissions may grant all permissions", [Rules], ([rules]) => {
    const everything = [rule({ verbs: ["*"], groups: ["*"], resources: ["*"] }), rule({ verbs: ["*"], paths: ["*"] })]
    assert.deepStrictEqual(RuleCover.uncovered(everything, rules), [])
  })

  it.prop("a user without permissions may grant none", [Rules], ([rules]) => {
    const missing = RuleCover.uncovered([], rules)
    assert.deepStrictEqual(RuleCover.uncovered([], missing), missing)
    assert.isTrue(missing.every(({ verbs }) => verbs.length === 1))
  })

  it("a permission on one object does not cover all objects, nor one group all groups", () => {
    const one = rule({ ...pods, names: ["a"] })
    assert.deepStrictEqual(RuleCover.uncovered([one], [pods]), [pods])
    assert.deepStrictEqual(RuleCover.uncovered([pods], [one]), [])
    const any = rule({ groups: ["*"], resources: ["pods"] })
    assert.deepStrictEqual(RuleCover.uncovered([pods], [any]), [any])
  })

  it("groups the verbs on the same resource", () => {
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
