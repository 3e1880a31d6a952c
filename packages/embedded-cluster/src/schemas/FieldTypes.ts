/**
 * Finds the value whose type is not the one that its field has, in what a client sends of a kind that is built in.
 *
 * **Source** Kubernetes 1.36: the published schemas for the types; Go's `encoding/json`, `sigs.k8s.io/json` and
 * `structured-merge-diff` for the words.
 */
import * as GoTime from "../core/GoTime.ts"
import { isArray, isObject, type Json, type JsonObject } from "../core/Json.ts"
import * as Quantity from "../core/Quantity.ts"
import { rootOf, type Shape, shapeOf } from "./FieldShape.ts"
import * as KindSchema from "./KindSchema.ts"

/** A value that does not fit. */
interface Mismatch {
  readonly shape: Shape
  readonly value: Json
  /** Where it is: the struct that holds the field, and the fields down to it. */
  readonly struct: string
  readonly fields: ReadonlyArray<string>
  /** Where it is, the keys of maps and the places in lists included. */
  readonly path: ReadonlyArray<string | number>
  /** What the real server says of a text that its field's own parser refuses. */
  readonly words?: string
}

interface Walk {
  struct: string
  readonly fields: Array<string>
  readonly path: Array<string | number>
  /** The first value that a decoder takes note of while it goes on. */
  noted: Mismatch | undefined
  /** The value at which it stops. */
  last: Mismatch | undefined
}

/**
 * Finds the first value of another type.
 *
 * **Limits** one walk over the object, which copies nothing; a kind whose schema is not known passes.
 */
const find = (groupVersion: string, kind: string, object: JsonObject): Mismatch | undefined =>
  findIn(rootOf(groupVersion, kind), kind, object)

const findIn = (shape: Shape, struct: string, value: Json): Mismatch | undefined => {
  const walk: Walk = { struct, fields: [], path: [], noted: undefined, last: undefined }
  visit(walk, shape, value)
  return walk.last ?? walk.noted
}

/** **Shape** answers whether the walk has to end. */
const visit = (walk: Walk, shape: Shape, value: Json): boolean => {
  if (value === null) return false
  switch (shape._tag) {
    case "Struct":
      return isObject(value) ? insideStruct(walk, shape, value) : note(walk, shape, value)
    case "Map":
      return isObject(value) ? insideMap(walk, shape, value) : note(walk, shape, value)
    case "List":
      return isArray(value) ? insideList(walk, shape, value) : note(walk, shape, value)
    case "Any":
      return false
    case "Text":
      return typeof value === "string" ? false : note(walk, shape, value)
    case "Flag":
      return typeof value === "boolean" ? false : note(walk, shape, value)
    case "Number":
      return typeof value === "number" ? false : note(walk, shape, value)
    case "Integer":
      return isInteger(value, shape.bits) ? false : note(walk, shape, value)
    case "NumberOrText":
      return typeof value === "string" || isInteger(value, 32) ? false : stop(walk, shape, value)
    case "Bytes":
      return typeof value === "string" ? bytes(walk, shape, value) : note(walk, shape, value)
    case "Quantity":
      return quantity(walk, shape, value)
    case "Time": {
      if (typeof value !== "string") return stop(walk, shape, value)
      const words = GoTime.problem(value, shape.precision)
      return words === undefined ? false : stop(walk, shape, value, words)
    }
  }
}

const insideStruct = (walk: Walk, shape: Extract<Shape, { _tag: "Struct" }>, value: JsonObject): boolean => {
  const { struct } = walk
  for (const name of Object.keys(value)) {
    const schema = Object.hasOwn(shape.fields, name) ? shape.fields[name] : undefined
    const one = value[name]
    if (!isObject(schema) || one === undefined) continue
    walk.struct = shape.name
    walk.fields.push(name)
    walk.path.push(name)
    if (visit(walk, shapeOf(schema), one)) return true
    walk.fields.pop()
    walk.path.pop()
  }
  walk.struct = struct
  return false
}

