import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { isArray, type JsonObject, textAt } from "../../src/core/Json.ts"
import * as StrategicMerge from "../../src/patches/StrategicMerge.ts"
import { reference } from "../../src/schemas/KindSchema.ts"

const META = "apimachinery.pkg.apis.meta.v1.ObjectMeta"
const schemaOf = (type: string) => reference(type === META ? `io.k8s.${META}` : `io.k8s.api.${type}`)
const patched = (target: JsonObject, patch: JsonObject, type = "core.v1.PodSpec") =>
  Result.getOrThrow(StrategicMerge.apply(target, patch, schemaOf(type)))

const Env = Schema.Array(
  Schema.Struct({ name: Schema.Literals(["A", "B", "C", "D"]), value: Schema.Literals(["1", "2"]) })
)
const unique = (env: typeof Env.Type) => [...new Map(env.map((one) => [one.name, one])).values()]

describe("StrategicMerge", () => {
  it("merges containers by name and their environment by name", () => {
    const target = {
      containers: [
        {
          name: "a",
          image: "1",
          env: [
            { name: "X", value: "1" },
            { name: "P", value: "p" }
          ]
        }
      ]
    }
    const patch = {
      containers: [
        { name: "b", image: "2" },
        { name: "a", env: [{ name: "X", value: "2" }] }
      ]
    }
    assert.deepStrictEqual(patched(target, patch), {
      containers: [
        { name: "b", image: "2" },
        {
          name: "a",
          image: "1",
          env: [
            { name: "X", value: "2" },
            { name: "P", value: "p" }
          ]
        }
      ]
    })
  })

  it("replaces lists whose items have no identity", () => {
    const target = { tolerations: [{ key: "a" }], args: ["x"] }
    assert.deepStrictEqual(patched(target, { tolerations: [{ key: "b" }], args: ["y"] }), {
      tolerations: [{ key: "b" }],
      args: ["y"]
    })
  })

  it("merges the ports of a service and of a container by their numbers", () => {
    assert.deepStrictEqual(
      patched({ ports: [{ port: 80, name: "a" }] }, { ports: [{ port: 80, name: "b" }] }, "core.v1.ServiceSpec"),
      {
        ports: [{ port: 80, name: "b" }]
      }
    )
    const container = patched(
      { ports: [{ containerPort: 80 }] },
      { ports: [{ containerPort: 81 }] },
      "core.v1.Container"
    )
    assert.deepStrictEqual(container["ports"], [{ containerPort: 81 }, { containerPort: 80 }])
  })

  it("removes an item by a directive", () => {
    const target = { containers: [{ name: "a" }, { name: "b" }] }
    assert.deepStrictEqual(patched(target, { containers: [{ name: "a", $patch: "delete" }] }), {
      containers: [{ name: "b" }]
    })
  })

  it("replaces a list or an object by a directive", () => {
    const target = { containers: [{ name: "a" }], strategy: { type: "RollingUpdate", rollingUpdate: {} } }
    assert.deepStrictEqual(
      patched(target, {
        containers: [{ $patch: "replace" }, { name: "b" }],
        strategy: { $patch: "replace", type: "Recreate" }
      }),
      { containers: [{ name: "b" }], strategy: { type: "Recreate" } }
    )
  })

  it("retains only the keys in $retainKeys", () => {
    const target = { strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1 } } }
    assert.deepStrictEqual(patched(target, { strategy: { $retainKeys: ["type"], type: "Recreate" } }), {
      strategy: { type: "Recreate" }
    })
  })

  it("merges plain values as a set and takes them out by a directive", () => {
    assert.deepStrictEqual(patched({ finalizers: ["a"] }, { finalizers: ["b"] }, META)["finalizers"], ["b", "a"])
    assert.deepStrictEqual(
      patched({ finalizers: ["a", "b"] }, { "$deleteFromPrimitiveList/finalizers": ["a"] }, META)["finalizers"],
      ["b"]
    )
  })

  it("orders a list by $setElementOrder", () => {
    const target = { containers: [{ name: "a" }, { name: "b" }, { name: "c" }] }
    const patch = {
      "$setElementOrder/containers": [{ name: "c" }, { name: "a" }],
      containers: [{ name: "c", image: "1" }]
    }
    assert.deepStrictEqual(patched(target, patch).containers, [{ name: "b" }, { name: "c", image: "1" }, { name: "a" }])
  })

  it("two new items with one key stay two in a new list, and become one in an existing list", () => {
    const ports = [
      { containerPort: 53, protocol: "UDP" },
      { containerPort: 53, protocol: "TCP" }
    ]
    assert.deepStrictEqual(patched({}, { ports }, "core.v1.Container")["ports"], ports)
    const merged = patched({ ports: [{ containerPort: 80 }] }, { ports }, "core.v1.Container")["ports"]
    assert.deepStrictEqual(merged, [{ containerPort: 53, protocol: "TCP" }, { containerPort: 80 }])
  })

  it("an item with only the replace directive clears the list", () => {
    const env = [{ name: "A", value: "1" }]
    assert.deepStrictEqual(patched({ env }, { env: [{ $patch: "replace" }] }, "core.v1.Container")["env"], [])
  })

  it("fails like the real server on an item without its key", () => {
    const failure = Result.merge(
      Result.flip(
        StrategicMerge.apply({ containers: [] }, { containers: [{ image: "x" }] }, schemaOf("core.v1.PodSpec"))
      )
    )
    assert.propertyVal(failure, "code", 500)
  })

  it.prop("keeps one item per name, with the patch's value, and every other item", [Env, Env], ([before, change]) => {
    const target = { env: unique(before) }
    const patch = { env: unique(change) }
    const type = "core.v1.Container"
    const expected = new Map<string, string>([...target.env, ...patch.env].map((one) => [one.name, one.value]))
    const merged = patched(target, patch, type)["env"]
    const got = isArray(merged) ? merged : []
    assert.strictEqual(got.length, expected.size)
    assert.deepStrictEqual(new Map(got.map((one) => [textAt(one, "name"), textAt(one, "value")])), new Map(expected))
    assert.deepStrictEqual(patched({ env: got }, patch, type)["env"], got)
  })
})
