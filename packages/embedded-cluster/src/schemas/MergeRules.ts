/**
 * Checks the list types and map types in the schema of a CustomResourceDefinition.
 *
 * **Source** Kubernetes 1.36, the validation of CustomResourceDefinitions: `x-kubernetes-list-type`,
 * `-list-map-keys`, `-map-type`.
 */
import { arrayAt, at, isObject, type JsonObject, objectAt, textAt } from "../core/Json.ts"
import { type FieldError, invalidValue, required, unsupportedValue } from "../core/Status.ts"

/** Refuses a schema whose type is missing, or differs from the type that a rule requires. */
export const typeError = (field: string, type: string, rule: string): FieldError =>
  type === "" ? required(field, rule) : invalidValue(field, type, rule)

const MAP_TYPES = ["atomic", "granular"]
const LIST_TYPES = ["atomic", "set", "map"]

/** Checks the merge rules of a schema. */
export const mergeErrors = (schema: JsonObject, path: string, type: string): ReadonlyArray<FieldError> => {
  const map = schema["x-kubernetes-map-type"]
  const list = schema["x-kubernetes-list-type"]
  const keys = arrayAt(schema, "x-kubernetes-list-map-keys")
  const item = objectAt(schema, "items")
  const field = (name: string) => `${path}.x-kubernetes-${name}`
  const keyed = list === "map" && item["type"] === "object"
  return [
    ...(map !== undefined && type !== "object"
      ? [typeError(`${path}.type`, type, "must be object with x-kubernetes-map-type")]
      : []),
    ...(typeof map === "string" && !MAP_TYPES.includes(map)
      ? [unsupportedValue(field("map-type"), map, MAP_TYPES)]
      : []),
    ...(list !== undefined && type !== "array"
      ? [typeError(`${path}.type`, type, "must be array with x-kubernetes-list-type")]
      : []),
    ...(typeof list === "string" && !LIST_TYPES.includes(list)
      ? [unsupportedValue(field("list-type"), list, LIST_TYPES)]
      : []),
    ...(keys.length > 0 && list !== "map"
      ? [
          typeError(
            field("list-type"),
            typeof list === "string" ? list : "",
            "must be map with x-kubernetes-list-map-keys"
          )
        ]
      : []),
    ...(list === "map" && keys.length === 0
      ? [required(field("list-map-keys"), "a list of type map must have keys")]
      : []),
    ...(list === "map" && !isObject(schema["items"])
      ? [required(`${path}.items`, "a list of type map must have a schema for its items")]
      : []),
    ...(list === "map" && isObject(schema["items"]) && item["type"] !== "object"
      ? [invalidValue(`${path}.items.type`, textAt(item, "type"), "must be object in a list of type map")]
      : []),
    ...(keyed ? keys.flatMap((key) => (typeof key === "string" ? keyErrors(schema, path, key) : [])) : [])
  ]
}

const keyErrors = (schema: JsonObject, path: string, key: string): ReadonlyArray<FieldError> => {
  const item = objectAt(schema, "items")
  const property = at(item, "properties", key)
  const keys = [...arrayAt(schema, "x-kubernetes-list-map-keys")]
  if (!isObject(property)) {
    return [invalidValue(`${path}.x-kubernetes-list-map-keys`, keys, "must name properties of the items")]
  }
  const where = `${path}.items.properties[${key}]`
  const known = arrayAt(item, "required").includes(key) || property["default"] !== undefined
  return known ? [] : [required(`${where}.default`, "a key must be required or have a default")]
}
