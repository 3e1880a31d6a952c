import { assert, describe, it } from "@effect/vitest"
import { CreateApiKey } from "@quarterdeck/contract/ApiKeysGroup"
import { Result, Schema } from "effect"
import { fieldErrorsOf } from "../src/form/FieldErrors.ts"
import {
  changeOf,
  emptySelector,
  fieldOf,
  type KeyDraft,
  nextSelector,
  type SelectorDraft,
  toBody,
  toChange,
  toRule
} from "../src/keys/KeyDraft.ts"

const refusedFields = (failure: Parameters<typeof fieldErrorsOf>[0]) => fieldErrorsOf(failure, fieldOf)

const draft = (fields: Partial<KeyDraft>): KeyDraft => ({
  name: "ci",
  description: "",
  allowFrom: [],
  role: "Viewer",
  clusters: undefined,
  selectors: undefined,
  expiry: { _tag: "Never" },
  ...fields
})

const selector = (fields: Partial<SelectorDraft>): SelectorDraft => ({ ...emptySelector(1), ...fields })

const faultsOf = (fields: Partial<KeyDraft>) =>
  Result.match(toBody(draft(fields)), { onSuccess: () => ({}), onFailure: (faults) => faults })

describe("the form of a new key", () => {
  it("leaves out what reaches everything, and says what narrows", () => {
    assert.deepStrictEqual(Result.getOrThrow(toBody(draft({}))), { name: "ci", rule: { role: "Viewer" } })
    const narrow = toBody(
      draft({
        name: " ci ",
        role: "Operator",
        clusters: ["prod", "later"],
        selectors: [selector({ names: ["shop"] }), selector({ id: 2, labels: ["team=storefront", "stage="] })],
        expiry: { _tag: "After", count: "90", unit: "d" }
      })
    )
    assert.deepStrictEqual<unknown>(Result.getOrThrow(narrow), {
      name: "ci",
      expire: "90d",
      rule: {
        role: "Operator",
        targetClusters: ["prod", "later"],
        targetNamespaces: [
          { namespaceNames: ["shop"] },
          { namespaceNames: [], labelSelector: { matchLabels: { team: "storefront", stage: "" } } }
        ]
      }
    })
  })

  it("ends a key with the last second of a day of the reader's", () => {
    const body = Result.getOrThrow(toBody(draft({ expiry: { _tag: "On", date: "2031-02-03" } })))
    assert.strictEqual(body.expire, new Date(2031, 1, 3, 23, 59, 59).toISOString().replace(".000", ""))
  })

  it("names each field that is missing or not as it should be", () => {
    assert.hasAllKeys(faultsOf({ name: "  " }), ["name"])
    assert.hasAllKeys(faultsOf({ clusters: [] }), ["clusters"])
    assert.hasAllKeys(faultsOf({ clusters: ["not a name"] }), ["clusters"])
    assert.hasAllKeys(faultsOf({ selectors: [selector({})] }), ["selectors.0.names"])
    assert.hasAllKeys(faultsOf({ selectors: [selector({ names: ["Shop"] })] }), ["selectors.0.names"])
    assert.hasAllKeys(faultsOf({ selectors: [selector({ labels: ["team"] })] }), ["selectors.0.labels"])
    assert.hasAllKeys(faultsOf({ selectors: [selector({ labels: ["a=1", "a=2"] })] }), ["selectors.0.labels"])
    for (const count of ["0", "1.5", "", "10000"]) {
      assert.hasAllKeys(faultsOf({ expiry: { _tag: "After", count, unit: "d" } }), ["expire"])
    }
    assert.hasAllKeys(faultsOf({ expiry: { _tag: "On", date: "" } }), ["expire"])
  })

  const Draft = Schema.Struct({
    clusters: Schema.UndefinedOr(Schema.Array(Schema.Literals(["prod", "stage", "", "no name"]))),
    selectors: Schema.UndefinedOr(
      Schema.Array(
        Schema.Struct({
          names: Schema.Array(Schema.Literals(["shop", "Shop"])),
          labels: Schema.Array(Schema.Literals(["team=storefront", "team=other", "stage", "=x"]))
        })
      )
    )
  })

  it.prop("previews the very rule that it sends", [Draft], ([{ clusters, selectors }]) => {
    const filled = draft({ clusters, selectors: selectors?.map((one, id) => ({ id, ...one })) })
    const body = toBody(filled)
    if (Result.isSuccess(body)) assert.deepStrictEqual(toRule(filled), body.success.rule)
    // What is narrowed in the form is never sent as everything.
    if (Result.isSuccess(body)) {
      assert.strictEqual(body.success.rule.targetClusters === undefined, clusters === undefined)
      assert.strictEqual(body.success.rule.targetNamespaces === undefined, selectors === undefined)
    }
  })
})

