/**
 * Reads what a client sent as an object of its kind: fields that the kind does not have are dropped, and whoever wants
 * to hear of them is told.
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

/** What becomes of fields that a kind does not have: refused, told of in a warning, or dropped in silence. */
export type FieldValidation = "Strict" | "Warn" | "Ignore"

const ALL: ReadonlyArray<FieldValidation> = ["Ignore", "Strict", "Warn"]

/** Reads the word of a query; `undefined` for one that nobody knows. */
export const fieldValidation = (word: string): FieldValidation | undefined =>
  word === "" ? "Warn" : ALL.find((one) => one === word)

export const unknownFieldValidation = (word: string): FieldError =>
  unsupportedValue("fieldValidation", word, ["", ...ALL])

/** How a client wants its fields read, and how it hears of what is dropped. */
export interface Reading {
  readonly fields: FieldValidation
  readonly warn: (text: string) => void
}

/**
 * Reads an object of a resource.
 *
 * **Shape** without `reading` an object comes from the server itself, and only a custom kind's schema is applied.
 *
 * **Errors** 400 when fields are unknown and the client is strict.
 *
 * **Limits** linear in the object; kinds that are built in are read by their published schemas.
 */
export const decode = (resource: Resource, object: JsonObject, reading?: Reading): Outcome<JsonObject> => {
  const { custom } = resource
  if (custom === undefined) {
    if (reading === undefined) return Result.succeed(withoutNulls(object))
    const { object: known, unknown } = Structural.prunePublished(KindSchema.ofResource(resource) ?? {}, object)
    return Result.map(judge(resource, unknown, reading), () =>
      FieldForms.canonical(apiVersionOf(resource), resource.kind, withoutNulls(known))
    )
  }
  const { object: known, unknown } = Structural.prune(custom.schema, object)
  return Result.map(judge(resource, unknown, reading), () => Conversion.complete(custom.schema, known))
}

const judge = (resource: Resource, unknown: ReadonlyArray<string>, reading: Reading | undefined): Outcome<void> => {
  if (unknown.length === 0 || reading === undefined || reading.fields === "Ignore") return Result.succeed(undefined)
  const problems = unknown.map((path) => `unknown field ${JSON.stringify(path)}`)
  if (reading.fields === "Warn") {
    for (const problem of problems) reading.warn(problem)
    return Result.succeed(undefined)
  }
  // Policy controllers look for "strict decoding error" before they call an object wrong.
  return Result.fail(badRequest(`the body is no ${resource.kind}: strict decoding error: ${problems.join(", ")}`))
}

/**
 * Reads what a patch has made of an object.
 *
 * **Errors** 422 when a value has another type than its field, and when fields are unknown and the client is strict.
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
 * Checks that an intent has only what its kind declares.
 *
 * **Errors** 500, as the real server answers an intent with fields or types of fields that its kind does not have, or
 * with items of a list that share their identity.
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
    : Result.fail<Failure>({ code: 500, message: `the intent is no ${resource.kind}: ${problems.join("; ")}` })
}

/**
 * Reads what an apply has made of an object. **Shape** nulls stay in objects of a custom kind, whose schema then refuses
 * them: so it is with the real server, also where the apply took the last thing out of a list or a map.
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
