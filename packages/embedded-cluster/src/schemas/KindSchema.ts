/**
 * Reads schemas: the fields of a kind, and how two values of a field merge.
 *
 * Strategic merge patches and server-side apply merge a list item by item if its items have an identity. They replace
 * any other list. The two rules differ for some fields, such as the ports of a container.
 *
 * **Source** the extensions `x-kubernetes-list-type`, `-list-map-keys`, `-map-type`, `-patch-strategy` and
 * `-patch-merge-key` of Kubernetes' OpenAPI documents and of structural schemas.
 */
import { arrayAt, at, isObject, type Json, type JsonObject, textAt } from "../core/Json.ts"
import { oncePer } from "../core/OncePer.ts"
import type { Resource } from "../core/Resource.ts"
import * as BuiltinSchemas from "./BuiltinSchemas.ts"

/** A schema with its references unresolved; `undefined` for a value without a schema. */
export type KindSchema = JsonObject | undefined

/** Rule by which a list merges. */
export type ListRule =
  | { readonly _tag: "Atomic" }
  | { readonly _tag: "Set" }
  | { readonly _tag: "Keyed"; readonly keys: ReadonlyArray<string> }

const ATOMIC: ListRule = { _tag: "Atomic" }
const SET: ListRule = { _tag: "Set" }
const keyed = (...keys: ReadonlyArray<string>): ListRule => ({ _tag: "Keyed", keys })

/** Schema of a resource's objects. */
export const ofResource = (resource: Resource): KindSchema =>
  resource.custom === undefined
    ? BuiltinSchemas.get(BuiltinSchemas.nameOf(resource.group, resource.version, resource.kind))
    : resource.custom.root

/** Makes a reference to a built-in schema. */
export const reference = (name: string): JsonObject => ({ $ref: `${BuiltinSchemas.REFERENCE}${name}` })

/**
 * Resolves a schema that is a reference; returns any other schema itself.
 *
 * **Shape** a reference with a description is `allOf` with one member. **Limits** memoized, because the check of
 * every field calls it.
 */
export const resolved = oncePer((schema: JsonObject): JsonObject => {
  const name = textAt(schema, "$ref") || textAt(arrayAt(schema, "allOf")[0], "$ref")
  return name === "" ? schema : BuiltinSchemas.get(name.slice(BuiltinSchemas.REFERENCE.length))
})

/** Returns whether a schema declares a field by name. */
export const declares = (schema: KindSchema, name: string): boolean =>
  schema !== undefined && at(resolved(schema), "properties", name) !== undefined

export const fieldOf = (schema: KindSchema, name: string): KindSchema => {
  if (schema === undefined) return undefined
  const whole = resolved(schema)
  return objectOr(at(whole, "properties", name)) ?? objectOr(whole["additionalProperties"])
}

/** Schema of a list's items. */
export const itemOf = (schema: KindSchema): KindSchema =>
  schema === undefined ? undefined : objectOr(resolved(schema)["items"])

const objectOr = (value: Json | undefined): KindSchema => (isObject(value) ? value : undefined)

const extension = (schema: JsonObject, name: string): Json | undefined =>
  schema[`x-kubernetes-${name}`] ?? resolved(schema)[`x-kubernetes-${name}`]

/** Rule by which a strategic merge patch merges a list. */
export const forPatch = (schema: KindSchema): ListRule => {
  if (schema === undefined || !strategies(schema).includes("merge")) return ATOMIC
  const key = extension(schema, "patch-merge-key")
  return typeof key === "string" ? keyed(key) : SET
}

const strategies = (schema: JsonObject): ReadonlyArray<string> => {
  const text = extension(schema, "patch-strategy")
  return typeof text === "string" ? text.split(",") : []
}

/** Returns whether a strategic merge patch replaces an object as a whole. */
export const isReplaced = (schema: KindSchema): boolean =>
  schema !== undefined && strategies(schema).includes("replace")

/** Rule by which a server-side apply merges a list. */
export const forApply = (schema: KindSchema): ListRule => {
  if (schema === undefined) return ATOMIC
  switch (extension(schema, "list-type")) {
    case "map": {
      const keys = extension(schema, "list-map-keys")
      return keyed(...arrayAt({ keys: keys ?? null }, "keys").filter((key) => typeof key === "string"))
    }
    case "set":
      return SET
    case "atomic":
      return ATOMIC
    default:
      return forPatch(schema)
  }
}

/** Returns whether one field manager owns an object as a whole. */
export const isAtomic = (schema: KindSchema): boolean =>
  schema !== undefined && extension(schema, "map-type") === "atomic"

/** Default of a key field that an item of a list omits. */
export const keyDefault = (list: KindSchema, key: string): Json | undefined => {
  const field = fieldOf(itemOf(list), key)
  return field === undefined ? undefined : field["default"]
}
