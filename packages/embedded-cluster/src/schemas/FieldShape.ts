/**
 * Types of the fields of built-in kinds, derived from their published schemas.
 *
 * **Source** Kubernetes 1.36, `/openapi/v3`; `apimachinery` for the types that parse a text themselves.
 */
import type * as GoTime from "../core/GoTime.ts"
import { arrayAt, isObject, type JsonObject, textAt } from "../core/Json.ts"
import { oncePer } from "../core/OncePer.ts"
import * as BuiltinSchemas from "./BuiltinSchemas.ts"
import * as KindSchema from "./KindSchema.ts"

/** Type of a field. **Shape** `Any` if the schema does not restrict it. */
export type Shape =
  | { readonly _tag: "Any" | "Text" | "Flag" | "Number" | "Bytes" | "Quantity" | "NumberOrText" }
  | { readonly _tag: "Integer"; readonly bits: 32 | 64 }
  | { readonly _tag: "Time"; readonly precision: GoTime.Precision }
  | { readonly _tag: "List"; readonly item: JsonObject }
  | { readonly _tag: "Map"; readonly value: JsonObject }
  | {
      readonly _tag: "Struct"
      readonly fields: JsonObject
      /** Lists and maps that are printed as `null` when they are empty. */
      readonly printed: ReadonlyArray<string>
    }

const PARSED = new Map<string, Shape>([
  ["io.k8s.apimachinery.pkg.api.resource.Quantity", { _tag: "Quantity" }],
  ["io.k8s.apimachinery.pkg.util.intstr.IntOrString", { _tag: "NumberOrText" }],
  ["io.k8s.apimachinery.pkg.apis.meta.v1.Time", { _tag: "Time", precision: "seconds" }],
  ["io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime", { _tag: "Time", precision: "micros" }]
])

const ANY: Shape = { _tag: "Any" }

/** Type of the fields that a schema describes. */
export const shapeOf = oncePer((schema: JsonObject): Shape => {
  const reference = textAt(schema, "$ref") || textAt(arrayAt(schema, "allOf")[0], "$ref")
  const name = reference.slice(BuiltinSchemas.REFERENCE.length)
  return PARSED.get(name) ?? compiled(KindSchema.resolved(schema), name)
})

const compiled = (schema: JsonObject, name: string): Shape => {
  const { additionalProperties, format, items, properties, type } = schema
  switch (type) {
    case "string":
      return { _tag: format === "byte" ? "Bytes" : "Text" }
    case "boolean":
      return { _tag: "Flag" }
    case "number":
      return { _tag: "Number" }
    case "integer":
      return { _tag: "Integer", bits: format === "int32" ? 32 : 64 }
    case "array":
      return isObject(items) ? { _tag: "List", item: items } : ANY
    case "object": {
      if (isObject(additionalProperties)) return { _tag: "Map", value: additionalProperties }
      const typeName = name.slice(name.lastIndexOf(".") + 1)
      return isObject(properties)
        ? { _tag: "Struct", fields: properties, printed: printed(typeName, schema, properties) }
        : ANY
    }
    default:
      return ANY
  }
}

/** Optional fields that are printed even when they are empty. */
const PRINTED = new Map([
  ["Role", ["rules"]],
  ["ClusterRole", ["rules"]],
  ["EndpointSlice", ["endpoints", "ports"]],
  ["ProjectedVolumeSource", ["sources"]]
])

const printed = (name: string, schema: JsonObject, fields: JsonObject): ReadonlyArray<string> =>
  [...arrayAt(schema, "required"), ...(PRINTED.get(name) ?? [])].filter((field): field is string => {
    const of = typeof field === "string" ? fields[field] : undefined
    return isObject(of) && (of["type"] === "array" || isObject(of["additionalProperties"]))
  })

const roots = new Map<string, Shape>()

/** Type of a kind. **Shape** `Any` if its schema is unknown. */
export const rootOf = (groupVersion: string, kind: string): Shape => {
  const [group = "", version = ""] = groupVersion.includes("/") ? groupVersion.split("/") : ["", groupVersion]
  const name = BuiltinSchemas.nameOf(group, version, kind)
  const shape = roots.get(name) ?? shapeOf(KindSchema.reference(name))
  // Only kinds with a schema are cached, so a client that invents kinds cannot fill the cache.
  if (shape !== ANY) roots.set(name, shape)
  return shape
}
