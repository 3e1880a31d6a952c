/**
 * Decodes objects that clients send: drops unknown fields, and refuses or reports them as the client asks.
 *
 * **Source** Kubernetes, "API concepts: Field validation".
 */
import { Result } from "effect"
import { isObject, type JsonObject, withoutNulls } from "../core/Json.ts"
import { apiVersionOf, type Resource } from "../core/Resource.ts"
import {
  badRequest,
  type Failure,
  type FieldError,
  invalid,
  invalidValue,
  type Outcome,
  unsupportedValue
} from "../core/Status.ts"
import * as AppliedLists from "../patches/AppliedLists.ts"
import * as Conversion from "../schemas/Conversion.ts"
import * as FieldForms from "../schemas/FieldForms.ts"
import * as FieldTypes from "../schemas/FieldTypes.ts"
import * as KindSchema from "../schemas/KindSchema.ts"
import * as Structural from "../schemas/Structural.ts"

/**
 * Treatment of unknown fields: `Strict` refuses the object, `Warn` drops them with a warning, `Ignore` drops them
 * silently.
 */
export type FieldValidation = "Strict" | "Warn" | "Ignore"

const ALL: ReadonlyArray<FieldValidation> = ["Ignore", "Strict", "Warn"]

/** Parses the value of `fieldValidation`. Returns `undefined` for an unknown value. */
export const fieldValidation = (word: string): FieldValidation | undefined =>
  word === "" ? "Warn" : ALL.find((one) => one === word)

export const unknownFieldValidation = (word: string): FieldError =>
  unsupportedValue("fieldValidation", word, ["", ...ALL])

/** Field validation of a request, and where its warnings go. */
export interface Reading {
  readonly fields: FieldValidation
  readonly warn: (text: string) => void
}

/**
 * Decodes an object of a resource.
 *
 * **Shape** without `reading` the object comes from the server itself; only the schema of a custom kind applies then.
 *
 * **Errors** 400 for unknown fields if the validation is strict.
 *
 * **Limits** linear in the object. Built-in kinds are decoded by their published schemas.
 */
export const decode = (resource: Resource, object: JsonObject, reading?: Reading): Outcome<JsonObject> => {
  const { custom } = resource
  if (custom === undefined) {
    if (reading === undefined) return Result.succeed(withoutNulls(object))
    const { object: known, unknown } = Structural.prunePublished(KindSchema.ofResource(resource) ?? {}, object)
    return Result.map(checkUnknown(resource, unknown, reading), () =>
      FieldForms.canonical(apiVersionOf(resource), resource.kind, withoutNulls(known))
    )
  }
  const { object: known, unknown } = Structural.prune(custom.schema, object)
  return Result.map(checkUnknown(resource, unknown, reading), () => Conversion.complete(custom.schema, known))
}

const checkUnknown = (
  resource: Resource,
  unknown: ReadonlyArray<string>,
  reading: Reading | undefined
): Outcome<void> => {
  if (unknown.length === 0 || reading === undefined || reading.fields === "Ignore") return Result.succeed(undefined)
  const problems = unknown.map((path) => `unknown field ${JSON.stringify(path)}`)
  if (reading.fields === "Warn") {
    for (const problem of problems) reading.warn(problem)
    return Result.succeed(undefined)
  }
  // Policy controllers look for "strict decoding error" before they report an invalid object.
  return Result.fail(
    badRequest(`the body is not a valid ${resource.kind}: strict decoding error: ${problems.join(", ")}`)
  )
}

/**
 * Decodes the result of a patch.
 *
 * **Errors** 422 for a value of the wrong type, and for unknown fields if the validation is strict.
 */
export const decodePatched = (resource: Resource, object: JsonObject, reading: Reading): Outcome<JsonObject> => {
  const refused = (problem: string) => invalid("", "", "", [invalidValue("patch", undefined, problem)])
  const problem =
    resource.custom === undefined
      ? FieldTypes.problem(apiVersionOf(resource), resource.kind, object)
      : FieldTypes.problemOfMetadata(object)
  return problem === undefined
    ? Result.mapError(decode(resource, object, reading), ({ message }) => refused(message))
    : Result.fail(refused(problem))
}

/**
 * Checks that an applied configuration has only fields that its kind declares.
 *
 * **Errors** 500, as on the real server, for undeclared fields, wrong types and list items with the same identity.
 */
export const declared = (resource: Resource, intent: JsonObject): Outcome<JsonObject> => {
  const { custom } = resource
  const { unknown } =
    custom === undefined
      ? Structural.prunePublished(KindSchema.ofResource(resource) ?? {}, intent)
      : Structural.prune(custom.schema, intent)
  const mistyped =
    custom === undefined ? FieldTypes.problemOfIntent(apiVersionOf(resource), resource.kind, intent) : undefined
  const problems = [
    ...unknown.map((path) => `unknown field ${JSON.stringify(path)}`),
    ...AppliedLists.problems(KindSchema.ofResource(resource), intent),
    ...(mistyped === undefined ? [] : [mistyped])
  ]
  return problems.length === 0
    ? Result.succeed(intent)
    : Result.fail<Failure>({
        code: 500,
        message: `the applied configuration is not a valid ${resource.kind}: ${problems.join("; ")}`
      })
}

/**
 * Decodes the result of an apply. **Shape** as on the real server, nulls stay in objects of a custom kind, and the
 * schema then refuses them; this includes lists and maps that the apply emptied.
 */
export const applied = (resource: Resource, object: JsonObject): JsonObject => {
  const { custom } = resource
  if (custom === undefined) return FieldForms.canonical(apiVersionOf(resource), resource.kind, withoutNulls(object))
  const { metadata, ...rest } = object
  const filled = Structural.withDefaults(custom.schema, rest)
  return {
    ...(isObject(metadata) ? { metadata: withoutNulls(metadata) } : {}),
    ...(isObject(filled) ? filled : {})
  }
}
