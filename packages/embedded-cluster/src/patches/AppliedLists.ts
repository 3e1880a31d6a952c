/**
 * Refuses lists in an applied configuration whose items have no distinct identity.
 *
 * **Source** Kubernetes, `sigs.k8s.io/structured-merge-diff`: `typed/validate.go` and `typed/helpers.go`.
 */
import { isArray, isObject, type Json, type JsonArray, type JsonObject } from "../core/Json.ts"
import * as KindSchema from "../schemas/KindSchema.ts"
import { type FieldPath, itemStep, print, type Step } from "./FieldSet.ts"

/** Problems of the lists in an applied configuration: `.spec.ports has [port=80,protocol="TCP"] twice`. */
export const problems = (schema: KindSchema.KindSchema, intent: JsonObject): ReadonlyArray<string> =>
  inObject(schema, intent, [])

const inObject = (schema: KindSchema.KindSchema, object: JsonObject, path: FieldPath): ReadonlyArray<string> =>
  Object.entries(object).flatMap(([name, value]) =>
    inValue(KindSchema.fieldOf(schema, name), value, [...path, `f:${name}`])
  )

const inValue = (schema: KindSchema.KindSchema, value: Json, path: FieldPath): ReadonlyArray<string> => {
  if (isObject(value)) return inObject(schema, value, path)
  if (!isArray(value)) return []
  const rule = KindSchema.forApply(schema)
  if (rule._tag !== "Atomic") return inItems(schema, rule, value, path)
  // Items of an atomic list are identified by their index.
  const place = print(path)
  return value.flatMap((item, index) =>
    inValue(KindSchema.itemOf(schema), item, []).map((problem) => `${place}[${index}]${problem}`)
  )
}

const inItems = (
  schema: KindSchema.KindSchema,
  rule: Exclude<KindSchema.ListRule, { readonly _tag: "Atomic" }>,
  list: JsonArray,
  path: FieldPath
): ReadonlyArray<string> => {
  const found: Array<string> = []
  const steps = new Set<Step>()
  for (const [index, item] of list.entries()) {
    const problem = rule._tag === "Keyed" ? keyProblem(schema, rule.keys, item) : memberProblem(item)
    if (problem !== undefined) return [...found, `${print(path)}[${index}] ${problem}`]
    const step = itemStep(schema, item)
    if (steps.has(step)) found.push(`${print(path)} has ${print([step])} twice`)
    steps.add(step)
    found.push(...inValue(KindSchema.itemOf(schema), item, [...path, step]))
  }
  return found
}

const keyProblem = (list: KindSchema.KindSchema, keys: ReadonlyArray<string>, item: Json): string | undefined =>
  isObject(item) && keys.some((key) => Object.hasOwn(item, key) || KindSchema.keyDefault(list, key) !== undefined)
    ? undefined
    : `must be an object with ${keys.join(" or ")}`

const memberProblem = (item: Json): string | undefined =>
  typeof item === "object" ? "must be a string, a number or a boolean" : undefined
