/**
 * Validates custom objects against their definition.
 *
 * **Source** Kubernetes 1.36, `apiextensions-apiserver/pkg/registry/customresource`.
 */
import { at, isObject, type JsonObject, objectAt } from "../core/Json.ts"
import type { CustomKind } from "../core/Resource.ts"
import { type FieldError, invalidValue } from "../core/Status.ts"
import * as ListCheck from "../schemas/ListCheck.ts"
import * as SchemaCheck from "../schemas/SchemaCheck.ts"

/** Checks a new object. */
export const created = (custom: CustomKind, object: JsonObject): ReadonlyArray<FieldError> => [
  ...SchemaCheck.check(custom.schema, object),
  ...scaleErrors(custom, object, "spec"),
  ...scaleErrors(custom, object, "status"),
  ...ListCheck.check(custom.schema, object)
]

/** Checks a changed object. **Shape** a change of the status is checked against the schema of the status alone. */
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
  if (isBlocked(object, path)) return [invalidValue(field, undefined, "every parent of this field must be an object")]
  const replicas = at(object, ...path)
  if (replicas === undefined) return []
  return typeof replicas === "number" && replicas >= 0 && replicas <= MOST
    ? []
    : [invalidValue(field, replicas, `must be a whole number from 0 to ${MOST}`)]
}

/** Returns whether a parent of a field exists but is not an object. */
const isBlocked = (object: JsonObject, path: ReadonlyArray<string>): boolean =>
  path.slice(1).some((_, depth) => {
    const value = at(object, ...path.slice(0, depth + 1))
    return value !== undefined && !isObject(value)
  })
