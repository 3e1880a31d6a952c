/**
 * Refuses duplicates in lists of type `set`, and duplicate keys in lists of type `map`.
 *
 * **Source** Kubernetes 1.36, `apiextensions-apiserver/pkg/apiserver/schema/listtype`.
 */
import { isArray, isObject, type Json, type JsonArray, type JsonObject } from "../core/Json.ts"
import { duplicate, type FieldError, invalidValue } from "../core/Status.ts"
import * as KindSchema from "./KindSchema.ts"

/** Finds duplicates in the lists of an object. */
export const check = (schema: KindSchema.KindSchema, object: JsonObject, path = ""): ReadonlyArray<FieldError> =>
  Object.entries(object).flatMap(([name, value]) => {
    const where = KindSchema.declares(schema, name) ? (path === "" ? name : `${path}.${name}`) : `${path}[${name}]`
    return below(KindSchema.fieldOf(schema, name), value, where)
  })

const below = (schema: KindSchema.KindSchema, value: Json, path: string): ReadonlyArray<FieldError> => {
  if (schema === undefined) return []
  if (isObject(value)) return check(schema, value, path)
  if (!isArray(value)) return []
  const item = KindSchema.itemOf(schema)
  return [...listErrors(schema, value, path), ...value.flatMap((one, index) => below(item, one, `${path}[${index}]`))]
}

const listErrors = (schema: KindSchema.KindSchema, list: JsonArray, path: string): ReadonlyArray<FieldError> => {
  const rule = KindSchema.forApply(schema)
  if (rule._tag === "Atomic") return []
  if (rule._tag === "Set") return repeated(list, path)
  const invalid = list.findIndex((item) => item !== null && !isObject(item))
  if (invalid >= 0)
    return [invalidValue(`${path}[${invalid}]`, list[invalid], "must be an object, because the list has type map")]
  const keys = list.map((item): Json => {
    const known = rule.keys.flatMap((key) => {
      const value = isObject(item) ? item[key] : undefined
      return value === undefined ? [] : [[key, value] as const]
    })
    return Object.fromEntries(known)
  })
  return repeated(keys, path)
}

/** Reports each duplicate once, at its second position. */
const repeated = (list: JsonArray, path: string): ReadonlyArray<FieldError> => {
  const counts = new Map<string, number>()
  return list.flatMap((item, index) => {
    const text = JSON.stringify(item)
    const times = (counts.get(text) ?? 0) + 1
    counts.set(text, times)
    return times === 2 ? [duplicate(`${path}[${index}]`, item)] : []
  })
}
