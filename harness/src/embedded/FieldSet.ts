/**
 * A set of fields of an object: what a manager owns, what a change touches.
 *
 * **Source** Kubernetes, `sigs.k8s.io/structured-merge-diff`, and the wire form `FieldsV1`.
 *
 * @since 0.1.0
 */
import { equals, isArray, isObject, type Json, type JsonObject, parse, without } from "./Json.ts"
import * as KindSchema from "./KindSchema.ts"

/** **Shape** a tree; `self` tells whether the field itself is in the set, beside what is below it. */
export interface FieldSet {
  readonly self: boolean
  readonly children: ReadonlyMap<string, FieldSet>
}

/** One step to a field. **Shape** `f:name`, `k:{"name":"web"}` (an item by its keys), `v:"x"` (an item of a set). */
export type Step = string
export type FieldPath = ReadonlyArray<Step>

export const empty: FieldSet = { self: false, children: new Map() }
const leaf: FieldSet = { self: true, children: new Map() }

export const isEmpty = (set: FieldSet): boolean => !set.self && set.children.size === 0

/** The fields that an object of a kind sets. */
export const fromObject = (schema: KindSchema.KindSchema, object: JsonObject): FieldSet => {
  const children = Object.entries(object).map(([name, value]) => {
    const below = ofValue(KindSchema.fieldOf(schema, name), value)
    // What a schema does not name is there only because somebody put it there.
    return [`f:${name}`, KindSchema.declares(schema, name) ? below : { ...below, self: true }] as const
  })
  return { self: false, children: new Map(children) }
}

const ofValue = (schema: KindSchema.KindSchema, value: Json): FieldSet => {
  if (isObject(value)) {
    return KindSchema.isAtomic(schema) || Object.keys(value).length === 0 ? leaf : fromObject(schema, value)
  }
  if (!isArray(value)) return leaf
  const rule = KindSchema.forApply(schema)
  if (rule._tag === "Atomic" || value.length === 0) return leaf
  const items = value.map((item) => {
    if (rule._tag === "Set" || !isObject(item)) return [`v:${JSON.stringify(item)}`, leaf] as const
    return [itemStep(schema, item), { ...fromObject(KindSchema.itemOf(schema), item), self: true }] as const
  })
  return { self: false, children: new Map(items) }
}

/** The step to an item of a list, which is known by its keys or by its value. */
const itemStep = (list: KindSchema.KindSchema, item: Json): Step => {
  const rule = KindSchema.forApply(list)
  if (rule._tag !== "Keyed" || !isObject(item)) return `v:${JSON.stringify(item)}`
  const keys = rule.keys.toSorted().flatMap((key) => {
    const value = item[key] ?? KindSchema.keyDefault(list, key)
    return value === undefined ? [] : [[key, value] as const]
  })
  return `k:${JSON.stringify(Object.fromEntries(keys))}`
}

export const fromV1 = (json: Json): FieldSet => {
  const children = Object.entries(isObject(json) ? json : {}).filter(([step]) => step !== ".")
  return {
    self: children.length === 0 || (isObject(json) && Object.hasOwn(json, ".")),
    children: new Map(children.map(([step, below]) => [step, fromV1(below)]))
  }
}

export const toV1 = (set: FieldSet): JsonObject => ({
  ...(set.self && set.children.size > 0 ? { ".": {} } : {}),
  ...Object.fromEntries([...set.children].map(([step, below]) => [step, toV1(below)]))
})

export const union = (left: FieldSet, right: FieldSet): FieldSet => {
  const children = new Map(left.children)
  for (const [step, below] of right.children) children.set(step, union(children.get(step) ?? empty, below))
  return { self: left.self || right.self, children }
}

export const difference = (left: FieldSet, right: FieldSet): FieldSet => {
  const children = new Map<Step, FieldSet>()
  for (const [step, below] of left.children) {
    const rest = difference(below, right.children.get(step) ?? empty)
    if (!isEmpty(rest)) children.set(step, rest)
  }
  return { self: left.self && !right.self, children }
}

export const intersection = (left: FieldSet, right: FieldSet): FieldSet => {
  const children = new Map<Step, FieldSet>()
  for (const [step, below] of left.children) {
    const common = intersection(below, right.children.get(step) ?? empty)
    if (!isEmpty(common)) children.set(step, common)
  }
  return { self: left.self && right.self, children }
}

/** The paths of a set, in the order of its tree. */
export const paths = (set: FieldSet, at: FieldPath = []): ReadonlyArray<FieldPath> => [
  ...(set.self && at.length > 0 ? [at] : []),
  ...[...set.children].flatMap(([step, below]) => paths(below, [...at, step]))
]