const insideMap = (walk: Walk, { value: schema }: Extract<Shape, { _tag: "Map" }>, value: JsonObject): boolean => {
  const shape = shapeOf(schema)
  for (const key of Object.keys(value)) {
    const one = value[key]
    if (one === undefined) continue
    walk.path.push(key)
    if (visit(walk, shape, one)) return true
    walk.path.pop()
  }
  return false
}

const insideList = (walk: Walk, { item }: Extract<Shape, { _tag: "List" }>, value: ReadonlyArray<Json>): boolean => {
  const shape = shapeOf(item)
  for (const [place, one] of value.entries()) {
    walk.path.push(place)
    if (visit(walk, shape, one)) return true
    walk.path.pop()
  }
  return false
}

const isInteger = (value: Json, bits: 32 | 64): boolean =>
  typeof value === "number" && Number.isInteger(value) && Math.abs(value) <= (bits === 32 ? 0x7fff_ffff : 2 ** 63)

const QUANTITY = "^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$"
const QUANTITY_REGEX = new RegExp(QUANTITY)

const quantity = (walk: Walk, shape: Shape, value: Json): boolean => {
  const text = typeof value === "string" ? value : JSON.stringify(value)
  if (Quantity.canonical(text) !== undefined) return false
  const words = QUANTITY_REGEX.test(text)
    ? "unable to parse quantity's suffix"
    : `quantities must match the regular expression '${QUANTITY}'`
  return stop(walk, shape, value, words)
}

const BASE64_REGEX = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

const bytes = (walk: Walk, shape: Shape, value: string): boolean => {
  // A decoder of Go reads over the ends of lines.
  if (BASE64_REGEX.test(value) || BASE64_REGEX.test(value.replaceAll(/[\r\n]/g, ""))) return false
  const legal = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?/.exec(value)?.[0].length ?? 0
  // Nothing may follow a padding.
  const bad = value[legal - 1] === "=" ? 0 : value.slice(legal).search(/[^A-Za-z0-9+/]/)
  return note(walk, shape, value, `illegal base64 data at input byte ${bad < 0 ? legal : legal + bad}`)
}

const mismatch = (walk: Walk, shape: Shape, value: Json, words?: string): Mismatch => ({
  shape,
  value,
  struct: walk.struct,
  fields: [...walk.fields],
  path: [...walk.path],
  ...(words === undefined ? {} : { words })
})

const note = (walk: Walk, shape: Shape, value: Json, words?: string): boolean => {
  walk.noted ??= mismatch(walk, shape, value, words)
  return false
}

const stop = (walk: Walk, shape: Shape, value: Json, words?: string): boolean => {
  walk.last = mismatch(walk, shape, value, words)
  return true
}

const goType = (shape: Shape): string => {
  switch (shape._tag) {
    case "Text":
    case "Time":
      return "string"
    case "Flag":
      return "bool"
    case "Number":
      return "float64"
    case "Integer":
      return `int${shape.bits}`
    case "NumberOrText":
      return "int32"
    case "Bytes":
      return "[]uint8"
    case "List":
      return `[]${goType(shapeOf(shape.item))}`
    case "Map": {
      const value = shapeOf(shape.value)
      return value._tag === "Quantity" ? "v1.ResourceList" : `map[string]${goType(value)}`
    }
    case "Struct":
      return `${shape.version}.${shape.name}`
    case "Quantity":
      return "resource.Quantity"
    case "Any":
      return "interface {}"
  }
}

const jsonType = (value: Json): string => {
  if (isArray(value)) return "array"
  return typeof value === "boolean" ? "bool" : typeof value
}

/** What a decoder says of the first value of another type, if there is one. */
export const decoding = (groupVersion: string, kind: string, object: JsonObject): string | undefined =>
  decoderWords(find(groupVersion, kind, object))

const METADATA = KindSchema.reference("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta")

