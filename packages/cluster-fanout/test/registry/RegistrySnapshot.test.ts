import { assert, describe, it } from "@effect/vitest"
import { Redacted } from "effect"
import type { Connection } from "../../src/registry/Cluster.ts"
import { faultOf, make } from "../../src/registry/RegistrySnapshot.ts"

const connectionTo = (host: string, token = "t"): Connection => ({
  server: `https://${host}.test`,
  insecureSkipTlsVerify: false,
  credential: { _tag: "Token", token: Redacted.make(token) }
})
const clusters = (...names: ReadonlyArray<string>) =>
  Object.fromEntries(names.map((name) => [name, { connection: connectionTo(name) }]))

describe("a snapshot of a program's own clusters", () => {
  it("has the parent first and the others by name", () => {
    const { clusters: found, parent, problems } = make({ parent: "hub", clusters: clusters("b", "hub", "a") })
    assert.deepStrictEqual(
      found.map(({ name, origin, role }) => [name, role, origin]),
      [
        ["hub", "parent", "registered"],
        ["a", "child", "registered"],
        ["b", "child", "registered"]
      ]
    )
    assert.strictEqual(parent, "hub")
    assert.deepStrictEqual(problems, [])
  })

  it("gives a cluster another generation with another connection, and only then", () => {
    const generationWith = (token: string, labels = {}) =>
      make({ parent: "hub", clusters: { hub: { connection: connectionTo("hub", token), labels } } }).clusters[0]
        ?.generation
    assert.strictEqual(generationWith("one"), generationWith("one", { tier: "gold" }))
    assert.notStrictEqual(generationWith("one"), generationWith("two"))
  })

  it("refuses a name outside of the grammar, and a parent that is not there", () => {
    assert.throws(
      () => make({ parent: "a|b", clusters: clusters("a|b") }),
      TypeError,
      '"a|b" is not a valid cluster name'
    )
    assert.throws(
      () => make({ parent: "hub", clusters: clusters("a") }),
      TypeError,
      'the parent cluster "hub" does not exist'
    )
  })

  it("keeps the laws of the port", () => {
    assert.isUndefined(faultOf(make({ parent: "hub", clusters: clusters("b", "hub", "a") })))
  })
})

describe("a snapshot that breaks a law", () => {
  const good = make({ parent: "hub", clusters: clusters("a", "b", "hub") })
  const [hub, a, b] = good.clusters
  assert(hub !== undefined && a !== undefined && b !== undefined)

  it.each([
    ["two clusters of one name", { ...good, clusters: [hub, a, a] }, "two clusters are named a"],
    ["no parent", { ...good, clusters: [a, b] }, "the parent is hub, but the clusters with the role parent are: none"],
    [
      "two parents",
      { ...good, clusters: [hub, { ...a, role: "parent" as const }] },
      "the parent is hub, but the clusters with the role parent are: hub, a"
    ],
    [
      "another parent than it says",
      { ...good, parent: a.name },
      "the parent is a, but the clusters with the role parent are: hub"
    ],
    [
      "another order",
      { ...good, clusters: [hub, b, a] },
      "the order is hub, b, a: the parent goes first and the others by name"
    ]
  ])("is detected: %s", (_name, snapshot, fault) => {
    assert.strictEqual(faultOf(snapshot), fault)
  })
})
