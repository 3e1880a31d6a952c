/**
 * A set of fields of an object, such as the fields that a manager owns.
 *
 * **Source** Kubernetes, `sigs.k8s.io/structured-merge-diff`, and its wire format `FieldsV1`.
 */
import { isArray, isObject, type Json, type JsonArray, type JsonObject, parse } from "../core/Json.ts"
import * as KindSchema from "../schemas/KindSchema.ts"

/** A set of fields as a tree. `self`: the field itself is in the set, beside its children. */
export interface FieldSet {
  readonly self: boolean
  readonly children: ReadonlyMap<string, FieldSet>
}

/**
 * One step of a path. **Shape** `f:name`, `k:{"name":"web"}` (an item by its keys), `v:"x"` (an item of a set by its
 * value).
 */
export type Step = string
export type FieldPath = ReadonlyArray<Step>

export const empty: FieldSet = { self: false, children: new Map() }
const leaf: FieldSet = { self: true, children: new Map() }

export const isEmpty = (set: FieldSet): boolean => !set.self && set.children.size === 0

/** Fields that an object sets. **Shape** an empty list that merges by item sets no field. */
export const fromObject = (schema: KindSchema.KindSchema, object: JsonObject): FieldSet => {
  const children = Object.entries(object).flatMap(([name, value]) => {
    const below = ofValue(KindSchema.fieldOf(schema, name), value)
    // A field that the schema does not declare exists only because a client set it.
    const fields = KindSchema.declares(schema, name) ? below : { ...below, self: true }
    return isEmpty(fields) ? [] : [[`f:${name}`, fields] as const]
  })
  return { self: false, children: new Map(children) }
}

const ofValue = (schema: KindSchema.KindSchema, value: Json): FieldSet => {
  if (isObject(value)) {
    return KindSchema.isAtomic(schema) || Object.keys(value).length === 0 ? leaf : fromObject(schema, value)
  }
  return isArray(value) && KindSchema.forApply(schema)._tag !== "Atomic" ? ofItems(schema, value) : leaf
}

const ofItems = (schema: KindSchema.KindSchema, list: JsonArray): FieldSet => {
  const children = new Map<Step, FieldSet>()
  for (const item of list) {
    const step = itemStep(schema, item)
    // Items with the same identity count as one field.
    const single = isObject(item) && step.startsWith("k:") && !children.has(step)
    children.set(step, single ? { ...fromObject(KindSchema.itemOf(schema), item), self: true } : leaf)
  }
  return { self: false, children }
}

/** Step to an item of a list, by its keys or by its value. */
export const itemStep = (list: KindSchema.KindSchema, item: Json): Step => {
  const rule = KindSchema.forApply(list)
  if (rule._tag !== "Keyed" || !isObject(item)) return `v:${JSON.stringify(item)}`
  const keys = rule.keys.flatMap((key) => {
    const value = item[key] ?? KindSchema.keyDefault(list, key)
    return value === undefined ? [] : [[key, value] as const]
  })
  return stepOf(Object.fromEntries(keys))
}

const stepOf = (keys: JsonObject): Step =>
  `k:${JSON.stringify(Object.fromEntries(Object.entries(keys).toSorted(([left], [right]) => (left < right ? -1 : 1))))}`

/** Adds each declared parent of the set's fields: a manager of `spec.replicas` also manages `spec`. */
export const withNamed = (schema: KindSchema.KindSchema, set: FieldSet): FieldSet => ({
  self: set.self,
  children: new Map(
    [...set.children].map(([step, below]) => {
      const name = step.slice(2)
      if (!step.startsWith("f:")) return [step, withNamed(KindSchema.itemOf(schema), below)] as const
      const whole = withNamed(KindSchema.fieldOf(schema, name), below)
      return [step, KindSchema.declares(schema, name) ? { ...whole, self: true } : whole] as const
    })
  )
})

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

/** Paths of a set, in the order of its tree. */
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

/** Prints a path in the format of conflicts: `.spec.template.spec.containers[name="web"].image`. */
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
