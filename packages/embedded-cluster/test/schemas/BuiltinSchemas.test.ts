import { assert, describe, it } from "@effect/vitest"
import { arrayAt, isObject, type Json, textAt } from "../../src/core/Json.ts"
import * as Resources from "../../src/core/Resources.ts"
import * as BuiltinSchemas from "../../src/schemas/BuiltinSchemas.ts"
import * as KindSchema from "../../src/schemas/KindSchema.ts"

const referencesIn = (value: Json): ReadonlyArray<string> => {
  if (Array.isArray(value)) return value.flatMap(referencesIn)
  if (!isObject(value)) return []
  const own = textAt(value, "$ref")
  return [
    ...(own === "" ? [] : [own.slice(BuiltinSchemas.REFERENCE.length)]),
    ...Object.values(value).flatMap(referencesIn)
  ]
}

describe("the built-in schemas", () => {
  it("contain every built-in resource, under its group, version and kind", () => {
    for (const { group, kind, version } of Resources.all) {
      const schema = BuiltinSchemas.get(BuiltinSchemas.nameOf(group, version, kind))
      const said = arrayAt(schema, "x-kubernetes-group-version-kind")
      assert.deepInclude(said, { group, version, kind })
    }
  })

  it("reference only each other", () => {
    const names = new Set(BuiltinSchemas.names())
    for (const name of names) {
      for (const reference of referencesIn(BuiltinSchemas.get(name)))
        assert.isTrue(names.has(reference), `${name}: ${reference}`)
    }
  })

  it("have the merge keys of lists, for patch and for apply", () => {
    const container = KindSchema.reference("io.k8s.api.core.v1.Container")
    const ports = KindSchema.fieldOf(container, "ports")
    assert.deepStrictEqual(KindSchema.forPatch(ports), { _tag: "Keyed", keys: ["containerPort"] })
    assert.deepStrictEqual(KindSchema.forApply(ports), { _tag: "Keyed", keys: ["containerPort", "protocol"] })
    assert.strictEqual(KindSchema.keyDefault(ports, "protocol"), "TCP")
    const spec = KindSchema.reference("io.k8s.api.core.v1.PodSpec")
    assert.strictEqual(KindSchema.forPatch(KindSchema.fieldOf(spec, "tolerations"))._tag, "Atomic")
    assert.isTrue(KindSchema.isAtomic(KindSchema.fieldOf(spec, "nodeSelector")))
  })

  it("are empty for an unknown name", () => {
    assert.deepStrictEqual(BuiltinSchemas.get("io.k8s.api.core.v1.Nothing"), {})
    assert.isUndefined(KindSchema.fieldOf(KindSchema.reference("io.k8s.api.core.v1.Pod"), "nothing"))
    assert.strictEqual(KindSchema.forApply(undefined)._tag, "Atomic")
  })
})
