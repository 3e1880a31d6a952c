/**
 * Prepares an object by its schema: drops unknown fields and forbidden nulls, and adds defaults.
 *
 * **Source** Kubernetes 1.36, `apiextensions-apiserver/pkg/apiserver/schema`: `pruning`, `defaulting`.
 */
import { changeItems, changeValues, isArray, isObject, type Json, type JsonObject } from "../core/Json.ts"
import * as KindSchema from "./KindSchema.ts"

/**
 * An object without the fields that its schema does not declare. **Shape** `unknown` has their paths,
 * `spec.ports[0].x`.
 */
export interface Pruned {
  readonly object: JsonObject
  readonly unknown: ReadonlyArray<string>
}

const META = new Set(["apiVersion", "kind", "metadata"])
const OBJECT_META = KindSchema.reference("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta")

/** State of pruning one object. **Shape** `unknown` has the paths of the fields removed so far. */
interface Walk {
  readonly unknown: Array<string>
  /** Field names and list indexes down to the current value. */
  readonly path: Array<string | number>
  /** Returns whether an object keeps fields that its schema does not declare. */
  readonly keeps: (schema: KindSchema.KindSchema) => boolean
}

/**
 * Prunes an object of a custom kind.
 *
 * **Shape** fields under `x-kubernetes-preserve-unknown-fields` stay. The metadata of objects has the built-in
 * schema.
 */
export const prune = (schema: JsonObject, object: JsonObject): Pruned => {
  const walk: Walk = { unknown: [], path: [], keeps: preserves }
  const { metadata, ...rest } = object
  const root = pruneObject(walk, { ...schema, "x-kubernetes-embedded-resource": true }, rest)
  const meta =
    metadata === undefined ? undefined : prunePublished({ properties: { metadata: OBJECT_META } }, { metadata })
  return {
    object: meta === undefined ? root : { ...root, ...meta.object },
    unknown: [...(meta?.unknown ?? []), ...walk.unknown.toSorted()]
  }
}

/**
 * Prunes an object of a kind with a published OpenAPI schema.
 *
 * **Shape** an object whose schema declares no fields may have any.
 */
export const prunePublished = (schema: JsonObject, object: JsonObject): Pruned => {
  const walk: Walk = { unknown: [], path: [], keeps: isOpen }
  return { object: pruneObject(walk, schema, object), unknown: walk.unknown }
}

/** Prunes a value that is not a whole object, such as a default. */
export const pruneValue = (schema: JsonObject, value: JsonObject): Pruned => {
  const walk: Walk = { unknown: [], path: [], keeps: preserves }
  return { object: pruneObject(walk, schema, value), unknown: walk.unknown }
}

const preserves = (schema: KindSchema.KindSchema): boolean => schema?.["x-kubernetes-preserve-unknown-fields"] === true

const isOpen = (schema: KindSchema.KindSchema): boolean => {
  if (schema === undefined) return true
  const whole = KindSchema.resolved(schema)
  return whole["properties"] === undefined && whole["additionalProperties"] === undefined
}

const pruneAny = (walk: Walk, schema: KindSchema.KindSchema, value: Json): Json => {
  if (isObject(value)) return pruneObject(walk, schema, value)
  if (!isArray(value)) return value
  const item = KindSchema.itemOf(schema)
  if (item === undefined && walk.keeps(schema)) return value
  return changeItems(value, (one, place) => pruneInside(walk, place, item, one))
}

const pruneObject = (walk: Walk, schema: KindSchema.KindSchema, object: JsonObject): JsonObject => {
  const open = walk.keeps(schema)
  const embedded = schema?.["x-kubernetes-embedded-resource"] === true
  return changeValues(object, (value, name) => {
    const field = KindSchema.fieldOf(schema, name)
    if (embedded && META.has(name)) return value
    if (field !== undefined) return pruneInside(walk, name, field, value)
    if (open || allowsAny(schema)) return value
    walk.unknown.push(print([...walk.path, name]))
    return undefined
  })
}

const pruneInside = (walk: Walk, step: string | number, schema: KindSchema.KindSchema, value: Json): Json => {
  walk.path.push(step)
  const pruned = pruneAny(walk, schema, value)
  walk.path.pop()
  return pruned
}

/** Prints a path: `spec.containers[0].image`. */
const print = (path: ReadonlyArray<string | number>): string =>
  path
    .map((step) => (typeof step === "number" ? `[${step}]` : `.${step}`))
    .join("")
    .slice(1)

const allowsAny = (schema: KindSchema.KindSchema): boolean =>
  schema !== undefined && KindSchema.resolved(schema)["additionalProperties"] === true

const isNullable = (schema: KindSchema.KindSchema): boolean => schema === undefined || schema["nullable"] === true

/** Drops nulls of fields that are not nullable and have no default. */
export const withoutNulls = (schema: KindSchema.KindSchema, object: JsonObject): JsonObject =>
  changeValues(object, (value, name) => {
    const field = KindSchema.fieldOf(schema, name)
    if (value === null && !isNullable(field) && field?.["default"] === undefined) return undefined
    return nullsDropped(field, value)
  })

const nullsDropped = (schema: KindSchema.KindSchema, value: Json): Json => {
  if (isObject(value)) return withoutNulls(schema, value)
  return isArray(value) ? changeItems(value, (item) => nullsDropped(KindSchema.itemOf(schema), item)) : value
}

/** Adds the schema's defaults at any depth. A second call changes nothing. */
export const withDefaults = (schema: KindSchema.KindSchema, value: Json): Json => {
  if (schema === undefined) return value
  if (isArray(value)) {
    const item = KindSchema.itemOf(schema)
    return value.map((one) => withDefaults(item, inPlaceOfNull(item, one)))
  }
  if (!isObject(value)) return value
  const missing = Object.entries(properties(schema)).flatMap(([name, field]) => {
    const standard = isObject(field) ? field["default"] : undefined
    return standard === undefined || Object.hasOwn(value, name) ? [] : [[name, standard] as const]
  })
  return Object.fromEntries(
    [...Object.entries(value), ...missing].map(([name, one]) => {
      const field = KindSchema.fieldOf(schema, name)
      return [name, withDefaults(field, inPlaceOfNull(field, one))] as const
    })
  )
}

const inPlaceOfNull = (schema: KindSchema.KindSchema, value: Json): Json =>
  value === null && !isNullable(schema) ? (schema?.["default"] ?? null) : value

const properties = (schema: JsonObject): JsonObject => {
  const known = schema["properties"]
  return isObject(known) ? known : {}
}
