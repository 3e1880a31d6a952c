/**
 * Canonical forms of values that clients may write in several ways: quantities, times, empty lists and empty maps.
 *
 * **Source** Kubernetes 1.36, `apimachinery`: how `resource.Quantity`, `metav1.Time` and `metav1.MicroTime` print a
 * parsed value; Go's `encoding/json` for `omitempty`.
 */
import * as GoTime from "../core/GoTime.ts"
import { changeItems, changeValues, isArray, isObject, type Json, type JsonObject } from "../core/Json.ts"
import * as Quantity from "../core/Quantity.ts"
import { rootOf, type Shape, shapeOf } from "./FieldShape.ts"

/**
 * Converts an object of a built-in kind to its canonical form: quantities and times in canonical format, empty lists
 * and maps removed.
 *
 * **Shape** empty structs stay. `managedFields` stays too, because an empty list there means that the client clears
 * it.
 *
 * **Limits** one walk. Returns the object itself if nothing changes.
 */
export const canonical = (groupVersion: string, kind: string, object: JsonObject): JsonObject =>
  inStruct(rootOf(groupVersion, kind), object)

const inStruct = (shape: Shape, object: JsonObject): JsonObject => {
  if (shape._tag !== "Struct") return object
  const formedObject = changeValues(object, (value, name) => {
    const schema = Object.hasOwn(shape.fields, name) ? shape.fields[name] : undefined
    if (!isObject(schema) || name === "managedFields") return value
    const inside = shapeOf(schema)
    const result = formed(inside, value)
    return isEmpty(inside, result) ? undefined : result
  })
  const missing = shape.printed.filter((name) => !Object.hasOwn(formedObject, name))
  return missing.length === 0
    ? formedObject
    : { ...formedObject, ...Object.fromEntries(missing.map((name) => [name, null])) }
}

const isEmpty = (shape: Shape, value: Json): boolean =>
  (shape._tag === "List" && isArray(value) && value.length === 0)
  || (shape._tag === "Map" && isObject(value) && Object.keys(value).length === 0)

/** Converts a value to its canonical form. Quantities in a map belong to a resource list, which keeps thousandths. */
const formed = (shape: Shape, value: Json, precision: Quantity.Precision = "nano"): Json => {
  switch (shape._tag) {
    case "Struct":
      return isObject(value) ? inStruct(shape, value) : value
    case "Map": {
      const inside = shapeOf(shape.value)
      return isObject(value) ? changeValues(value, (entry) => formed(inside, entry, "milli")) : value
    }
    case "List": {
      const item = shapeOf(shape.item)
      return isArray(value) ? changeItems(value, (element) => formed(item, element)) : value
    }
    case "Quantity":
      return Quantity.canonicalValue(value, precision)
    case "Time":
      return typeof value === "string" ? GoTime.canonical(value, shape.precision) : value
    default:
      return value
  }
}
