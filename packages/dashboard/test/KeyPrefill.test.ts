import { assert, describe, it } from "@effect/vitest"
import { CreateApiKey } from "@quarterdeck/contract/ApiKeysGroup"
import { Schema } from "effect"
import { type KeyDraft, toBody } from "../src/keys/KeyDraft.ts"
import * as KeyPrefill from "../src/keys/KeyPrefill.ts"
import * as RuleSentence from "../src/keys/RuleSentence.ts"
import * as StoredDraft from "../src/keys/StoredDraft.ts"
import * as KeyText from "../src/signin/KeyText.ts"

const EMPTY: KeyDraft = {
  name: "",
  description: "",
  allowFrom: [],
  role: "Viewer",
  clusters: undefined,
  selectors: undefined,
  expiry: { _tag: "After", count: "90", unit: "d" }
}

const applied = (search: string, draft: Partial<KeyDraft> = {}, highest: KeyDraft["role"] = "Admin") =>
  KeyPrefill.apply({ ...EMPTY, ...draft }, KeyPrefill.parse(new URLSearchParams(search)), highest)

describe("the form of a key from an address", () => {
  it("has the role, scope, addresses and end that the address names", () => {
    const draft = applied("name=ci&role=Operator&clusters=eu,us&namespaces=shop&allowFrom=10.0.0.0/8&expire=30d")
    assert.deepStrictEqual(
      toBody(draft),
      toBody({
        ...EMPTY,
        name: "ci",
        role: "Operator",
        clusters: ["eu", "us"],
        selectors: [{ id: 1, names: ["shop"], labels: [] }],
        allowFrom: ["10.0.0.0/8"],
        expiry: { _tag: "After", count: "30", unit: "d" }
      })
    )
  })

  it("never widens what the caller may give, and ignores what is invalid", () => {
    assert.deepStrictEqual(applied("role=Root&expire=soon"), EMPTY)
    assert.strictEqual(applied("role=Admin", {}, "Operator").role, "Viewer")
    assert.deepStrictEqual(applied("clusters=eu,us", { clusters: ["eu", "ap"] }).clusters, ["eu"])
    assert.deepStrictEqual(applied("clusters=us", { clusters: ["eu"] }).clusters, ["eu"])
    const selectors = [{ id: 1, names: ["shop"], labels: [] }]
    assert.deepStrictEqual(applied("namespaces=payments", { selectors }).selectors, selectors)
  })

  it("opens the field of an empty list, so that a preset cannot be sent without its scope", () => {
    for (const { label, search } of KeyPrefill.PRESETS) {
      const body = toBody(applied(search, { name: "ci" }))
      assert.strictEqual(body._tag, label === "Auditor" ? "Success" : "Failure", label)
    }
    assert.deepStrictEqual(
      KeyPrefill.presetsUpTo("Operator").map(({ label }) => label),
      ["CI, read-only in one cluster", "Operator of one namespace"]
    )
  })

  it.prop("is bounded, whatever the address", [Schema.String, Schema.String], ([one, other]) => {
    const search = new URLSearchParams({ name: one.repeat(50), clusters: `${one},${other}`.repeat(99) })
    const { clusters = [], name } = applied(search.toString())
    assert.isAtMost(name.length, 128)
    assert.isAtMost(clusters.length, 32)
  })
})

/** A storage in memory. */
const storage = (): Storage => {
  const entries = new Map<string, string>()
  return {
    get length() {
      return entries.size
    },
    clear: () => entries.clear(),
    key: (index) => [...entries.keys()][index] ?? null,
    getItem: (name) => entries.get(name) ?? null,
    setItem: (name, value) => void entries.set(name, value),
    removeItem: (name) => void entries.delete(name)
  }
}

describe("the kept draft", () => {
  const owner = { callerId: "key_1", search: "role=Viewer" }
  const draft: KeyDraft = {
    ...EMPTY,
    name: "ci",
    clusters: ["eu"],
    selectors: [{ id: 1, names: ["shop"], labels: ["team=a"], within: { namespaceNames: ["shop"] } }]
  }

  it("is given back to its caller and address only", () => {
    const kept = storage()
    assert.isUndefined(StoredDraft.read(kept, owner))
    StoredDraft.write(kept, owner, draft)
    assert.deepStrictEqual(StoredDraft.read(kept, owner), draft)
    assert.isUndefined(StoredDraft.read(kept, { ...owner, callerId: "key_2" }))
    assert.isUndefined(StoredDraft.read(kept, { ...owner, search: "" }))
    StoredDraft.write(kept, owner, EMPTY)
    assert.deepStrictEqual(StoredDraft.read(kept, owner), EMPTY)
    StoredDraft.clear(kept)
    assert.isUndefined(StoredDraft.read(kept, owner))
  })

  it("is ignored if it is not a draft", () => {
    for (const text of ["", "{", "[]", '{"callerId":"key_1","search":"role=Viewer","draft":{"name":1}}']) {
      const kept = storage()
      kept.setItem("quarterdeck.keyDraft", text)
      assert.isUndefined(StoredDraft.read(kept, owner))
    }
  })
})

const decodeRule = Schema.decodeUnknownSync(CreateApiKey.fields.rule)

describe("the rule of a key as a sentence", () => {
  it.each<[string, { readonly rule: unknown; readonly allowFrom?: ReadonlyArray<string> }]>([
    ["May read in every cluster, in every namespace, from any address.", { rule: { role: "Viewer" } }],
    [
      "May read and operate in cluster eu, only in namespace shop, only from 10.0.0.0/8.",
      {
        rule: { role: "Operator", targetClusters: ["eu"], targetNamespaces: [{ namespaceNames: ["shop"] }] },
        allowFrom: ["10.0.0.0/8"]
      }
    ],
    [
      "May read, operate and manage keys in clusters a, b, c, d, e and 2 more, only in namespaces labelled team=x or namespaces shop, jobs labelled tier=web, from any address.",
      {
        rule: {
          role: "Admin",
          targetClusters: ["a", "b", "c", "d", "e", "f", "g"],
          targetNamespaces: [
            { namespaceNames: [], labelSelector: { matchLabels: { team: "x" } } },
            { namespaceNames: ["shop", "jobs"], labelSelector: { matchLabels: { tier: "web" } } }
          ]
        }
      }
    ]
  ])("%s", (sentence, { rule, ...key }) => {
    assert.strictEqual(RuleSentence.print({ ...key, rule: decodeRule(rule) }), sentence)
  })
})

describe("a pasted key", () => {
  it("loses the scheme of an Authorization header, and nothing else", () => {
    assert.strictEqual(KeyText.withoutScheme("Bearer qd_1"), "qd_1")
    assert.strictEqual(KeyText.withoutScheme("  bearer\tqd_1"), "qd_1")
    assert.strictEqual(KeyText.withoutScheme("Bearer"), "Bearer")
    assert.strictEqual(KeyText.withoutScheme("my Bearer key"), "my Bearer key")
  })

  it("that is too long is refused with its size and the bound", () => {
    assert.isUndefined(KeyText.errorOf("k".repeat(4_086)))
    assert.strictEqual(
      KeyText.errorOf("k".repeat(5_000)),
      "This text is too long for a key: it has 5,000 bytes, and a key has at most 4,086."
    )
    assert.strictEqual(KeyText.errorOf(""), "Enter your key")
  })
})
