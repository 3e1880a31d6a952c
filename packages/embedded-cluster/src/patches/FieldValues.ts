/**
 * Merges, removes and compares field values for server-side apply.
 *
 * **Source** Kubernetes, `sigs.k8s.io/structured-merge-diff`: `typed/merge.go` and `typed/remove.go`.
 */
import { changeValues, equals, isArray, isObject, type Json, type JsonArray, type JsonObject } from "../core/Json.ts"
import * as KindSchema from "../schemas/KindSchema.ts"
import { type FieldSet, isEmpty, itemStep, type Step } from "./FieldSet.ts"

/**
 * Fields that were added or changed between two objects.
 *
 * **Shape** a list or object that merges is included only when it is added. Later changes are those of its content.
 */
export const changed = (schema: KindSchema.KindSchema, before: JsonObject, after: JsonObject): FieldSet => ({
  ...changedIn(schema, before, after),
  self: false
})

/** Every field of an object, with its parents. */
export const everything = (schema: KindSchema.KindSchema, object: JsonObject): FieldSet => changed(schema, {}, object)

const changedIn = (schema: KindSchema.KindSchema, before: Json | undefined, after: Json): FieldSet => {
  if (isObject(after) && !KindSchema.isAtomic(schema)) {
    const old = isObject(before) ? before : {}
    const children = Object.entries(after).map(
      ([name, one]) => [`f:${name}`, changedIn(KindSchema.fieldOf(schema, name), old[name], one)] as const
    )
    return { self: !isObject(before), children: new Map(children.filter(([, below]) => !isEmpty(below))) }
  }
  if (isArray(after) && KindSchema.forApply(schema)._tag !== "Atomic") {
    const [item, old] = [KindSchema.itemOf(schema), byStep(schema, isArray(before) ? before : [])]
    const children = [...byStep(schema, after)].map(
      ([step, one]) => [step, changedIn(item, old.get(step), one)] as const
    )
    return { self: !isArray(before), children: new Map(children.filter(([, below]) => !isEmpty(below))) }
  }
  return { self: !equals(before, after), children: new Map() }
}

/** Items of a list by identity. **Shape** items with the same identity form a list. */
const byStep = (schema: KindSchema.KindSchema, list: JsonArray): ReadonlyMap<Step, Json> =>
  new Map(
    [...Map.groupBy(list, (item) => itemStep(schema, item))].map(([step, items]) => {
      const [only] = items
      return [step, items.length === 1 && only !== undefined ? only : items]
    })
  )

/**
 * Removes a set of fields from an object.
 *
 * **Shape** a list or object whose content is all removed becomes `null`. It disappears entirely only if the set
 * includes the field itself.
 */
export const remove = (schema: KindSchema.KindSchema, object: JsonObject, set: FieldSet): JsonObject => {
  const left = removed(schema, object, set)
  return isObject(left) ? left : {}
}

const removed = (schema: KindSchema.KindSchema, value: Json, set: FieldSet): Json => {
  if (isArray(value)) {
    if (KindSchema.forApply(schema)._tag === "Atomic") return null
    const items = value.flatMap((item) => {
      const below = set.children.get(itemStep(schema, item))
      if (below?.self === true) return []
      return [below === undefined ? item : removed(KindSchema.itemOf(schema), item, below)]
    })
    return items.length === 0 ? null : items
  }
  if (!isObject(value)) return value
  if (KindSchema.isAtomic(schema)) return null
  const rest = changeValues(value, (one, name) => {
    const below = set.children.get(`f:${name}`)
    if (below?.self === true) return undefined
    return below === undefined ? one : removed(KindSchema.fieldOf(schema, name), one, below)
  })
  return Object.keys(rest).length === 0 ? null : rest
}

/** Merges an applied configuration into an object. Lists whose items have an identity are merged item by item. */
export const merge = (schema: KindSchema.KindSchema, live: JsonObject, applied: JsonObject): JsonObject => {
  const merged = new Map(Object.entries(live))
  for (const [name, value] of Object.entries(applied))
    merged.set(name, mergeValue(KindSchema.fieldOf(schema, name), merged.get(name), value))
  return Object.fromEntries(merged)
}

/** Merges one applied value. `null` or an empty value removes nothing from a list or object that merges. */
const mergeValue = (schema: KindSchema.KindSchema, live: Json | undefined, applied: Json): Json => {
  if (isObject(live) && !KindSchema.isAtomic(schema)) {
    if (isObject(applied)) return merge(schema, live, applied)
    return applied === null && Object.keys(live).length > 0 ? live : applied
  }
  if (isArray(live) && live.length > 0 && KindSchema.forApply(schema)._tag !== "Atomic") {
    if (isArray(applied)) return mergeItems(schema, live, applied)
    return applied === null ? live : applied
  }
  return applied
}

/**
 * Merges two lists. Items of the applied list keep its order; the other items keep their position.
 *
 * **Shape** if several live items have the identity of an applied item, the applied item replaces all of them.
 */
const mergeItems = (schema: KindSchema.KindSchema, live: JsonArray, applied: JsonArray): JsonArray => {
  const item = KindSchema.itemOf(schema)
  const steps = (list: JsonArray) => list.map((one) => [itemStep(schema, one), one] as const)
  const [left, right] = [steps(live), steps(applied)]
  const before = new Map<Step, Json | undefined>()
  for (const [step, one] of left) before.set(step, before.has(step) ? undefined : one)
  const wanted = new Map(right)
  const shared = right.filter(([step]) => before.has(step)).map(([step]) => step)
  const merged: Array<Json> = []
  const done = new Set<Step>()
  let [at, next, turn] = [0, 0, 0]
  const take = ([step, one]: readonly [Step, Json]) => {
    done.add(step)
    merged.push(mergeValue(item, before.get(step), one))
    next++
    if (shared[turn] === step) turn++
  }
  while (at < left.length || next < right.length) {
    const [here, there] = [left[at], right[next]]
    if (here !== undefined) {
      const [step, one] = here
      if (!wanted.has(step)) {
        merged.push(one)
        at++
        continue
      }
      const isNext = there?.[0] === step
      const awaited = shared[turn] === undefined || shared[turn] === step
      // An item of both lists is taken when the applied list reaches it, and skipped if it was taken already.
      if (isNext || done.has(step) || (there !== undefined && !awaited)) at++
      if (!isNext && there !== undefined && !awaited) continue
    }
    if (there !== undefined) take(there)
  }
  return merged
}
