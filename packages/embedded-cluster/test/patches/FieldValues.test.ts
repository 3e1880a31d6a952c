import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { arrayAt, type JsonObject, textAt } from "../../src/core/Json.ts"
import * as FieldSet from "../../src/patches/FieldSet.ts"
import * as FieldValues from "../../src/patches/FieldValues.ts"
import { reference } from "../../src/schemas/KindSchema.ts"

const SPEC = reference("io.k8s.api.core.v1.PodSpec")

const Name = Schema.Literals(["a", "b", "c", "d"])
const Container = Schema.Struct({ name: Name, image: Schema.String })
const Pod = Schema.Struct({ containers: Schema.Array(Container), nodeSelector: Schema.Record(Name, Schema.String) })

/** A pod whose containers have distinct names. */
const distinct = ({ containers, nodeSelector }: typeof Pod.Type): JsonObject => ({
  containers: [...new Map(containers.map((one) => [one.name, { ...one }])).values()],
  nodeSelector
})
const names = (object: JsonObject): ReadonlyArray<string> =>
  arrayAt(object, "containers").map((one) => textAt(one, "name"))

describe("FieldValues", () => {
  it("removes a whole item, including fields without an owner", () => {
    const object = {
      containers: [
        { name: "a", image: "1" },
        { name: "b", imagePullPolicy: "Always" }
      ],
      nodeSelector: { disk: "ssd" }
    }
    const set = FieldSet.fromPaths([
      ["f:containers", 'k:{"name":"b"}'],
      ["f:containers", 'k:{"name":"b"}', "f:name"],
      ["f:containers", 'k:{"name":"a"}', "f:image"]
    ])
    assert.deepStrictEqual(FieldValues.remove(SPEC, object, set), {
      containers: [{ name: "a" }],
      nodeSelector: { disk: "ssd" }
    })
  })

  it("leaves null where all content but the field itself is removed", () => {
    const set = FieldSet.fromPaths([["f:containers", 'k:{"name":"a"}']])
    assert.deepStrictEqual(FieldValues.remove(SPEC, { containers: [{ name: "a" }], hostname: "h" }, set), {
      containers: null,
      hostname: "h"
    })
  })

  it("orders the items of both lists like the applied list, and keeps the position of the others", () => {
    const of = (...containers: ReadonlyArray<string>) => ({ containers: containers.map((name) => ({ name })) })
    const merged = FieldValues.merge(SPEC, of("main", "x", "side", "y"), of("y", "z", "main"))
    assert.deepStrictEqual(names(merged), ["x", "side", "y", "z", "main"])
  })

  it.prop("merging an object into itself changes nothing", [Pod], ([pod]) => {
    const object = distinct(pod)
    assert.deepStrictEqual(FieldValues.merge(SPEC, object, object), object)
    assert.isTrue(FieldSet.isEmpty(FieldValues.changed(SPEC, object, object)))
  })

  it.prop("a merge has every item once, the applied items in their order", [Pod, Pod], ([one, other]) => {
    const [live, applied] = [distinct(one), distinct(other)]
    const merged = names(FieldValues.merge(SPEC, live, applied))
    assert.deepStrictEqual(new Set(merged), new Set([...names(live), ...names(applied)]))
    assert.strictEqual(merged.length, new Set(merged).size)
    const wanted = names(applied)
    assert.deepStrictEqual(
      merged.filter((name) => wanted.includes(name)),
      wanted
    )
  })

  it.prop("removing every field leaves an empty object", [Pod], ([pod]) => {
    const object = distinct(pod)
    assert.deepStrictEqual(FieldValues.remove(SPEC, object, FieldValues.everything(SPEC, object)), {})
  })
})
