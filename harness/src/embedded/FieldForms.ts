/**
 * The one form in which a server gives back a value that clients may write in several: quantities and times.
 *
 * **Source** Kubernetes 1.36, `apimachinery`: what `resource.Quantity`, `metav1.Time` and `metav1.MicroTime` print of
 * what they have parsed.
 *
 * @since 0.1.0
 */
import { rootOf, type Shape, shapeOf } from "./FieldShape.ts"
import * as GoTime from "./GoTime.ts"
import { changeItems, changeValues, isArray, isObject, type Json, type JsonObject } from "./Json.ts"
import * as Quantity from "./Quantity.ts"

/**
 * Gives an object of a kind that is built in with every quantity and every time in its form.
 *
 * **Limits** one walk; the object itself when nothing differs. What is neither quantity nor time stays.
 */
export const canonical = (groupVersion: string, kind: string, object: JsonObject): JsonObject =>
  inStruct(rootOf(groupVersion, kind), object)

const inStruct = (shape: Shape, object: JsonObject): JsonObject =>
  shape._tag === "Struct"
    ? changeValues(object, (value, name) => {
        const schema = Object.hasOwn(shape.fields, name) ? shape.fields[name] : undefined
        return isObject(schema) ? formed(shapeOf(schema), value) : value
      })
    : object

/** **Shape** quantities in a map are a list of resources. */
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
