/**
 * JSON Schemas as those who read documents expect them: one object a schema, and integers that say how large they get.
 */
import { Predicate } from "effect"

/** A JSON object whose members are not known. */
export type Json = Readonly<Record<string, unknown>>

const isJson = (value: unknown): value is Json => Predicate.isObject(value) && !Array.isArray(value)

const MAX_INT32 = 2_147_483_647

/** What holds values, not schemas. */
const VALUES = new Set(["const", "default", "enum", "example", "examples", "required"])

/**
 * Simplifies a schema, and all in it.
 *
 * **Shape** the members of an `allOf` move into the schema where each of their keywords is the only one of its name; its
 * `type` and description are theirs, since they tell what a text stands for there. A single alternative is the schema itself. An integer that needs
 * more than 32 bits has the format `int64`, without which generators take it for a smaller one.
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

/** A schema that is a reference says nothing else but what describes it, whichever of the two comes first. */
const isCompatible = (schema: Json, member: Json): boolean =>
  (!("$ref" in schema) || describesOnly(member))
  && (!("$ref" in member) || (!("$ref" in schema) && describesOnly(schema)))
  && Object.keys(member).every((key) => SAID_LAST.has(key) || !(key in schema) || schema[key] === member[key])

const describesOnly = (schema: Json): boolean =>
  Object.keys(schema).every((key) => key === "description" || key === "default")

/** Of two, the outer one counts. */
const SAID_LAST = new Set(["type", "description"])

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
