/**
 * Simplifies JSON Schemas for tools that read OpenAPI documents.
 */
import { Predicate } from "effect"

/** A JSON object with unknown members. */
export type Json = Readonly<Record<string, unknown>>

const isJson = (value: unknown): value is Json => Predicate.isObject(value) && !Array.isArray(value)

const MAX_INT32 = 2_147_483_647

/** Keywords whose content is a value, not a schema. */
const VALUES = new Set(["const", "default", "enum", "example", "examples", "required"])

/**
 * Simplifies a schema and its subschemas.
 *
 * **Shape** the members of an `allOf` are merged into the schema if no keyword conflicts. The last `type` and the last
 * `description` win. An `anyOf` with one member becomes that member. An integer that needs more than 32 bits gets the format
 * `int64`, because client generators would choose a smaller type.
 */
export const simplify = (schema: Json): Json => {
  const inner = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, VALUES.has(key) ? value : simplifyAny(value)])
  )
  return withFormat(withoutSingleChoice(withoutAllOf(inner)))
}

const simplifyAny = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(simplifyAny)
  return isJson(value) ? simplify(value) : value
}

const withoutAllOf = (schema: Json): Json => {
  const { allOf, ...rest } = schema
  if (!Array.isArray(allOf)) return schema
  const merged: Record<string, unknown> = rest
  for (const member of allOf) {
    if (!isJson(member) || !isCompatible(merged, member)) return schema
    Object.assign(merged, member)
  }
  return merged
}

/** Returns true if a schema can be merged with a member of its `allOf`. Beside a `$ref`, only a description or default can. */
const isCompatible = (schema: Json, member: Json): boolean =>
  (!("$ref" in schema) || describesOnly(member))
  && (!("$ref" in member) || (!("$ref" in schema) && describesOnly(schema)))
  && Object.keys(member).every((key) => OVERRIDABLE.has(key) || !(key in schema) || schema[key] === member[key])

const describesOnly = (schema: Json): boolean =>
  Object.keys(schema).every((key) => key === "description" || key === "default")

/** Keywords that a later member may override. */
const OVERRIDABLE = new Set(["type", "description"])

const withoutSingleChoice = (schema: Json): Json => {
  const { anyOf, ...rest } = schema
  return isSingle(anyOf) ? { ...anyOf[0], ...rest } : schema
}

const isSingle = (value: unknown): value is readonly [Json] =>
  Array.isArray(value) && value.length === 1 && isJson(value[0])

const withFormat = (schema: Json): Json => {
  const { maximum, type } = schema
  return type === "integer" && typeof maximum === "number" && maximum > MAX_INT32
    ? { ...schema, format: "int64" }
    : schema
}
