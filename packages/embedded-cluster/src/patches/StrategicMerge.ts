/**
 * Strategic merge patch: a merge patch that merges lists item by item if their items have an identity.
 *
 * **Source** Kubernetes, `k8s.io/apimachinery/pkg/util/strategicpatch`, with its directives `$patch`, `$retainKeys`,
 * `$deleteFromPrimitiveList` and `$setElementOrder`.
 */
import { Result } from "effect"
import {
  changeValues,
  equals,
  isArray,
  isObject,
  type Json,
  type JsonArray,
  type JsonObject,
  without
} from "../core/Json.ts"
import { badRequest, type Failure, type Outcome } from "../core/Status.ts"
import { steps, type Steps } from "../core/Steps.ts"
import { fieldOf, forPatch, isReplaced, itemOf, type KindSchema, type ListRule } from "../schemas/KindSchema.ts"
import * as MergedOrder from "./MergedOrder.ts"

const PATCH = "$patch"
const RETAIN = "$retainKeys"
const DELETE_FROM = "$deleteFromPrimitiveList/"
const ORDER = "$setElementOrder/"

/** Refuses a patch that does not fit its target. The real server answers most of these with 500 and no reason. */
const broken = (message: string): Result.Result<never, Failure> => Result.fail({ code: 500, message })

/**
 * Applies a patch to an object. The schema has the merge rules of its lists.
 *
 * **Errors** 400 for an invalid `$retainKeys`; 500 if an item of a keyed list lacks its key, an order does not match
 * its list, or a directive is unknown.
 */
export const apply = (target: JsonObject, patch: JsonObject, schema: KindSchema): Outcome<JsonObject> =>
  mergeObject(target, patch, schema)

const mergeObject = steps(function* (target: JsonObject, patch: JsonObject, schema: KindSchema): Steps<JsonObject> {
  const directive = patch[PATCH]
  if (directive === "delete") return {}
  if (directive === "replace") return without(patch, PATCH)
  if (directive !== undefined) return yield* unknownDirective(directive)
  const merged = new Map(Object.entries(yield* retained(target, patch)))
  const body = without(patch, RETAIN)
  for (const [key, order] of Object.entries(body)) {
    if (!key.startsWith(ORDER)) continue
    const name = key.slice(ORDER.length)
    const list = yield* orderedList(merged.get(name), body[name], order, fieldOf(schema, name))
    if (list !== undefined) merged.set(name, list)
  }
  for (const [key, value] of Object.entries(body)) {
    if (key.startsWith(ORDER) || Object.hasOwn(body, `${ORDER}${key}`)) continue
    if (key.startsWith(DELETE_FROM)) {
      const name = key.slice(DELETE_FROM.length)
      const list = merged.get(name)
      if (isArray(list) && isArray(value)) merged.set(name, withoutItems(list, value))
      continue
    }
    const next = yield* mergeValue(merged.get(key), value, fieldOf(schema, key))
    if (next === undefined) merged.delete(key)
    else merged.set(key, next)
  }
  return Object.fromEntries(merged)
})

const unknownDirective = (directive: Json) =>
  broken(`$patch must be "replace" or "delete", not ${JSON.stringify(directive)}`)

const withoutItems = (list: JsonArray, deleted: JsonArray): JsonArray =>
  list.filter((item) => !deleted.some((one) => equals(one, item)))

/**
 * Applies `$retainKeys`: drops the target's keys that it does not list. **Errors** 400 if the patch sets an unlisted
 * key.
 */
const retained = (target: JsonObject, patch: JsonObject): Outcome<JsonObject> => {
  const keys = patch[RETAIN]
  if (keys === undefined) return Result.succeed(target)
  const isRetained = (key: string) => isArray(keys) && keys.includes(key)
  const unlisted = Object.keys(without(patch, RETAIN)).some(
    (key) => patch[key] !== null && !key.startsWith(DELETE_FROM) && !key.startsWith(ORDER) && !isRetained(key)
  )
  return !isArray(keys) || unlisted
    ? Result.fail(badRequest("$retainKeys must list every field that the patch sets"))
    : Result.succeed(changeValues(target, (value, key) => (isRetained(key) ? value : undefined)))
}

