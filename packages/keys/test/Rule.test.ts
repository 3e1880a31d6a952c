import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import * as Rule from "../src/Rule.ts"
import { admin, rule, SmallRule, toRule } from "./samples.ts"

const names = { namespaceNames: ["shop"] }
const labels = (count: number) => ({
  namespaceNames: [],
  labelSelector: { matchLabels: Object.fromEntries(Array.from({ length: count }, (_, index) => [`l${index}`, "x"])) }
})
const repeat = <A>(count: number, make: (index: number) => A): Array<A> =>
  Array.from({ length: count }, (_, index) => make(index))

describe("a rule", () => {
  it.each([
    ["a role alone", { role: "Viewer" }],
    ["clusters", { role: "Operator", targetClusters: ["prod", "not-registered-yet"] }],
    ["namespaces by name and by label", { role: "Admin", targetNamespaces: [names, labels(1)] }],
    ["both scopes", { role: "Admin", targetNamespaces: [names], targetClusters: ["prod"] }],
    ["as many clusters as allowed", { role: "Viewer", targetClusters: repeat(1_000, (index) => `c${index}`) }],
    ["as many selectors as allowed", { role: "Viewer", targetNamespaces: repeat(64, () => labels(32)) }],
    [
      "as many names as allowed",
      { role: "Viewer", targetNamespaces: [{ namespaceNames: repeat(500, (index) => `n${index}`) }] }
    ]
  ])("is accepted with %s", (_name, input) => {
    assert.deepStrictEqual(Schema.encodeSync(Rule.Rule)(Result.getOrThrow(Rule.decode(input))), input)
  })

  it.each<[string, unknown, string]>([
    ["null", null, "rule: "],
    ["a list", [], "rule: "],
    ["a text", "Admin", "rule: "],
    ["nothing", {}, "rule.role: is required"],
    ["an unknown role", { role: "admin" }, "rule.role: "],
    ["null clusters", { role: "Admin", targetClusters: null }, "rule.targetClusters: "],
    ["undefined clusters", { role: "Admin", targetClusters: undefined }, "rule.targetClusters: "],
    ["no clusters", { role: "Admin", targetClusters: [] }, "rule.targetClusters: expected at least one"],
    ["an object of clusters", { role: "Admin", targetClusters: {} }, "rule.targetClusters: "],
    ["a text of clusters", { role: "Admin", targetClusters: "prod" }, "rule.targetClusters: "],
    ["a wildcard cluster", { role: "Admin", targetClusters: ["prod", "*"] }, "rule.targetClusters[1]: "],
    ["a cluster that is null", { role: "Admin", targetClusters: [null] }, "rule.targetClusters[0]: "],
    [
      "too many clusters",
      { role: "Admin", targetClusters: repeat(1_001, (index) => `c${index}`) },
      "rule.targetClusters: "
    ],
    [
      "a misspelt field",
      { role: "Admin", targetCluster: ["prod"] },
      "rule.targetCluster: is not known here; allowed: role, targetNamespaces, targetClusters"
    ],
    [
      "a misspelt role",
      { Role: "Admin" },
      "rule.Role: is not known here; allowed: role, targetNamespaces, targetClusters"
    ],
    ["null namespaces", { role: "Admin", targetNamespaces: null }, "rule.targetNamespaces: "],
    ["no namespaces", { role: "Admin", targetNamespaces: [] }, "rule.targetNamespaces: expected at least one"],
    [
      "an empty selector",
      { role: "Admin", targetNamespaces: [{}] },
      "rule.targetNamespaces[0].namespaceNames: is required"
    ],
    [
      "a selector of nothing",
      { role: "Admin", targetNamespaces: [{ namespaceNames: [] }] },
      "rule.targetNamespaces[0]: "
    ],
    [
      "a pattern",
      { role: "Admin", targetNamespaces: [{ namespaceNames: ["team-*"] }] },
      "rule.targetNamespaces[0].namespaceNames[0]: "
    ],
    [
      "match expressions",
      { role: "Admin", targetNamespaces: [{ namespaceNames: [], labelSelector: { matchExpressions: [] } }] },
      "rule.targetNamespaces[0].labelSelector.matchExpressions: is not known here; allowed: matchLabels"
    ],
    ["too many selectors", { role: "Admin", targetNamespaces: repeat(65, () => names) }, "rule.targetNamespaces: "],
    [
      "too many names in all selectors together",
      { role: "Admin", targetNamespaces: repeat(2, () => ({ namespaceNames: repeat(251, (index) => `n${index}`) })) },
      "rule.targetNamespaces: at most 500"
    ],
    [
      "too many labels",
      { role: "Admin", targetNamespaces: [labels(33)] },
      "rule.targetNamespaces[0].labelSelector.matchLabels: at most 32 labels"
    ],
    [
      "a field that breaks the line",
      { role: "Admin", "x\ny": 1 },
      String.raw`rule."x\ny": is not known here; allowed: role, targetNamespaces, targetClusters`
    ],
    [
      "a prototype sent as a field",
      JSON.parse('{"role":"Viewer","__proto__":{"role":"Admin"}}'),
      "rule.__proto__: is not known here; allowed: role, targetNamespaces, targetClusters"
    ]
  ])("is refused as %s, and the field is named", (_name, input, message) => {
    const error = Result.merge(Result.flip(Rule.decode(input)))
    assert.instanceOf(error, Rule.InvalidRule)
    assert.isTrue(error.message.startsWith(message), error.message)
  })

  it.prop("is read back from JSON as it was written", [SmallRule], ([one]) => {
    const written: unknown = JSON.parse(JSON.stringify(toRule(one)))
    assert.deepStrictEqual(Result.getOrThrow(Rule.decode(written)), toRule(one))
  })

  it.prop("is read or refused, whatever the value", [Schema.Unknown], ([value]) => {
    const read = Rule.decode(value)
    if (Result.isFailure(read)) assert.instanceOf(read.failure, Rule.InvalidRule)
  })

  it("does not read a role that the value inherits", () => {
    assert.isTrue(Result.isFailure(Rule.decode(Object.create({ role: "Admin" }))))
    assert.isTrue(Result.isFailure(Rule.decode({ role: "Admin", targetNamespaces: [Object.create(names)] })))
  })

  it("does not tell what it refused", () => {
    const error = Result.merge(Result.flip(Rule.decode({ role: "qd_secret", targetClusters: ["qd secret"] })))
    assert.instanceOf(error, Rule.InvalidRule)
    assert.notInclude(error.message, "secret")
  })

  it("is unscoped only without both scope fields", () => {
    assert.isTrue(Rule.isUnscoped(admin))
    assert.isFalse(Rule.isUnscoped(rule({ role: "Admin", targetClusters: ["prod"] })))
    assert.isFalse(Rule.isUnscoped(rule({ role: "Admin", targetNamespaces: [names] })))
  })
})
