/**
 * Strategic merge patch: a merge patch that knows which lists hold things with an identity.
 *
 * **Source** Kubernetes, `k8s.io/apimachinery/pkg/util/strategicpatch`, with its directives `$patch`, `$retainKeys`,
 * `$deleteFromPrimitiveList` and `$setElementOrder`.
 *
 * @since 0.1.0
 */
import { Result } from "effect"
import { equals, isArray, isObject, type Json, type JsonArray, type JsonObject } from "./Json.ts"
import { fieldOf, forPatch, isReplaced, itemOf, type KindSchema, type ListRule } from "./KindSchema.ts"
import { badRequest, type Failure, type Outcome } from "./Status.ts"

const PATCH = "$patch"
const RETAIN = "$retainKeys"
const DELETE_FROM = "$deleteFromPrimitiveList/"
const ORDER = "$setElementOrder/"

/**
 * Applies a patch to an object of a kind, whose schema says how its lists merge.
 *
 * **Errors** 400 when an item of a keyed list lacks its key, or a directive is unknown.
 *
 * @since 0.1.0
 */
export const apply = (target: JsonObject, patch: JsonObject, schema: KindSchema): Outcome<JsonObject> =>
  mergeObject(target, patch, schema)

const mergeObject = (target: JsonObject, patch: JsonObject, schema: KindSchema): Outcome<JsonObject> => {
  const directive = patch[PATCH]
  if (directive === "delete") return Result.succeed({})
  if (directive === "replace") return Result.succeed(plain(patch))
  if (directive !== undefined && directive !== "merge") {
    return Result.fail(badRequest(`Unknown patch type found: ${JSON.stringify(directive)}`))
  }
  const merged = new Map(Object.entries(target))
  const retained = patch[RETAIN]
  if (isArray(retained)) {
    for (const key of [...merged.keys()]) if (!retained.includes(key)) merged.delete(key)
  }
  for (const [key, value] of Object.entries(patch)) {
    if (key === PATCH || key === RETAIN || key.startsWith(ORDER)) continue
    if (key.startsWith(DELETE_FROM)) {
      const name = key.slice(DELETE_FROM.length)
      const list = merged.get(name)
      if (isArray(list) && isArray(value))
        merged.set(
          name,
          list.filter((item) => !value.some((gone) => equals(gone, item)))
        )
      continue
    }
    if (value === null) {
      merged.delete(key)
      continue
    }
    const next = mergeValue(merged.get(key), value, fieldOf(schema, key), patch[`${ORDER}${key}`])
    if (Result.isFailure(next)) return Result.fail(next.failure)
    merged.set(key, next.success)
  }
  // An order may come without a patch of its list: then it only sorts.
  for (const [key, order] of Object.entries(patch)) {
    const name = key.slice(ORDER.length)
    const list = merged.get(name)
    if (!key.startsWith(ORDER) || Object.hasOwn(patch, name) || !isArray(list) || !isArray(order)) continue
    merged.set(name, ordered(list, order, list, forPatch(fieldOf(schema, name))))
  }
  return Result.succeed(Object.fromEntries(merged))
}

const mergeValue = (
  target: Json | undefined,
  patch: Json,
  schema: KindSchema,
  order: Json | undefined
): Outcome<Json> => {
  if (isObject(patch)) return mergeObject(isObject(target) && !isReplaced(schema) ? target : {}, patch, schema)
  if (!isArray(patch)) return Result.succeed(patch)
  const rule = forPatch(schema)
  const known = isArray(target) ? target : []
  if (rule._tag === "Atomic") return Result.succeed(patch)
  if (rule._tag === "Set") {
    const merged = [...known, ...patch.filter((item) => !known.some((one) => equals(one, item)))]
    return Result.succeed(ordered(merged, isArray(order) ? order : patch, known, rule))
  }
  return Result.map(mergeKeyed(known, patch, rule.keys[0] ?? "name", itemOf(schema)), (list) =>
    ordered(list, isArray(order) ? order : patch, known, rule)
  )
}

const mergeKeyed = (target: JsonArray, patch: JsonArray, key: string, schema: KindSchema): Outcome<JsonArray> => {
  const replacing = patch.some((item) => isObject(item) && item[PATCH] === "replace" && !Object.hasOwn(item, key))
  let merged: JsonArray = replacing ? [] : target
  for (const item of patch) {
    if (!isObject(item)) return Result.fail(badRequest(`expected an object in a list that merges by ${key}`))
    if (item[PATCH] === "replace" && !Object.hasOwn(item, key)) continue
    const identity = item[key]
    if (identity === undefined) {
      // The real server takes this for its own failure, and so answers 500 without a reason.
      const fields = Object.entries(item)
        .map(([name, value]) => `${name}:${typeof value === "string" ? value : JSON.stringify(value)}`)
        .join(" ")
      return Result.fail<Failure>({
        code: 500,
        message: `map: map[${fields}] does not contain declared merge key: ${key}`
      })
    }
    const index = merged.findIndex((one) => isObject(one) && equals(one[key], identity))
    if (item[PATCH] === "delete") {
      merged = index < 0 ? merged : merged.toSpliced(index, 1)
      continue
    }
    const known = merged[index]
    const next = mergeObject(isObject(known) ? known : {}, item, schema)
    if (Result.isFailure(next)) return Result.fail(next.failure)
    merged = index < 0 ? [...merged, next.success] : merged.with(index, next.success)
  }
  return Result.succeed(merged)
}

/**
 * Orders a merged list: the items of the patch as the patch names them, and among them the others, each before the
 * first item of the patch that it stood before.
 */
const ordered = (list: JsonArray, order: JsonArray, before: JsonArray, rule: ListRule): JsonArray => {
  const identity = (item: Json): string => {
    if (rule._tag !== "Keyed") return JSON.stringify(item)
    return JSON.stringify(rule.keys.slice(0, 1).map((key) => (isObject(item) ? (item[key] ?? null) : null)))
  }
  const rank = new Map(order.map((item, index) => [identity(item), index]))
  const place = new Map(before.map((item, index) => [identity(item), index]))
  const named = list
    .filter((item) => rank.has(identity(item)))
    .toSorted((left, right) => (rank.get(identity(left)) ?? 0) - (rank.get(identity(right)) ?? 0))
  const others = list.filter((item) => !rank.has(identity(item)))
  const isBefore = (left: Json, right: Json): boolean => {
    const [there, here] = [place.get(identity(left)), place.get(identity(right))]
    return there !== undefined && here !== undefined && there < here
  }
  const result: Array<Json> = []
  for (const item of named) {
    const first = others.findIndex((other) => !isBefore(other, item))
    result.push(...others.splice(0, first < 0 ? others.length : first), item)
  }
  return [...result, ...others]
}

const plain = (patch: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(patch).filter(([key]) => key !== PATCH && key !== RETAIN))