export const fromPaths = (all: Iterable<FieldPath>): FieldSet => {
  let set = empty
  for (const path of all)
    set = union(
      set,
      path.reduceRight<FieldSet>((below, step) => ({ self: false, children: new Map([[step, below]]) }), leaf)
    )
  return set
}

/** Prints a path as conflicts show it: `.spec.template.spec.containers[name="web"].image`. */
export const print = (path: FieldPath): string =>
  path
    .map((step) => {
      const body = step.slice(2)
      if (step.startsWith("f:")) return `.${body}`
      if (step.startsWith("v:")) return `[=${body}]`
      const keys = parse(body)
      return `[${Object.entries(isObject(keys) ? keys : {})
        .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
        .join(",")}]`
    })
    .join("")

/** Whether an item of a list is the one that a step means. */
const isItem = (list: KindSchema.KindSchema, step: Step, item: Json): boolean => {
  const wanted = parse(step.slice(2))
  if (step.startsWith("v:")) return equals(item, wanted)
  return (
    isObject(item)
    && isObject(wanted)
    && Object.entries(wanted).every(([key, value]) => equals(item[key] ?? KindSchema.keyDefault(list, key), value))
  )
}

/** The value at a path, `undefined` where the object has none. */
export const valueAt = (schema: KindSchema.KindSchema, value: Json | undefined, path: FieldPath): Json | undefined => {
  const [step, ...rest] = path
  if (step === undefined || value === undefined) return value
  if (isArray(value)) {
    const found = value.find((item) => isItem(schema, step, item))
    return valueAt(KindSchema.itemOf(schema), found, rest)
  }
  const name = step.slice(2)
  return isObject(value) && step.startsWith("f:") && Object.hasOwn(value, name)
    ? valueAt(KindSchema.fieldOf(schema, name), value[name], rest)
    : undefined
}

/**
 * Whether a field is the same in two objects. **Shape** an item of a list is itself only its being there; what it holds
 * are fields of their own.
 */
export const isSame = (
  schema: KindSchema.KindSchema,
  left: Json | undefined,
  right: Json | undefined,
  path: FieldPath
): boolean => {
  const [old, now] = [valueAt(schema, left, path), valueAt(schema, right, path)]
  return path.at(-1)?.startsWith("k:") === true ? (old === undefined) === (now === undefined) : equals(old, now)
}

/** Takes the field at a path away, and the containers that become empty by that with it. */
export const removeAt = (schema: KindSchema.KindSchema, object: JsonObject, path: FieldPath): JsonObject => {
  const removed = removeIn(schema, object, path)
  return isObject(removed) ? removed : {}
}

const removeIn = (schema: KindSchema.KindSchema, value: Json, path: FieldPath): Json | undefined => {
  const [step, ...rest] = path
  if (step === undefined) return undefined
  if (isArray(value)) {
    const items = value.flatMap((item) => {
      if (!isItem(schema, step, item)) return [item]
      const next = removeIn(KindSchema.itemOf(schema), item, rest)
      return next === undefined ? [] : [next]
    })
    return items.length === 0 ? undefined : items
  }
  const name = step.slice(2)
  if (!isObject(value) || !Object.hasOwn(value, name)) return value
  const below = value[name]
  const next = below === undefined ? undefined : removeIn(KindSchema.fieldOf(schema, name), below, rest)
  if (next !== undefined) return { ...value, [name]: next }
  const left = without(value, name)
  return Object.keys(left).length === 0 ? undefined : left
}

/** Merges what a manager applies into an object: lists by their keys, all else field by field. */
export const merge = (schema: KindSchema.KindSchema, live: JsonObject, applied: JsonObject): JsonObject => {
  const merged = new Map(Object.entries(live))
  for (const [name, value] of Object.entries(applied)) {
    if (value === null) merged.delete(name)
    else merged.set(name, mergeValue(KindSchema.fieldOf(schema, name), merged.get(name), value))
  }
  return Object.fromEntries(merged)
}

const mergeValue = (schema: KindSchema.KindSchema, live: Json | undefined, applied: Json): Json => {
  if (isObject(applied)) return isObject(live) && !KindSchema.isAtomic(schema) ? merge(schema, live, applied) : applied
  if (!isArray(applied) || !isArray(live) || KindSchema.forApply(schema)._tag === "Atomic") return applied
  const merged = [...live]
  for (const item of applied) {
    const step = itemStep(schema, item)
    const index = merged.findIndex((one) => isItem(schema, step, one))
    const old = merged[index]
    if (index < 0) merged.push(item)
    else if (isObject(old) && isObject(item)) merged[index] = merge(KindSchema.itemOf(schema), old, item)
  }
  return merged
}
