/**
 * What a schema may say of how lists and objects merge.
 *
 * **Source** Kubernetes 1.36, the validation of definitions: `x-kubernetes-list-type`, `-list-map-keys`, `-map-type`.
 */
import { arrayAt, at, isObject, type JsonObject, objectAt, textAt } from "../core/Json.ts"
import { type FieldError, invalidValue, required, unsupportedValue } from "../core/Status.ts"

/** A schema whose type is missing, or is not the one that a rule needs. */
export const typeError = (field: string, type: string, rule: string): FieldError =>
  type === "" ? required(field, rule) : invalidValue(field, type, rule)

const MAP_TYPES = ["atomic", "granular"]
const LIST_TYPES = ["atomic", "set", "map"]

/** Finds what is wrong with how a schema says that values merge. */
export const mergeErrors = (schema: JsonObject, path: string, type: string): ReadonlyArray<FieldError> => {
  const map = schema["x-kubernetes-map-type"]
  const list = schema["x-kubernetes-list-type"]
  const keys = arrayAt(schema, "x-kubernetes-list-map-keys")
  const item = objectAt(schema, "items")
  const field = (name: string) => `${path}.x-kubernetes-${name}`
  const keyed = list === "map" && item["type"] === "object"
  return [
    ...(map !== undefined && type !== "object"
      ? [typeError(`${path}.type`, type, "must be object if x-kubernetes-map-type is specified")]
      : []),
    ...(typeof map === "string" && !MAP_TYPES.includes(map)
      ? [unsupportedValue(field("map-type"), map, MAP_TYPES)]
      : []),
    ...(list !== undefined && type !== "array"
      ? [typeError(`${path}.type`, type, "must be array if x-kubernetes-list-type is specified")]
      : []),
    ...(typeof list === "string" && !LIST_TYPES.includes(list)
      ? [unsupportedValue(field("list-type"), list, LIST_TYPES)]
      : []),
    ...(keys.length > 0 && list !== "map"
      ? [
          typeError(
            field("list-type"),
            typeof list === "string" ? list : "",
            "must be map if x-kubernetes-list-map-keys is non-empty"
          )
        ]
      : []),
    ...(list === "map" && keys.length === 0
      ? [required(field("list-map-keys"), "must not be empty if x-kubernetes-list-type is map")]
      : []),
    ...(list === "map" && !isObject(schema["items"])
      ? [required(`${path}.items`, "must have a schema if x-kubernetes-list-type is map")]
      : []),
    ...(list === "map" && isObject(schema["items"]) && item["type"] !== "object"
      ? [
          invalidValue(
            `${path}.items.type`,
            textAt(item, "type"),
            "must be object if parent array's x-kubernetes-list-type is map"
          )
        ]
      : []),
    ...(keyed ? keys.flatMap((key) => (typeof key === "string" ? keyErrors(schema, path, key) : [])) : [])
  ]
}

const keyErrors = (schema: JsonObject, path: string, key: string): ReadonlyArray<FieldError> => {
  const item = objectAt(schema, "items")
  const property = at(item, "properties", key)
  const keys = [...arrayAt(schema, "x-kubernetes-list-map-keys")]
  if (!isObject(property)) {
    return [invalidValue(`${path}.x-kubernetes-list-map-keys`, keys, "entries must all be names of item properties")]
  }
  const where = `${path}.items.properties[${key}]`
  const known = arrayAt(item, "required").includes(key) || property["default"] !== undefined
  return known
    ? []
    : [
        required(
          `${where}.default`,
          "this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property"
        )
      ]
}
