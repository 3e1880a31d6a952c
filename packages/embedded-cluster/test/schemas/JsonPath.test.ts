import { assert, describe, it } from "@effect/vitest"
import type { Json } from "../../src/core/Json.ts"
import * as JsonPath from "../../src/schemas/JsonPath.ts"

const OBJECT: Json = {
  spec: { size: 1, ports: [{ port: 1 }, { port: 2 }] },
  metadata: { annotations: { "a.b/c": "dotted" } },
  status: {
    conditions: [
      { type: "Ready", status: "False" },
      { type: "Synced", status: "True" }
    ]
  }
}

const found = (path: string): ReadonlyArray<Json> | undefined => {
  const parsed = JsonPath.parse(path)
  return parsed === undefined ? undefined : JsonPath.find(parsed, OBJECT)
}

describe("a path of a printer column", () => {
  it.each([
    [".spec.size", [1]],
    ["spec.size", [1]],
    [".spec.ports[1].port", [2]],
    [".spec.ports[-1].port", [2]],
    [".spec.ports[*].port", [1, 2]],
    [".metadata.annotations.a\\.b/c", ["dotted"]],
    [".metadata.annotations['a.b/c']", ["dotted"]],
    ['.status.conditions[?(@.type=="Ready")].status', ["False"]],
    [".status.conditions[?(@.type!='Ready')].status", ["True"]],
    [".spec.none.deeper", []],
    [".spec.size.deeper", []]
  ])("%s", (path, values) => {
    assert.deepStrictEqual(found(path), values)
  })

  it("is undefined if it does not parse", () => {
    assert.isUndefined(found(".spec[?(broken"))
    assert.isUndefined(found(".spec["))
  })
})