/** What a decoder says of the metadata of an object of a custom kind. */
export const decodingMetadata = (metadata: Json): string | undefined =>
  decoderWords(findIn(shapeOf(METADATA), "ObjectMeta", metadata))

const DELETE_OPTIONS = KindSchema.reference("io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions")

/** Texts whose types have names of their own. */
const NAMED = new Map([
  ["DeleteOptions.propagationPolicy of type string", "DeleteOptions.propagationPolicy of type v1.DeletionPropagation"],
  ["Preconditions.preconditions.uid of type string", "Preconditions.preconditions.uid of type types.UID"]
])

/** What a decoder says of the options of a deletion. */
export const decodingDeleteOptions = (options: JsonObject): string | undefined => {
  const words = decoderWords(findIn(shapeOf(DELETE_OPTIONS), "DeleteOptions", options))
  const named = [...NAMED].find(([plain]) => words?.endsWith(plain))
  return named === undefined ? words : words?.replace(...named)
}

const decoderWords = (found: Mismatch | undefined): string | undefined => {
  if (found === undefined) return undefined
  const { fields, shape, struct, value, words } = found
  if (words !== undefined) return words
  const numeric = shape._tag === "Integer" || shape._tag === "NumberOrText"
  const given = numeric && typeof value === "number" ? `number ${JSON.stringify(value)}` : jsonType(value)
  const field = fields.length === 0 ? "value" : `struct field ${[struct, ...fields].join(".")}`
  return `json: cannot unmarshal ${given} into Go ${field} of type ${goType(shape)}`
}

const goKind = (value: Json): string => {
  if (isArray(value)) return "slice"
  if (typeof value === "number") return Number.isInteger(value) ? "int64" : "float64"
  return typeof value === "object" ? "map" : jsonType(value)
}

/** What a strategic merge patch says of it: it converts the values of a map, where others decode a text. */
export const converting = (groupVersion: string, kind: string, object: JsonObject): string | undefined => {
  const found = find(groupVersion, kind, object)
  if (found === undefined) return undefined
  const { shape, value, words } = found
  const given = goKind(value)
  if (words !== undefined) return words
  if (shape._tag === "List") return `cannot restore slice from ${given}`
  if (shape._tag === "Map") return `cannot restore map from ${given}`
  if (shape._tag === "Struct") return `cannot restore struct from: ${given}`
  const type = goType(shape)
  const related = typeof value === "number" && (type === "string" || type.startsWith("int"))
  return related ? `cannot convert ${given} to ${type}` : `unrecognized type: ${type}`
}

/** What an apply says of it. **Shape** one that only the decoder of a later step refuses is no matter of the apply. */
export const declaring = (groupVersion: string, kind: string, object: JsonObject): string | undefined => {
  const found = find(groupVersion, kind, object)
  const expected = found === undefined ? undefined : EXPECTED.get(found.shape._tag)
  if (found === undefined || expected === undefined || found.words !== undefined) return undefined
  const where = found.path.map((step) => (typeof step === "number" ? `[${step}]` : `.${step}`)).join("")
  return `${where}: expected ${expected}, got &value.valueUnstructured{Value:${JSON.stringify(found.value)}}`
}

const EXPECTED = new Map<Shape["_tag"], string>([
  ["Text", "string"],
  ["Bytes", "string"],
  ["Time", "string"],
  ["Flag", "boolean"],
  ["Integer", "numeric (int or float)"],
  ["Number", "numeric (int or float)"],
  ["List", "list"],
  ["Map", "map"],
  ["Struct", "map"]
])

/** Prints a value as Go prints one: `map[a:1 b:[x y]]`. */
export const goText = (value: Json): string => {
  if (isArray(value)) return `[${value.map(goText).join(" ")}]`
  if (value === null) return "<nil>"
  if (!isObject(value)) return String(value)
  const entries = Object.keys(value).toSorted()
  return `map[${entries.map((key) => `${key}:${goText(value[key] ?? null)}`).join(" ")}]`
}
