/**
 * Refuses objects of custom kinds that their definitions do not allow.
 *
 * **Source** Kubernetes 1.36, `apiextensions-apiserver/pkg/registry/customresource`.
 */
import { arrayAt, at, isArray, isObject, type Json, type JsonObject, objectAt } from "../core/Json.ts"
import type { CustomKind } from "../core/Resource.ts"
import { type FieldError, invalidValue } from "../core/Status.ts"
import * as ListCheck from "../schemas/ListCheck.ts"
import * as SchemaCheck from "../schemas/SchemaCheck.ts"

/** Finds what is wrong with a new object. */
export const created = (custom: CustomKind, object: JsonObject): ReadonlyArray<FieldError> => [
  ...SchemaCheck.check(custom.schema, object),
  ...scaleErrors(custom, object, "spec"),
  ...scaleErrors(custom, object, "status"),
  ...ListCheck.check(custom.schema, object)
]

/** Finds what is wrong with a change. **Shape** a change of the status is judged by the status alone. */
export const updated = (
  custom: CustomKind,
  object: JsonObject,
  before: JsonObject,
  part: "main" | "status" | "finalize"
): ReadonlyArray<FieldError> => [
  ...(part === "status"
    ? statusErrors(custom, object, before)
    : [...SchemaCheck.check(custom.schema, object, { before }), ...scaleErrors(custom, object, "spec")]),
  ...scaleErrors(custom, object, "status"),
  ...(ListCheck.check(custom.schema, before).length > 0 ? [] : ListCheck.check(custom.schema, object))
]

const statusErrors = (custom: CustomKind, object: JsonObject, before: JsonObject): ReadonlyArray<FieldError> => {
  const { status } = object
  const schema = objectAt(custom.schema, "properties", "status")
  return status === undefined ? [] : SchemaCheck.check(schema, status, { before: before["status"], prefix: "status" })
}

const MOST = 2 ** 31 - 1

const scaleErrors = ({ scale }: CustomKind, object: JsonObject, part: "spec" | "status"): ReadonlyArray<FieldError> => {
  const path = scale?.[part]
  if (path === undefined) return []
  const field = `.${path.join(".")}`
  const stop = blockedAt(object, path)
  if (stop !== undefined) {
    const [value, type] = stop
    return [
      invalidValue(
        field,
        0,
        `${field} accessor error: ${value} is of the type ${type}, expected map[string]interface{}`
      )
    ]
  }
  const replicas = at(object, ...path)
  if (replicas === undefined) return []
  if (typeof replicas !== "number") {
    const [value, type] = goValue(replicas)
    return [invalidValue(field, 0, `${field} accessor error: ${value} is of the type ${type}, expected int64`)]
  }
  if (replicas < 0) return [invalidValue(field, replicas, "should be a non-negative integer")]
  return replicas > MOST ? [invalidValue(field, replicas, `should be less than or equal to ${MOST}`)] : []
}

/** The value on the way to a field that is no object, as Go prints it. */
const blockedAt = (object: JsonObject, path: ReadonlyArray<string>): readonly [string, string] | undefined => {
  for (let depth = 1; depth < path.length; depth++) {
    const value = at(object, ...path.slice(0, depth))
    if (value === undefined) return undefined
    if (!isObject(value)) return goValue(value)
  }
  return undefined
}

const goValue = (value: Json): readonly [string, string] => {
  if (isArray(value)) return [`[${arrayAt({ value }, "value").map(String).join(" ")}]`, "[]interface {}"]
  if (isObject(value)) return [JSON.stringify(value), "map[string]interface {}"]
  if (value === null) return ["<nil>", "<nil>"]
  const types = { string: "string", boolean: "bool", number: Number.isInteger(value) ? "int64" : "float64" }
  return [
    String(value),
    typeof value === "string" ? types.string : typeof value === "boolean" ? types.boolean : types.number
  ]
}
