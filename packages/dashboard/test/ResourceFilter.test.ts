import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as ResourceFilter from "../src/lists/ResourceFilter.ts"

const Text = Schema.Literals(["", "web", "a b", "ü&="])
const Filter = Schema.Struct({
  name: Text,
  labels: Text,
  status: Text,
  type: Text,
  reason: Text,
  sort: Text,
  namespaces: Schema.Array(Schema.Literals(["shop", "kube-system"])),
  order: Schema.Literals(["asc", "desc"])
})

describe("the filter of a list", () => {
  it.prop("is read as it was written, and leaves the clusters alone", [Filter], ([filter]) => {
    const search = ResourceFilter.write(new URLSearchParams("cluster=prod&name=old&status=old"), filter)
    assert.deepStrictEqual(ResourceFilter.parse(new URLSearchParams(search.toString())), filter)
    assert.deepStrictEqual(search.getAll("cluster"), ["prod"])
  })

  it("asks for nothing that it does not say", () => {
    assert.isFalse(ResourceFilter.isNarrowed(ResourceFilter.parse(new URLSearchParams("sort=name&order=desc"))))
    assert.isTrue(ResourceFilter.isNarrowed(ResourceFilter.parse(new URLSearchParams("namespace=shop"))))
    assert.deepStrictEqual(ResourceFilter.given("name", " "), {})
    assert.deepStrictEqual(ResourceFilter.given("name", " web "), { name: "web" })
  })
})
