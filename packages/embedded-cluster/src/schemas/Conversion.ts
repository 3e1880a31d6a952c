/**
 * Converts objects of a custom kind between the schemas of its versions.
 */
import { isObject, type JsonObject, withoutNulls } from "../core/Json.ts"
import type { Resource } from "../core/Resource.ts"
import * as Structural from "./Structural.ts"

/** Adds the schema's defaults and drops nulls. */
export const complete = (schema: JsonObject, object: JsonObject): JsonObject => {
  const { metadata, ...rest } = object
  const filled = Structural.withDefaults(schema, Structural.withoutNulls(schema, rest))
  return {
    ...(isObject(metadata) ? { metadata: withoutNulls(metadata) } : {}),
    ...(isObject(filled) ? filled : {})
  }
}

/** Converts an object of a custom kind to the schema of a version. */
export const reshape = (resource: Resource, object: JsonObject): JsonObject => {
  const { custom } = resource
  return custom === undefined ? object : complete(custom.schema, Structural.prune(custom.schema, object).object)
}

/** Converts a stored object to the schema of the requested version. */
export const toRequested = (resource: Resource, object: JsonObject): JsonObject =>
  resource.custom?.stored === undefined ? object : reshape(resource, object)

/** Converts an object of a version to the schema in which its kind is stored. */
export const toStored = (resource: Resource, object: JsonObject): JsonObject =>
  resource.custom?.stored === undefined ? object : reshape(resource.custom.stored, object)
