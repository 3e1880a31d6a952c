/**
 * The one form in which a server gives back a value that clients may write in several: quantities, times, and lists and
 * maps with nothing in them.
 *
 * **Source** Kubernetes 1.36, `apimachinery`: what `resource.Quantity`, `metav1.Time` and `metav1.MicroTime` print of
 * what they have parsed; Go's `encoding/json` for `omitempty`.
 */
import * as GoTime from "../core/GoTime.ts"
import { changeItems, changeValues, isArray, isObject, type Json, type JsonObject } from "../core/Json.ts"
import * as Quantity from "../core/Quantity.ts"
import { rootOf, type Shape, shapeOf } from "./FieldShape.ts"

/**
 * Gives an object of a kind that is built in with every quantity and every time in its form, and without the lists and
 * maps that hold nothing.
 *
 * **Shape** an empty struct stays, and so does the list of managed fields, whose emptiness is an order.
 *
 * **Limits** one walk; the object itself when nothing differs.
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

/** Brings a value into its canonical form; quantities in a map are a list of resources, kept to thousandths. */
const formed = (shape: Shape, value: Json, precision: Quantity.Precision = "nano"): Json => {
  switch (shape._tag) {
    case "Struct":
      return isObject(value) ? inStruct(shape, value) : value
    case "Map": {
      const inside = shapeOf(shape.value)
      return isObject(value) ? changeValues(value, (one) => formed(inside, one, "milli")) : value
    }
    case "List": {
      const item = shapeOf(shape.item)
      return isArray(value) ? changeItems(value, (one) => formed(item, one)) : value
    }
    case "Quantity":
      return Quantity.canonicalValue(value, precision)
    case "Time":
      return typeof value === "string" ? GoTime.canonical(value, shape.precision) : value
    default:
      return value
  }
}
