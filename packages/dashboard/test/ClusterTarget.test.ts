import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as ClusterTarget from "../src/api/ClusterTarget.ts"

const Names = Schema.Array(Schema.Literals(["prod", "stage", "a.b", "Z_9", "parent"]))

describe("the clusters of an address", () => {
  it.prop("are read as they were written, whatever else stands there", [Names], ([names]) => {
    const target = ClusterTarget.named(names)
    const search = ClusterTarget.write(new URLSearchParams("name=web&cluster=old&target=parent"), target)
    assert.deepStrictEqual(ClusterTarget.parse(new URLSearchParams(search.toString())), target)
    assert.strictEqual(search.get("name"), "web")
    assert.strictEqual(ClusterTarget.alone(search).get("name"), null)
  })

  it("are every one unless it says something else, and the parent by a word that is no name", () => {
    assert.deepStrictEqual(ClusterTarget.parse(new URLSearchParams()), ClusterTarget.ALL)
    assert.deepStrictEqual(ClusterTarget.parse(new URLSearchParams("cluster=")), ClusterTarget.ALL)
    assert.deepStrictEqual(ClusterTarget.parse(new URLSearchParams("target=parent")), ClusterTarget.PARENT)
    const parents = ClusterTarget.parse(new URLSearchParams("cluster=parent"))
    assert.deepStrictEqual(parents, ClusterTarget.named(["parent"]))
  })

  it("are remembered apart: a cluster that is named as the parent's word is not the parent", () => {
    const named = ["parent", "all", "a"].map((name) => ClusterTarget.named([name]))
    const keys = [ClusterTarget.ALL, ClusterTarget.PARENT, ...named].map(ClusterTarget.keyOf)
    assert.strictEqual(new Set(keys).size, keys.length)
  })

  it("are asked for by the header", () => {
    assert.deepStrictEqual(ClusterTarget.headersOf(ClusterTarget.ALL), { "x-service-cluster": "*" })
    assert.deepStrictEqual(ClusterTarget.headersOf(ClusterTarget.PARENT), {})
    assert.deepStrictEqual(ClusterTarget.headersOf(ClusterTarget.named(["a", "b", "a"])), {
      "x-service-cluster": "a|b"
    })
  })
})