/** Merges a list in the order of `$setElementOrder`. Returns `undefined` if there is no list to order. */
const orderedList = steps(function* (
  target: Json | undefined,
  patch: Json | undefined,
  order: Json,
  schema: KindSchema
): Steps<JsonArray | undefined> {
  const notList = [order, target, patch].find((one) => one !== undefined && !isArray(one))
  if (notList !== undefined) return yield* broken("$setElementOrder and the list that it orders must be arrays")
  if (!isArray(order)) return undefined
  const rule = forPatch(schema)
  const known = isArray(target) ? target : []
  if (!isArray(patch)) return target === undefined ? undefined : MergedOrder.ordered(known, order, known, rule)
  yield* MergedOrder.check(patch, order, rule)
  const merged = isArray(target) ? yield* mergeList(target, patch, rule, schema) : stripItems(patch)
  return MergedOrder.ordered(merged, order, known, rule)
})

/**
 * Merges one value of a patch. Returns `undefined` if the patch removes the value.
 *
 * A value that the target lacks is taken from the patch without merging.
 */
const mergeValue = (target: Json | undefined, patch: Json, schema: KindSchema): Outcome<Json | undefined> => {
  if (patch === null) return Result.succeed(undefined)
  if (isObject(target) && isObject(patch))
    return isReplaced(schema) ? Result.succeed(patch) : mergeObject(target, patch, schema)
  return isArray(target) && isArray(patch)
    ? mergeList(target, patch, forPatch(schema), schema)
    : Result.succeed(strip(patch))
}

/** Removes nulls and directives from a value of a patch. */
const strip = (value: Json): Json | undefined => {
  if (isArray(value)) return stripItems(value)
  if (!isObject(value)) return value
  return Object.hasOwn(value, PATCH) ? undefined : changeValues(value, (one) => (one === null ? undefined : strip(one)))
}

const stripItems = (list: JsonArray): JsonArray =>
  list.flatMap((item) => {
    const stripped = strip(item)
    return stripped === undefined ? [] : [stripped]
  })

const mergeList = steps(function* (
  target: JsonArray,
  patch: JsonArray,
  rule: ListRule,
  schema: KindSchema
): Steps<JsonArray> {
  if (rule._tag === "Atomic") return patch
  if (target.length === 0 && patch.length === 0) return target
  const kinds = new Set([...target, ...patch].map(typeOf))
  if (kinds.size > 1) return yield* broken("the items of a merged list must all have the same type")
  if (!kinds.has("object")) {
    const merged = [...target, ...patch]
    const distinct = merged.filter((item, place) => merged.findIndex((one) => equals(one, item)) === place)
    return MergedOrder.ordered(distinct, patch, target, { _tag: "Set" })
  }
  if (rule._tag !== "Keyed")
    return yield* broken("a list of objects can be merged only if its schema declares a merge key")
  const [known, added] = yield* applyDirectives(target.filter(isObject), patch.filter(isObject), rule.keys[0] ?? "name")
  const merged = yield* mergeKeyed(known, added, rule.keys[0] ?? "name", itemOf(schema))
  return MergedOrder.ordered(merged, added, known, rule)
})

const typeOf = (value: Json): string => (isArray(value) ? "list" : value === null ? "null" : typeof value)

type Items = ReadonlyArray<JsonObject>

/**
 * Applies the directives among a patch's items. Returns the remaining target items and the items to merge into them.
 */
const applyDirectives = (target: Items, patch: Items, key: string): Outcome<readonly [Items, Items]> => {
  let known = target
  const added: Array<JsonObject> = []
  let replaces = false
  for (const item of patch) {
    const directive = item[PATCH]
    if (directive === undefined) {
      added.push(item)
    } else if (directive === "replace") {
      replaces = true
    } else if (directive === "delete") {
      const identity = item[key]
      if (identity === undefined) return MergedOrder.keyless(key)
      known = known.filter((one) => !equals(one[key], identity))
    } else if (directive === "merge") {
      return broken('$patch must not be "merge" in an item of a list')
    } else {
      return unknownDirective(directive)
    }
  }
  return Result.succeed(replaces ? [added, []] : [known, added])
}

const mergeKeyed = steps(function* (target: Items, patch: Items, key: string, schema: KindSchema): Steps<Items> {
  const merged = [...target]
  for (const item of patch) {
    const identity = item[key]
    if (identity === undefined) return yield* MergedOrder.keyless(key)
    const place = merged.findIndex((one) => equals(one[key], identity))
    const known = merged[place]
    if (known === undefined) merged.push(item)
    else merged[place] = yield* mergeObject(known, item, schema)
  }
  return merged
})