describe("the change of a key", () => {
  const key = Schema.decodeUnknownSync(CreateApiKey)({
    name: "ci",
    rule: {
      role: "Operator",
      targetClusters: ["prod", "stage"],
      targetNamespaces: [
        { namespaceNames: ["shop", "jobs"] },
        { namespaceNames: [], labelSelector: { matchLabels: { team: "storefront" } } }
      ]
    }
  })

  it("says nothing of what stays as it is", () => {
    assert.deepStrictEqual(Result.getOrThrow(toChange(changeOf(key), key)), {})
    const turned = { ...changeOf(key), clusters: ["stage", "prod"] }
    assert.deepStrictEqual(Result.getOrThrow(toChange(turned, key)), {})
    assert.deepStrictEqual(Result.getOrThrow(toChange({ ...changeOf(key), name: "ci 2 " }, key)), { name: "ci 2" })
  })

  const Part = Schema.Struct({
    role: Schema.Literals(["Viewer", "Operator"]),
    clusters: Schema.Literals(["prod", "stage"]),
    kept: Schema.Boolean,
    names: Schema.Literals(["shop", "jobs"]),
    labels: Schema.Array(Schema.Literals(["tier=web", "stage=", "team=storefront"]))
  })

  it.prop(
    "never reaches further, whatever of its offers is chosen",
    [Part],
    ([{ clusters, kept, labels, names, role }]) => {
      const begun = changeOf(key)
      const selectors = begun.selectors ?? []
      const [first, second] = [...selectors, nextSelector(selectors)].filter(({ id }) => id !== 2 || kept)
      const chosen = [first, second].flatMap((one) =>
        one === undefined
          ? []
          : [{ ...one, ...(one.id === 1 ? { names: [names] } : {}), labels: [...new Set([...one.labels, ...labels])] }]
      )
      const change = Result.getOrThrow(toChange({ ...begun, role, clusters: [clusters], selectors: chosen }, key))
      const reached = change.rule
      assert.deepStrictEqual<unknown>(reached?.targetClusters, [clusters])
      assert.notStrictEqual(reached?.role, "Admin")
      for (const { labelSelector, namespaceNames } of reached?.targetNamespaces ?? []) {
        const isOfTeam = labelSelector?.matchLabels?.["team"] === "storefront"
        const isOfShop = namespaceNames.length > 0 && namespaceNames.every((name) => ["shop", "jobs"].includes(name))
        assert.isTrue(isOfTeam || isOfShop)
      }
    }
  )

  it("finds the field that the server names", () => {
    const fieldsOf = (field: string) => Object.keys(refusedFields({ field, message: "no" }))
    assert.deepStrictEqual(
      ["name", "expire", "rule", "rule.targetClusters[1]", "rule.targetNamespaces[2].labelSelector.matchLabels"].map(
        fieldsOf
      ),
      [["name"], ["expire"], ["rule"], ["clusters"], ["selectors.2.labels"]]
    )
    assert.deepStrictEqual(refusedFields(undefined), {})
  })

  it("says under a field what is wrong, without the name that it has in a body", () => {
    assert.deepStrictEqual(refusedFields({ field: "expire", message: "expire: must lie in the future" }), {
      expire: "must lie in the future"
    })
    assert.deepStrictEqual(refusedFields({ field: "expire", message: "expires: no" }), { expire: "expires: no" })
  })
})
