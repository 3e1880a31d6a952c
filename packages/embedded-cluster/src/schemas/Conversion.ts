/**
 * Objects of a custom kind in the shape of one of its versions.
 */
import { isObject, type JsonObject, withoutNulls } from "../core/Json.ts"
import type { Resource } from "../core/Resource.ts"
import * as Structural from "./Structural.ts"

/** Fills in what the schema gives, and drops what is null. */
export const complete = (schema: JsonObject, object: JsonObject): JsonObject => {
  const { metadata, ...rest } = object
  const filled = Structural.withDefaults(schema, Structural.withoutNulls(schema, rest))
  return {
    ...(isObject(metadata) ? { metadata: withoutNulls(metadata) } : {}),
    ...(isObject(filled) ? filled : {})
  }
}

/** Brings an object of a custom kind into the shape of a version. */
export const reshape = (resource: Resource, object: JsonObject): JsonObject => {
  const { custom } = resource
  return custom === undefined ? object : complete(custom.schema, Structural.prune(custom.schema, object).object)
}

/** Shows a stored object in the shape of a version. */
export const shown = (resource: Resource, object: JsonObject): JsonObject =>
  resource.custom?.stored === undefined ? object : reshape(resource, object)

/** Brings an object of a version into the shape in which its kind is stored. */
export const kept = (resource: Resource, object: JsonObject): JsonObject =>
  resource.custom?.stored === undefined ? object : reshape(resource.custom.stored, object)
