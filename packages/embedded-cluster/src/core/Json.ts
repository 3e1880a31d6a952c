/**
 * JSON values, and the operations with which an API server reads and rebuilds them.
 *
 * No function changes an object in place: each returns a new value that shares its unchanged parts with the old one.
 */

export type Json = string | number | boolean | null | JsonArray | JsonObject
export interface JsonObject {
  readonly [key: string]: Json
}
export type JsonArray = ReadonlyArray<Json>

export const EMPTY: JsonObject = {}

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

export const isArray = (value: Json | undefined): value is JsonArray => Array.isArray(value)

/** Reads the value under a path of keys. Returns `undefined` if a step is missing or not an object. */
export const at = (value: Json | undefined, ...path: ReadonlyArray<string>): Json | undefined => {
  let current = value
  for (const key of path) {
    if (!isObject(current) || !Object.hasOwn(current, key)) return undefined
    current = current[key]
  }
  return current
}

export const objectAt = (value: Json | undefined, ...path: ReadonlyArray<string>): JsonObject => {
  const found = at(value, ...path)
  return isObject(found) ? found : EMPTY
}

export const arrayAt = (value: Json | undefined, ...path: ReadonlyArray<string>): JsonArray => {
  const found = at(value, ...path)
  return isArray(found) ? found : []
}

/** Reads the string under a path of keys. Returns an empty string if there is none. */
export const textAt = (value: Json | undefined, ...path: ReadonlyArray<string>): string => {
  const found = at(value, ...path)
  return typeof found === "string" ? found : ""
}

export const numberAt = (value: Json | undefined, ...path: ReadonlyArray<string>): number | undefined => {
  const found = at(value, ...path)
  return typeof found === "number" ? found : undefined
}

/** Reads an object's entries whose values are strings, such as labels. */
export const textsAt = (value: Json | undefined, ...path: ReadonlyArray<string>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(objectAt(value, ...path)).flatMap(([key, text]) => (typeof text === "string" ? [[key, text]] : []))
  )

/**
 * Returns the object with a value set under a path. Steps that are not objects become objects; `undefined` removes
 * the key.
 */
export const put = (object: JsonObject, path: ReadonlyArray<string>, value: Json | undefined): JsonObject => {
  const [key, ...rest] = path
  if (key === undefined) return isObject(value) ? value : object
  const next = rest.length === 0 ? value : put(objectAt(object, key), rest, value)
  if (next === undefined) return without(object, key)
  // A computed key defines the property, so `__proto__` in a body stays a plain key.
  return { ...object, [key]: next }
}

export const without = (object: JsonObject, ...keys: ReadonlyArray<string>): JsonObject =>
  keys.some((key) => Object.hasOwn(object, key))
    ? Object.fromEntries(Object.entries(object).filter(([key]) => !keys.includes(key)))
    : object

/** Adds the defaults of keys that the object lacks. */
export const withDefaults = (object: JsonObject, defaults: JsonObject): JsonObject => {
  const missing = Object.entries(defaults).filter(([key]) => !Object.hasOwn(object, key))
  return missing.length === 0 ? object : { ...object, ...Object.fromEntries(missing) }
}

/**
 * Returns the object with each value replaced by the result of `change`. A key whose result is `undefined` is
 * dropped.
 *
 * **Limits** returns the object itself if no value changes. It runs about ten times for every value of every body, so
 * an unconditional copy would cost memory and processor time.
 */
export const changeValues = (
  object: JsonObject,
  change: (value: Json, key: string) => Json | undefined
): JsonObject => {
  let changed: Array<readonly [string, Json]> | undefined
  const keys = Object.keys(object)
  for (let place = 0; place < keys.length; place++) {
    const key = keys[place] ?? ""
    const before = object[key]
    if (before === undefined) continue
    const after = change(before, key)
    if (after === before && changed === undefined) continue
    changed ??= Object.entries(object).slice(0, place)
    if (after !== undefined) changed.push([key, after])
  }
  return changed === undefined ? object : Object.fromEntries(changed)
}

/** Returns the list with each item replaced by the result of `change`. Returns the list itself if no item changes. */
export const changeItems = (list: JsonArray, change: (item: Json, place: number) => Json): JsonArray => {
  let changed: Array<Json> | undefined
  for (let place = 0; place < list.length; place++) {
    const before = list[place] ?? null
    const after = change(before, place)
    if (after !== before) changed ??= list.slice(0, place)
    changed?.push(after)
  }
  return changed ?? list
}

/** Drops every key whose value is `null`, at any depth: a field set to `null` means the same as an absent field. */
export const withoutNulls = (object: JsonObject): JsonObject =>
  changeValues(object, (value) => (value === null ? undefined : nullsDropped(value)))

const nullsDropped = (value: Json): Json => {
  if (isObject(value)) return withoutNulls(value)
  return isArray(value) ? changeItems(value, nullsDropped) : value
}

/** Compares two values by content, whatever the order of their keys. */
export const equals = (left: Json | undefined, right: Json | undefined): boolean => {
  if (left === right) return true
  if (isArray(left) && isArray(right)) {
    return left.length === right.length && left.every((item, index) => equals(item, right[index]))
  }
  if (!isObject(left) || !isObject(right)) return false
  const keys = Object.keys(left)
  return (
    keys.length === Object.keys(right).length
    && keys.every((key) => Object.hasOwn(right, key) && equals(left[key], right[key]))
  )
}

export const parse = (text: string): Json => checked(JSON.parse(text))

/** Types a parser's result as JSON. Parsers of JSON and YAML return nothing else. */
export const checked = (value: unknown): Json => (isJson(value) ? value : null)

const isJson = (value: unknown): value is Json =>
  value === null || ["string", "number", "boolean", "object"].includes(typeof value)
