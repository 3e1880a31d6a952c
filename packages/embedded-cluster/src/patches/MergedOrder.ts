/**
 * Orders the items of a list that a strategic merge patch merged.
 *
 * **Source** Kubernetes, `k8s.io/apimachinery/pkg/util/strategicpatch`: `normalizeElementOrder` and
 * `validatePatchWithSetOrderList`.
 */
import { Result } from "effect"
import { equals, isObject, type Json, type JsonArray } from "../core/Json.ts"
import type { Failure, Outcome } from "../core/Status.ts"
import type { ListRule } from "../schemas/KindSchema.ts"

/** Refuses an item of a keyed list that lacks its key. */
export const keyless = (key: string): Result.Result<never, Failure> =>
  Result.fail({ code: 500, message: `each item of the list in the patch must have the merge key ${key}` })

/**
 * Orders a merged list. Items in `order` follow its sequence. Each other item stays before the first ordered item
 * that it preceded in `before`.
 */
export const ordered = (list: JsonArray, order: JsonArray, before: JsonArray, rule: ListRule): JsonArray => {
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

/**
 * Checks that `$setElementOrder` lists the patch's items, without deletions, in the patch's sequence. **Errors** 500.
 */
export const check = (patch: JsonArray, order: JsonArray, rule: ListRule): Outcome<void> => {
  if (patch.length === 0 || order.length === 0) return Result.succeed(undefined)
  const key = rule._tag === "Keyed" ? rule.keys[0] : undefined
  const isOrder = (item: Json) => isObject(item) && Object.hasOwn(item, "$patch")
  const named = patch.filter((item) => key === undefined || !isOrder(item))
  let next = 0
  for (const place of order) {
    const item = named[next]
    if (item === undefined) break
    if (key === undefined) {
      if (equals(item, place)) next++
      continue
    }
    if ([item, place].some((one) => isObject(one) && !Object.hasOwn(one, key))) return keyless(key)
    if (isObject(item) && isObject(place) && equals(item[key], place[key])) next++
  }
  if (next === named.length) return Result.succeed(undefined)
  return Result.fail({ code: 500, message: "the list in the patch is not in the order of $setElementOrder" })
}
