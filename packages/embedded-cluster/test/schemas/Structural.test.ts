import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { equals, isArray, isObject, type Json, type JsonObject } from "../../src/core/Json.ts"
import { reference } from "../../src/schemas/KindSchema.ts"
import * as SchemaCheck from "../../src/schemas/SchemaCheck.ts"
import * as Structural from "../../src/schemas/Structural.ts"

const text = { type: "string" }
const integer = { type: "integer" }

/** A schema with every way to keep, drop and default fields. */
const SCHEMA: JsonObject = {
  type: "object",
  properties: {
    a: { type: "string", default: "filled" },
    b: { type: "integer", nullable: true },
    c: {
      type: "object",
      properties: { a: { type: "integer", default: 1 }, b: text },
      default: {}
    },
    d: { type: "array", items: { type: "object", properties: { a: { type: "string", default: "item" }, b: integer } } },
    e: { type: "object", additionalProperties: { type: "object", properties: { a: { type: "integer", default: 7 } } } },
    f: {
      type: "object",
      "x-kubernetes-preserve-unknown-fields": true,
      properties: { a: { type: "object", properties: { b: text } } }
    }
  }
}

const Key = Schema.Literals(["a", "b", "c", "d", "e", "f", "z"])
const Leaf = Schema.Union([Schema.Null, Schema.Literals(["x", "y"]), Schema.Literals([0, 1, 2]), Schema.Boolean])
const Shallow = Schema.Union([Leaf, Schema.Record(Key, Leaf), Schema.Array(Schema.Record(Key, Leaf))])
const Anything = Schema.Record(Key, Schema.Union([Leaf, Schema.Record(Key, Shallow), Schema.Array(Shallow)]))

const pruned = (object: JsonObject) => Structural.prune(SCHEMA, object).object
const filled = (object: JsonObject): Json => Structural.withDefaults(SCHEMA, object)
const read = (object: JsonObject): JsonObject => {
  const value = filled(Structural.withoutNulls(SCHEMA, pruned(object)))
  return isObject(value) ? value : {}
}

/** Returns whether one value contains everything in another. */
const holds = (whole: Json | undefined, part: Json): boolean => {
  if (isObject(part)) return isObject(whole) && Object.entries(part).every(([key, value]) => holds(whole[key], value))
  if (isArray(part)) {
    return isArray(whole) && whole.length === part.length && part.every((one, index) => holds(whole[index], one))
  }
  return equals(whole, part)
}

describe("a structural schema", () => {
  it("drops unknown fields and reports them", () => {
    const { object, unknown } = Structural.prune(SCHEMA, {
      apiVersion: "v1",
      kind: "Thing",
      metadata: { name: "a", odd: 1 },
      z: 1,
      c: { a: 1, z: 2 },
      d: [{ b: 1, z: 3 }],
      e: { any: { a: 1, z: 4 } },
      f: { any: 5, a: { b: "x", z: 6 } }
    })
    assert.deepStrictEqual(object, {
      apiVersion: "v1",
      kind: "Thing",
      metadata: { name: "a" },
      c: { a: 1 },
      d: [{ b: 1 }],
      e: { any: { a: 1 } },
      f: { any: 5, a: { b: "x" } }
    })
    assert.deepStrictEqual(unknown, ["metadata.odd", "c.z", "d[0].z", "e.any.z", "f.a.z", "z"])
  })

  it("drops forbidden nulls, or replaces them with defaults", () => {
    assert.deepStrictEqual(read({ a: null, b: null, c: { b: null }, d: [{ a: null }], f: { any: null } }), {
      a: "filled",
      b: null,
      c: { a: 1 },
      d: [{ a: "item" }],
      f: { any: null }
    })
  })

  it("knows the built-in kinds", () => {
    const { object, unknown } = Structural.prunePublished(reference("io.k8s.api.apps.v1.Deployment"), {
      metadata: { labels: { any: "x" }, odd: 1 },
      spec: { template: { spec: { containers: [{ name: "a", resources: { limits: { any: 1 } }, port: 1 }] } } }
    })
    assert.deepStrictEqual(unknown, ["metadata.odd", "spec.template.spec.containers[0].port"])
    assert.deepStrictEqual(object["metadata"], { labels: { any: "x" } })
  })

  it.prop("pruning twice is pruning once", [Anything], ([object]) => {
    const once = pruned(object)
    assert.deepStrictEqual(pruned(once), once)
    assert.deepStrictEqual(Structural.prune(SCHEMA, once).unknown, [])
    assert.isTrue(holds(object, once))
  })

  it.prop("defaulting is idempotent and removes nothing", [Anything], ([object]) => {
    const once = filled(Structural.withoutNulls(SCHEMA, object))
    assert.deepStrictEqual(isObject(once) ? filled(once) : once, once)
    assert.isTrue(isObject(once) && Object.hasOwn(once, "a") && Object.hasOwn(once, "c"))
  })

  it.prop("decoding is idempotent", [Anything], ([object]) => {
    const once = read(object)
    assert.deepStrictEqual(read(once), once)
  })

  it.prop("accepts its own defaults", [Schema.Record(Key, Schema.Record(Key, Leaf))], ([object]) => {
    const standards = read({ e: object })
    assert.deepStrictEqual(
      SchemaCheck.check(SCHEMA, { ...standards, e: {} }).map(({ field }) => field),
      []
    )
  })

  it.prop("ignores errors of unchanged values", [Anything, Anything], ([before, after]) => {
    assert.deepStrictEqual(SchemaCheck.check(SCHEMA, before, { before }), [])
    const fresh = SchemaCheck.check(SCHEMA, after).length
    assert.isAtMost(SchemaCheck.check(SCHEMA, after, { before }).length, fresh)
  })
})
