import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import * as NamespaceFilter from "../src/NamespaceFilter.ts"

const shop = { namespaceNames: ["shop"] }
const teamA = { namespaceNames: [], labelSelector: { matchLabels: { team: "a" } } }
const shopOfTeamA = { namespaceNames: ["shop"], labelSelector: { matchLabels: { team: "a" } } }

/** Few names and labels, so that selectors and namespaces meet. */
const SmallSelector = Schema.Struct({
  namespaceNames: Schema.Array(Schema.Literals(["a", "b", "c"])).check(Schema.isMaxLength(2)),
  labels: Schema.Array(Schema.Tuple([Schema.Literals(["k", "l"]), Schema.Literals(["1", "2"])])).check(
    Schema.isMaxLength(2)
  )
})
const toSelector = ({ labels, namespaceNames }: typeof SmallSelector.Type): NamespaceFilter.NamespaceSelector => ({
  namespaceNames,
  ...(labels.length === 0 ? {} : { labelSelector: { matchLabels: Object.fromEntries(labels) } })
})
const decode = Schema.decodeUnknownResult(NamespaceFilter.NamespaceSelector, { onExcessProperty: "error" })

describe("NamespaceFilter", () => {
  it("reaches every namespace when nothing narrows it", () => {
    assert.isTrue(NamespaceFilter.matches(NamespaceFilter.everyNamespace, "any", undefined))
  })

  it("matches a name without asking for labels", () => {
    assert.isTrue(NamespaceFilter.matches(NamespaceFilter.anyOf([shop]), "shop", undefined))
    assert.isFalse(NamespaceFilter.matches(NamespaceFilter.anyOf([shop]), "shop2", {}))
  })

  it("matches labels only when they are proven", () => {
    const filter = NamespaceFilter.anyOf([teamA])
    assert.isTrue(NamespaceFilter.matches(filter, "x", { team: "a", more: "1" }))
    assert.isFalse(NamespaceFilter.matches(filter, "x", { team: "b" }))
    assert.isFalse(NamespaceFilter.matches(filter, "x", undefined))
  })

  it("asks for the name and the labels of one selector", () => {
    const filter = NamespaceFilter.anyOf([shopOfTeamA])
    assert.isTrue(NamespaceFilter.matches(filter, "shop", { team: "a" }))
    assert.isFalse(NamespaceFilter.matches(filter, "shop", { team: "b" }))
    assert.isFalse(NamespaceFilter.matches(filter, "other", { team: "a" }))
  })

  it("asks for any one of several selectors", () => {
    const filter = NamespaceFilter.anyOf([shop, teamA])
    assert.isTrue(NamespaceFilter.matches(filter, "shop", { team: "b" }))
    assert.isTrue(NamespaceFilter.matches(filter, "other", { team: "a" }))
    assert.isFalse(NamespaceFilter.matches(filter, "other", { team: "b" }))
  })

  it("takes a label prefix of 253 characters and refuses a longer one", () => {
    const labelled = (prefix: string) =>
      decode({ namespaceNames: [], labelSelector: { matchLabels: { [`${prefix}/team`]: "a" } } })
    assert.isTrue(Result.isSuccess(labelled("a".repeat(253))))
    assert.isTrue(Result.isFailure(labelled("a".repeat(254))))
    assert.isTrue(Result.isFailure(labelled(`a.${"b".repeat(252)}`)))
  })

  it("does not take an inherited property for a label", () => {
    const filter = NamespaceFilter.anyOf([{ namespaceNames: [], labelSelector: { matchLabels: { constructor: "x" } } }])
    assert.isFalse(NamespaceFilter.matches(filter, "x", {}))
  })

  it.each([
    ["names alone", shop],
    ["labels alone", teamA],
    ["both", shopOfTeamA],
    ["an empty label value", { namespaceNames: [], labelSelector: { matchLabels: { "acme.io/team": "" } } }]
  ])("accepts a selector of %s", (_name, selector) => {
    assert.isTrue(Result.isSuccess(decode(selector)))
  })

  it("refuses a key that is none even where unknown members are let pass", () => {
    const lenient = Schema.decodeUnknownResult(NamespaceFilter.NamespaceSelector)
    const selector = { namespaceNames: [], labelSelector: { matchLabels: { team: "a", "not a key": "b" } } }
    assert.isTrue(Result.isFailure(lenient(selector)))
  })

  it.each([
    ["neither names nor labels", { namespaceNames: [] }],
    ["no names field", { labelSelector: { matchLabels: { a: "b" } } }],
    ["an empty label selector", { namespaceNames: ["a"], labelSelector: {} }],
    ["empty labels", { namespaceNames: ["a"], labelSelector: { matchLabels: {} } }],
    ["match expressions", { namespaceNames: ["a"], labelSelector: { matchLabels: { a: "b" }, matchExpressions: [] } }],
    ["a pattern", { namespaceNames: ["team-*"] }],
    [
      "a key that is none, beside one that is",
      {
        namespaceNames: ["a"],
        labelSelector: { matchLabels: { team: "a", "not a key": "b" } }
      }
    ],
    ["null", { namespaceNames: null }],
    ["null labels", { namespaceNames: ["a"], labelSelector: null }]
  ])("refuses a selector of %s", (_name, selector) => {
    assert.isTrue(Result.isFailure(decode(selector)))
  })

  it.prop(
    "a selector inside another matches nothing that the other does not",
    [SmallSelector, SmallSelector],
    ([one, two]) => {
      const inner = toSelector(one)
      const outer = toSelector(two)
      if (!NamespaceFilter.isWithin(inner, outer)) return
      // An outer selector with neither names nor labels cannot be made from outside.
      if (outer.namespaceNames.length === 0 && outer.labelSelector === undefined) return
      for (const name of ["a", "b", "c"]) {
        for (const labels of [{}, { k: "1" }, { k: "2" }, { l: "1" }, { k: "1", l: "2" }, { k: "2", l: "2" }]) {
          if (NamespaceFilter.matches(NamespaceFilter.anyOf([inner]), name, labels)) {
            assert.isTrue(NamespaceFilter.matches(NamespaceFilter.anyOf([outer]), name, labels))
          }
        }
      }
    }
  )

  it.prop("every selector lies inside itself", [SmallSelector], ([one]) => {
    assert.isTrue(NamespaceFilter.isWithin(toSelector(one), toSelector(one)))
  })
})
