/**
 * What a kind's schema says of its fields: what is in them, and how two values of one merge.
 *
 * A strategic merge patch and a server-side apply merge a list whose items have an identity item by item; every other
 * list is replaced whole. The two ways disagree in places, for instance on the ports of a container.
 *
 * **Source** the extensions `x-kubernetes-list-type`, `-list-map-keys`, `-map-type`, `-patch-strategy` and
 * `-patch-merge-key` of Kubernetes' OpenAPI documents and of structural schemas.
 */
import { arrayAt, at, isObject, type Json, type JsonObject, textAt } from "../core/Json.ts"
import { oncePer } from "../core/OncePer.ts"
import type { Resource } from "../core/Resource.ts"
import * as Definitions from "./Definitions.ts"

/** A schema as it is written, its references included; `undefined` where nothing is known of a value. */
export type KindSchema = JsonObject | undefined

/** How one list merges. */
export type ListRule =
  | { readonly _tag: "Atomic" }
  | { readonly _tag: "Set" }
  | { readonly _tag: "Keyed"; readonly keys: ReadonlyArray<string> }

const ATOMIC: ListRule = { _tag: "Atomic" }
const SET: ListRule = { _tag: "Set" }
const keyed = (...keys: ReadonlyArray<string>): ListRule => ({ _tag: "Keyed", keys })

/** The schema of a resource's objects. */
export const ofResource = (resource: Resource): KindSchema =>
  resource.custom === undefined
    ? Definitions.get(Definitions.nameOf(resource.group, resource.version, resource.kind))
    : resource.custom.root

/** A reference to a schema that is built in. */
export const reference = (name: string): JsonObject => ({ $ref: `${Definitions.REFERENCE}${name}` })

/**
 * The schema that a reference means; any other is itself.
 *
 * **Shape** `allOf` with one member is how a reference gets a description. **Limits** is looked up once: every field of every
 * body asks.
 */
export const resolved = oncePer((schema: JsonObject): JsonObject => {
  const name = textAt(schema, "$ref") || textAt(arrayAt(schema, "allOf")[0], "$ref")
  return name === "" ? schema : Definitions.get(name.slice(Definitions.REFERENCE.length))
})

/** Whether a schema names a field, instead of allowing any. */
export const declares = (schema: KindSchema, name: string): boolean =>
  schema !== undefined && at(resolved(schema), "properties", name) !== undefined

/** The schema of a field. */
export const fieldOf = (schema: KindSchema, name: string): KindSchema => {
  if (schema === undefined) return undefined
  const whole = resolved(schema)
  return objectOr(at(whole, "properties", name)) ?? objectOr(whole["additionalProperties"])
}

/** The schema of a list's items. */
export const itemOf = (schema: KindSchema): KindSchema =>
  schema === undefined ? undefined : objectOr(resolved(schema)["items"])

const objectOr = (value: Json | undefined): KindSchema => (isObject(value) ? value : undefined)

const extension = (schema: JsonObject, name: string): Json | undefined =>
  schema[`x-kubernetes-${name}`] ?? resolved(schema)[`x-kubernetes-${name}`]

/** Tells how a strategic merge patch merges a list. */
export const forPatch = (schema: KindSchema): ListRule => {
  if (schema === undefined || !strategies(schema).includes("merge")) return ATOMIC
  const key = extension(schema, "patch-merge-key")
  return typeof key === "string" ? keyed(key) : SET
}

const strategies = (schema: JsonObject): ReadonlyArray<string> => {
  const text = extension(schema, "patch-strategy")
  return typeof text === "string" ? text.split(",") : []
}

/** Whether a strategic merge patch replaces an object whole. */
export const isReplaced = (schema: KindSchema): boolean =>
  schema !== undefined && strategies(schema).includes("replace")

/** Tells how an apply merges a list. */
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

/** Whether one manager owns an object whole. */
export const isAtomic = (schema: KindSchema): boolean =>
  schema !== undefined && extension(schema, "map-type") === "atomic"

/** What a key field is taken to be where an item of a list leaves it out. */
export const keyDefault = (list: KindSchema, key: string): Json | undefined => {
  const field = fieldOf(itemOf(list), key)
  return field === undefined ? undefined : field["default"]
}
