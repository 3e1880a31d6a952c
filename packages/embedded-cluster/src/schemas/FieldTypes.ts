/**
 * Finds the value whose type is not the one that its field has, in what a client sends of a kind that is built in.
 *
 * **Source** Kubernetes 1.36: the published schemas for the types.
 */
import * as GoTime from "../core/GoTime.ts"
import { isArray, isObject, type Json, type JsonObject } from "../core/Json.ts"
import * as Quantity from "../core/Quantity.ts"
import { rootOf, type Shape, shapeOf } from "./FieldShape.ts"
import * as KindSchema from "./KindSchema.ts"

/** A value that does not fit. **Shape** `path` are the names and places down to it, the last one first. */
interface Mismatch {
  readonly path: Array<string | number>
  readonly expected: string
}

/** What a value is asked for its field's type. */
type Judge = (shape: Shape, value: Json) => string | undefined

/**
 * Finds the first value of another type.
 *
 * **Limits** one walk over the object, which copies nothing; a kind whose schema is not known passes.
 */
const find = (shape: Shape, value: Json, judge: Judge): Mismatch | undefined => {
  if (value === null) return undefined
  const expected = judge(shape, value)
  if (expected !== undefined) return { path: [], expected }
  if (isArray(value)) return shape._tag === "List" ? findInList(shapeOf(shape.item), value, judge) : undefined
  if (!isObject(value)) return undefined
  for (const name of Object.keys(value)) {
    const schema = inside(shape, name)
    const one = value[name]
    const found = schema === undefined || one === undefined ? undefined : find(shapeOf(schema), one, judge)
    if (found !== undefined) return within(found, name)
  }
  return undefined
}

const findInList = (shape: Shape, list: ReadonlyArray<Json>, judge: Judge): Mismatch | undefined => {
  for (const [place, one] of list.entries()) {
    const found = find(shape, one, judge)
    if (found !== undefined) return within(found, place)
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

/** Whether a text is base64. **Shape** a decoder of Go reads over the ends of lines. */
const isBase64 = (text: string): boolean => BASE64_REGEX.test(text) || BASE64_REGEX.test(text.replaceAll(/[\r\n]/g, ""))

/** What a value has to be so that JSON holds it. **Shape** the types that parse a text themselves take any value. */
const ofJson: Judge = (shape, value) => {
  switch (shape._tag) {
    case "Struct":
    case "Map":
      return isObject(value) ? undefined : "an object"
    case "List":
      return isArray(value) ? undefined : "a list"
    case "Text":
    case "Bytes":
    case "Time":
      return typeof value === "string" ? undefined : "a text"
    case "Flag":
      return typeof value === "boolean" ? undefined : "true or false"
    case "Number":
      return typeof value === "number" ? undefined : "a number"
    case "Integer":
      return isInteger(value, shape.bits) ? undefined : `a whole number of ${shape.bits} bits`
    case "Any":
    case "Quantity":
    case "NumberOrText":
      return undefined
  }
}

/** What a value has to be so that its field's type takes it. */
const ofField: Judge = (shape, value) => {
  switch (shape._tag) {
    case "NumberOrText":
      return typeof value === "string" || isInteger(value, 32) ? undefined : "a whole number or a text"
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

const told = (found: Mismatch | undefined): string | undefined => {
  if (found === undefined) return undefined
  const field = found.path
    .toReversed()
    .map((step) => (typeof step === "number" ? `[${step}]` : `.${step}`))
    .join("")
  // The value is not repeated: it may be a secret's.
  return `${field.slice(1) || "the body"} must be ${found.expected}`
}

/** What is wrong with the types of an object, if anything is. */
export const problem = (groupVersion: string, kind: string, object: JsonObject): string | undefined =>
  told(find(rootOf(groupVersion, kind), object, ofField))

/** The same of an intent that is applied. **Shape** what only a field's own parser refuses is no matter of the apply. */
export const problemOfIntent = (groupVersion: string, kind: string, intent: JsonObject): string | undefined =>
  told(find(rootOf(groupVersion, kind), intent, ofJson))

const METADATA: JsonObject = {
  type: "object",
  properties: { metadata: KindSchema.reference("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta") }
}

/** What is wrong with the metadata of an object of a custom kind. */
export const problemOfMetadata = (object: JsonObject): string | undefined =>
  told(find(shapeOf(METADATA), object, ofField))

const DELETE_OPTIONS = KindSchema.reference("io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions")

/** What is wrong with the options of a deletion. */
export const problemOfDeleteOptions = (options: JsonObject): string | undefined =>
  told(find(shapeOf(DELETE_OPTIONS), options, ofField))
