import { assert, describe, it } from "@effect/vitest"
import * as NamespaceFilter from "@quarterdeck/targeting/NamespaceFilter"
import * as Target from "@quarterdeck/targeting/Target"
import * as ClusterName from "@quarterdeck/targeting/ClusterName"
import { Result, Schema } from "effect"
import * as Access from "../src/Access.ts"
import * as Rule from "../src/Rule.ts"
import { admin, rule, shopAdmin, SmallRule, toRule, viewer } from "./samples.ts"

const names = { namespaceNames: ["shop"] }
const labels = (count: number) => ({
  namespaceNames: [],
  labelSelector: { matchLabels: Object.fromEntries(Array.from({ length: count }, (_, index) => [`l${index}`, "x"])) }
})
const repeat = <A>(count: number, make: (index: number) => A): Array<A> =>
  Array.from({ length: count }, (_, index) => make(index))

/** Every cluster, namespace and label set that a small rule can tell apart, and one that it cannot. */
const places = ["c1", "c2", "c3", "c4"].flatMap((cluster) =>
  ["a", "b", "c", "d"].flatMap((namespace) =>
    [{}, { k: "1" }, { k: "2" }, { l: "1" }, { k: "1", l: "2" }].map((carried) => ({
      cluster: ClusterName.ClusterName.make(cluster),
      namespace,
      labels: carried
    }))
  )
)

const permits = (given: Rule.Rule, { cluster, labels: carried, namespace }: (typeof places)[number]): boolean =>
  Target.reaches(Rule.clusterScope(given), cluster)
  && NamespaceFilter.matches(Rule.namespaceFilter(given), namespace, carried)

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

describe("containment of rules", () => {
  it.each<[string, Rule.Rule, Rule.Rule, boolean]>([
    ["a lower role", viewer, admin, true],
    ["a higher role", admin, viewer, false],
    ["a scope inside none", shopAdmin, admin, true],
    ["no scope inside one", admin, shopAdmin, false],
    [
      "fewer clusters",
      rule({ role: "Viewer", targetClusters: ["a"] }),
      rule({ role: "Viewer", targetClusters: ["b", "a"] }),
      true
    ],
    [
      "another cluster",
      rule({ role: "Viewer", targetClusters: ["a", "c"] }),
      rule({ role: "Viewer", targetClusters: ["b", "a"] }),
      false
    ],
    [
      "every namespace of one cluster, inside one namespace of all",
      rule({ role: "Viewer", targetClusters: ["a"] }),
      rule({ role: "Viewer", targetNamespaces: [names] }),
      false
    ],
    [
      "names with more labels inside the labels",
      rule({
        role: "Viewer",
        targetNamespaces: [{ namespaceNames: ["x"], labelSelector: { matchLabels: { l0: "x", m: "y" } } }]
      }),
      rule({ role: "Viewer", targetNamespaces: [names, labels(1)] }),
      true
    ],
    [
      "labels alone inside names",
      rule({ role: "Viewer", targetNamespaces: [labels(1)] }),
      rule({ role: "Viewer", targetNamespaces: [names] }),
      false
    ]
  ])("%s", (_name, inner, outer, expected) => {
    assert.strictEqual(Rule.isWithin(inner, outer), expected)
  })

  it.prop("every rule lies inside itself", [SmallRule], ([one]) => {
    assert.isTrue(Rule.isWithin(toRule(one), toRule(one)))
  })

  it.prop(
    "what lies inside the inner lies inside the outer",
    [SmallRule, SmallRule, SmallRule],
    ([one, two, three]) => {
      const [inner, middle, outer] = [toRule(one), toRule(two), toRule(three)]
      if (Rule.isWithin(inner, middle) && Rule.isWithin(middle, outer)) assert.isTrue(Rule.isWithin(inner, outer))
    },
    { arbitrary: { runs: 2_000 } }
  )

  it.prop(
    "the outer permits every place and every operation that the inner permits",
    [SmallRule, SmallRule],
    ([one, two]) => {
      const [inner, outer] = [toRule(one), toRule(two)]
      if (!Rule.isWithin(inner, outer)) return
      for (const place of places) if (permits(inner, place)) assert.isTrue(permits(outer, place))
      for (const resource of Access.resources) {
        for (const verb of Access.verbs) {
          if (Access.decide(inner, resource, verb) === "allowed") {
            assert.strictEqual(Access.decide(outer, resource, verb), "allowed")
          }
        }
      }
    },
    { arbitrary: { runs: 1_000 } }
  )
})
