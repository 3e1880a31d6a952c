/**
 * Finds values of the wrong type in objects of built-in kinds that clients send.
 *
 * **Source** Kubernetes 1.36: the published schemas for the types.
 */
import * as GoTime from "../core/GoTime.ts"
import { isArray, isObject, type Json, type JsonObject } from "../core/Json.ts"
import * as Quantity from "../core/Quantity.ts"
import { rootOf, type Shape, shapeOf } from "./FieldShape.ts"
import * as KindSchema from "./KindSchema.ts"

/** A value of the wrong type. **Shape** `path`: the field names and list indexes that lead to it, innermost first. */
interface Mismatch {
  readonly path: Array<string | number>
  readonly expected: string
}

/** Returns the expected type if the value does not match the field's type. */
type Judge = (shape: Shape, value: Json) => string | undefined

/**
 * Finds the first value of the wrong type.
 *
 * **Limits** one walk over the object, without copies. A kind with an unknown schema passes.
 */
const find = (shape: Shape, value: Json, judge: Judge): Mismatch | undefined => {
  if (value === null) return undefined
  const expected = judge(shape, value)
  if (expected !== undefined) return { path: [], expected }
  if (isArray(value)) return shape._tag === "List" ? findInList(shapeOf(shape.item), value, judge) : undefined
  if (!isObject(value)) return undefined
  for (const name of Object.keys(value)) {
    const schema = inside(shape, name)
    const field = value[name]
    const found = schema === undefined || field === undefined ? undefined : find(shapeOf(schema), field, judge)
    if (found !== undefined) return within(found, name)
  }
  return undefined
}

const findInList = (shape: Shape, list: ReadonlyArray<Json>, judge: Judge): Mismatch | undefined => {
  for (const [index, item] of list.entries()) {
    const found = find(shape, item, judge)
    if (found !== undefined) return within(found, index)
  }
  return undefined
}

const within = (found: Mismatch, step: string | number): Mismatch => {
  found.path.push(step)
  return found
}

const inside = (shape: Shape, name: string): JsonObject | undefined => {
  if (shape._tag === "Map") return shape.value
  const schema = shape._tag === "Struct" && Object.hasOwn(shape.fields, name) ? shape.fields[name] : undefined
  return isObject(schema) ? schema : undefined
}

const isInteger = (value: Json, bits: 32 | 64): boolean =>
  typeof value === "number" && Number.isInteger(value) && Math.abs(value) <= (bits === 32 ? 0x7fff_ffff : 2 ** 63)

const BASE64_REGEX = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/** Returns whether a text is base64. **Shape** line breaks are allowed, as in Go's decoder. */
const isBase64 = (text: string): boolean => BASE64_REGEX.test(text) || BASE64_REGEX.test(text.replaceAll(/[\r\n]/g, ""))

/** Checks only the JSON type of a value. **Shape** types that parse a text themselves accept any value. */
const ofJson: Judge = (shape, value) => {
  switch (shape._tag) {
    case "Struct":
    case "Map":
      return isObject(value) ? undefined : "an object"
    case "List":
      return isArray(value) ? undefined : "an array"
    case "Text":
    case "Bytes":
    case "Time":
      return typeof value === "string" ? undefined : "a string"
    case "Flag":
      return typeof value === "boolean" ? undefined : "true or false"
    case "Number":
      return typeof value === "number" ? undefined : "a number"
    case "Integer":
      return isInteger(value, shape.bits) ? undefined : `a ${shape.bits}-bit integer`
    case "Any":
    case "Quantity":
    case "NumberOrText":
      return undefined
  }
}

/** Checks a value against its field's full type. */
const ofField: Judge = (shape, value) => {
  switch (shape._tag) {
    case "NumberOrText":
      return typeof value === "string" || isInteger(value, 32) ? undefined : "a 32-bit integer or a string"
    case "Bytes":
      return typeof value === "string" && isBase64(value) ? undefined : "base64"
    case "Time":
      return typeof value === "string" && GoTime.isTime(value, shape.precision) ? undefined : TIMES[shape.precision]
    case "Quantity":
      return isQuantity(value) ? undefined : 'a quantity such as 1, "250m" or "1Gi"'
    default:
      return ofJson(shape, value)
  }
}

const isQuantity = (value: Json): boolean =>
  Quantity.canonical(typeof value === "string" ? value : JSON.stringify(value)) !== undefined

const TIMES: Readonly<Record<GoTime.Precision, string>> = {
  seconds: 'a time such as "2026-01-02T15:04:05Z"',
  micros: 'a time such as "2026-01-02T15:04:05.000000Z"'
}

const describe = (found: Mismatch | undefined): string | undefined => {
  if (found === undefined) return undefined
  const field = found.path
    .toReversed()
    .map((step) => (typeof step === "number" ? `[${step}]` : `.${step}`))
    .join("")
  // The value is not repeated, because it may be secret.
  return `${field.slice(1) || "the body"} must be ${found.expected}`
}

/** Describes the first value of the wrong type in an object, if any. */
export const problem = (groupVersion: string, kind: string, object: JsonObject): string | undefined =>
  describe(find(rootOf(groupVersion, kind), object, ofField))

/**
 * Describes the first value of the wrong type in an applied configuration, if any. **Shape** checks JSON
 * types only: a type with a parser of its own accepts any value.
 */
export const problemOfIntent = (groupVersion: string, kind: string, intent: JsonObject): string | undefined =>
  describe(find(rootOf(groupVersion, kind), intent, ofJson))

const METADATA: JsonObject = {
  type: "object",
  properties: { metadata: KindSchema.reference("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta") }
}

/** Describes the first value of the wrong type in the metadata of a custom object, if any. */
export const problemOfMetadata = (object: JsonObject): string | undefined =>
  describe(find(shapeOf(METADATA), object, ofField))

const DELETE_OPTIONS = KindSchema.reference("io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions")

/** Describes the first value of the wrong type in the options of a deletion, if any. */
export const problemOfDeleteOptions = (options: JsonObject): string | undefined =>
  describe(find(shapeOf(DELETE_OPTIONS), options, ofField))
