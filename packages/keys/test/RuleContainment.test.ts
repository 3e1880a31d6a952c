import { assert, describe, it } from "@effect/vitest"
import type * as Rule from "../src/Rule.ts"
import * as RuleContainment from "../src/RuleContainment.ts"
import { beyond } from "./reach.ts"
import { admin, rule, shopAdmin, SmallRule, toRule, viewer } from "./samples.ts"

const names = { namespaceNames: ["shop"] }
const labels = (count: number) => ({
  namespaceNames: [],
  labelSelector: { matchLabels: Object.fromEntries(Array.from({ length: count }, (_, index) => [`l${index}`, "x"])) }
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
    assert.strictEqual(RuleContainment.isWithin(inner, outer), expected)
  })

  it.prop("every rule lies inside itself", [SmallRule], ([one]) => {
    assert.isTrue(RuleContainment.isWithin(toRule(one), toRule(one)))
  })

  it.prop(
    "what lies inside the inner lies inside the outer",
    [SmallRule, SmallRule, SmallRule],
    ([one, two, three]) => {
      const [inner, middle, outer] = [toRule(one), toRule(two), toRule(three)]
      if (RuleContainment.isWithin(inner, middle) && RuleContainment.isWithin(middle, outer))
        assert.isTrue(RuleContainment.isWithin(inner, outer))
    },
    { arbitrary: { runs: 2_000 } }
  )

  it.prop(
    "the outer permits every place and every operation that the inner permits",
    [SmallRule, SmallRule],
    ([one, two]) => {
      const [inner, outer] = [toRule(one), toRule(two)]
      if (!RuleContainment.isWithin(inner, outer)) return
      assert.deepStrictEqual(beyond(inner, outer), [])
    },
    { arbitrary: { runs: 1_000 } }
  )
})
