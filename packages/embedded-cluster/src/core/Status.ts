/**
 * The answers of an API server that are no object: failures and successes, worded as the real server words them.
 */
import { Result } from "effect"
import type { Json, JsonObject } from "./Json.ts"

/** One field at fault. **Shape** `reason` and `message` are those of `details.causes`. */
export interface FieldError {
  readonly reason:
    | "FieldValueRequired"
    | "FieldValueNotFound"
    | "FieldValueInvalid"
    | "FieldValueDuplicate"
    | "FieldValueForbidden"
    | "FieldValueNotSupported"
    | "FieldValueTooLong"
    | "FieldValueTooMany"
    | "FieldValueTypeInvalid"
  readonly message: string
  readonly field: string
}

export interface Details {
  readonly name?: string
  readonly group?: string
  readonly kind?: string
  readonly uid?: string
  readonly causes?: ReadonlyArray<{ readonly reason?: string; readonly message: string; readonly field?: string }>
  readonly retryAfterSeconds?: number
}

/** A request that the server refuses. **Shape** `listContinue` is the token that an expired page offers instead. */
export interface Failure {
  readonly code: number
  readonly reason?: string
  readonly message: string
  readonly details?: Details
  readonly listContinue?: string
}

/** What a request comes to: a value, or the Status to refuse it with. */
export type Outcome<A> = Result.Result<A, Failure>

/** Whose object a message speaks of. **Shape** `group` is empty for the core group. */
export interface Named {
  readonly group: string
  readonly resource: string
  readonly kind: string
}

export const fail = (failure: Failure): Result.Result<never, Failure> => Result.fail(failure)

const qualified = (resource: string, group: string): string => (group === "" ? resource : `${resource}.${group}`)

const detailsOf = (name: string, group: string, kind: string): Details => ({
  ...(name === "" ? {} : { name }),
  ...(group === "" ? {} : { group }),
  ...(kind === "" ? {} : { kind })
})

export const notFound = (of: Named, name: string): Failure => ({
  code: 404,
  reason: "NotFound",
  message: `${qualified(of.resource, of.group)} "${name}" not found`,
  details: detailsOf(name, of.group, of.resource)
})

export const alreadyExists = (of: Named, name: string): Failure => ({
  code: 409,
  reason: "AlreadyExists",
  message: `${qualified(of.resource, of.group)} "${name}" already exists`,
  details: detailsOf(name, of.group, of.resource)
})

export const conflict = (of: Named, name: string, why: string, resource = of.resource): Failure => ({
  code: 409,
  reason: "Conflict",
  message: `Operation cannot be fulfilled on ${qualified(resource, of.group)} "${name}": ${why}`,
  details: detailsOf(name, of.group, resource)
})

export const modified = (of: Named, name: string): Failure =>
  conflict(of, name, "the object has been modified; please apply your changes to the latest version and try again")

/** A body whose name is not the one that the path addresses. */
export const misnamed = (given: string, addressed: string): Failure =>
  badRequest(
    given === ""
      ? `the name of the object (${addressed} based on URL) was undeterminable: name must be provided`
      : `the name of the object (${given}) does not match the name on the URL (${addressed})`
  )

/** A body whose namespace is not the one that the path addresses. */
export const misplaced: Failure = {
  code: 400,
  reason: "BadRequest",
  message: "the namespace of the provided object does not match the namespace sent on the request"
}

/** Joins several field errors as the real server does: one stands alone, more stand in brackets. */
export const invalid = (kind: string, group: string, name: string, errors: ReadonlyArray<FieldError>): Failure => {
  // What is found twice is a cause twice, and told once.
  const texts = [...new Set(errors.map((error) => `${error.field}: ${error.message}`))]
  const [only] = texts
  return {
    code: 422,
    reason: "Invalid",
    message: `${qualified(kind, group)} "${name}" is invalid: ${texts.length === 1 ? only : `[${texts.join(", ")}]`}`,
    details: { ...detailsOf(name, group, kind), causes: errors }
  }
}

export const invalidOptions = (kind: string, errors: ReadonlyArray<FieldError>): Failure =>
  invalid(kind, "meta.k8s.io", "", errors)

export const required = (field: string, detail = ""): FieldError => ({
  reason: "FieldValueRequired",
  message: detail === "" ? "Required value" : `Required value: ${detail}`,
  field
})

export const invalidValue = (field: string, value: Json | undefined, detail: string): FieldError => ({
  reason: "FieldValueInvalid",
  message: `Invalid value: ${JSON.stringify(value ?? null)}: ${detail}`,
  field
})

/** A value of another type than its field has. */
export const typeInvalid = (field: string, value: Json, detail: string): FieldError => ({
  ...invalidValue(field, value, detail),
  reason: "FieldValueTypeInvalid"
})

export const tooLong = (field: string, limit: number): FieldError => ({
  reason: "FieldValueTooLong",
  message: `Too long: may not be more than ${limit} ${limit === 1 ? "byte" : "bytes"}`,
  field
})

export const tooMany = (field: string, count: number, limit: number): FieldError => ({
  reason: "FieldValueTooMany",
  message: `Too many: ${count}: must have at most ${limit} ${limit === 1 ? "item" : "items"}`,
  field
})

/** A name that nothing in the object has. */
export const missing = (field: string, value: Json): FieldError => ({
  reason: "FieldValueNotFound",
  message: `Not found: ${JSON.stringify(value)}`,
  field
})

export const duplicate = (field: string, value: Json): FieldError => ({
  reason: "FieldValueDuplicate",
  message: `Duplicate value: ${JSON.stringify(value)}`,
  field
})

export const forbiddenValue = (field: string, detail: string): FieldError => ({
  reason: "FieldValueForbidden",
  message: `Forbidden: ${detail}`,
  field
})

export const unsupportedValue = (field: string, value: Json, supported: ReadonlyArray<string>): FieldError => ({
  reason: "FieldValueNotSupported",
  message: `Unsupported value: ${JSON.stringify(value)}: supported values: ${supported.map((one) => `"${one}"`).join(", ")}`,
  field
})

export const badRequest = (message: string): Failure => ({ code: 400, reason: "BadRequest", message })

export const forbidden = (message: string, details: Details): Failure => ({
  code: 403,
  reason: "Forbidden",
  message,
  details
})

export const unauthorized: Failure = { code: 401, reason: "Unauthorized", message: "Unauthorized" }

export const noSuchResource: Failure = {
  code: 404,
  reason: "NotFound",
  message: "the server could not find the requested resource",
  details: {}
}

export const methodNotAllowed: Failure = {
  code: 405,
  reason: "MethodNotAllowed",
  message: "the server does not allow this method on the requested resource",
  details: {}
}

/** A patch that parses but does not fit; the real server does not say why. */
export const unprocessable: Failure = {
  code: 422,
  reason: "Invalid",
  message: "the server rejected our request due to an error in our request",
  details: {}
}

export const tooLarge = (limitBytes: number): Failure => ({
  code: 413,
  reason: "RequestEntityTooLarge",
  message: `Request entity too large: limit is ${limitBytes}`
})

export const unsupportedMediaType = (message: string): Failure => ({
  code: 415,
  reason: "UnsupportedMediaType",
  message
})

/** A body in a format that nobody reads here. */
export const unsupportedFormat = (accepted: string): Failure =>
  unsupportedMediaType(`the body of the request was in an unknown format - accepted media types include: ${accepted}`)

/** A failure of the server's own. */
export const internal = (problem: string): Failure => ({
  code: 500,
  reason: "InternalError",
  message: `Internal error occurred: ${problem}`,
  details: { causes: [{ message: problem }] }
})

export const expired = (message: string, listContinue?: string): Failure => ({
  code: 410,
  reason: "Expired",
  message,
  ...(listContinue === undefined ? {} : { listContinue })
})

/** A version that this cluster has not reached yet. **Shape** `retry` tells when it is worth asking again. */
export const tooLargeVersion = (asked: number, current: number, retry = true): Failure => ({
  code: 504,
  reason: "Timeout",
  message: `Timeout: Too large resource version: ${asked}, current: ${current}`,
  details: {
    causes: [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }],
    ...(retry ? { retryAfterSeconds: 1 } : {})
  }
})

export const badVersion = (text: string): string =>
  `resourceVersion: Invalid value: ${JSON.stringify(text)}: strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`

/** The body of a failure. */
export const toJson = (failure: Failure): JsonObject => ({
  kind: "Status",
  apiVersion: "v1",
  metadata: failure.listContinue === undefined ? {} : { continue: failure.listContinue },
  status: "Failure",
  message: failure.message,
  ...(failure.reason === undefined ? {} : { reason: failure.reason }),
  ...(failure.details === undefined ? {} : { details: detailsJson(failure.details) }),
  code: failure.code
})

/** The body of a success that returns no object. */
export const success = (details?: Details, code?: number): JsonObject => ({
  kind: "Status",
  apiVersion: "v1",
  metadata: {},
  status: "Success",
  ...(details === undefined ? {} : { details: detailsJson(details) }),
  ...(code === undefined ? {} : { code })
})

const detailsJson = ({ causes, ...rest }: Details): JsonObject => ({
  ...rest,
  ...(causes === undefined ? {} : { causes: causes.map((cause) => ({ ...cause })) })
})
