/**
 * Status replies: failures, and successes without an object.
 *
 * Code, reason and the causes with their fields equal those of the real server, because programs act on them. The
 * messages are this server's own, except a few that programs are known to read; their docs name those programs.
 */
import { Result } from "effect"
import type { Json, JsonObject } from "./Json.ts"

/** Words for each reason of `details.causes` in a message. */
const FAULTS = {
  FieldValueRequired: "required value",
  FieldValueNotFound: "not found",
  FieldValueInvalid: "invalid value",
  FieldValueDuplicate: "duplicate value",
  FieldValueForbidden: "forbidden",
  FieldValueNotSupported: "unsupported value",
  FieldValueTooLong: "too long",
  FieldValueTooMany: "too many",
  FieldValueTypeInvalid: "wrong type"
}

/** One invalid field. **Shape** `value` is its current value, `rule` the values it may have. */
export interface FieldError {
  readonly reason: keyof typeof FAULTS
  readonly field: string
  readonly value?: Json | undefined
  readonly rule?: string | undefined
}

/** Longest part of a value that a message repeats, in characters. */
const SHOWN = 200

/** Prints the problem of a field: `invalid value -1: must be at least 0`. */
export const sentence = ({ reason, rule, value }: FieldError): string => {
  const text = value === undefined ? "" : JSON.stringify(value)
  const shown = text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text
  return `${FAULTS[reason]}${shown === "" ? "" : ` ${shown}`}${rule === undefined ? "" : `: ${rule}`}`
}

export interface Details {
  readonly name?: string
  readonly group?: string
  readonly kind?: string
  readonly uid?: string
  readonly causes?: ReadonlyArray<{ readonly reason?: string; readonly message: string; readonly field?: string }>
  readonly retryAfterSeconds?: number
}

/** A refused request. **Shape** `listContinue` is the token with which a client can continue an expired list. */
export interface Failure {
  readonly code: number
  readonly reason?: string
  readonly message: string
  readonly details?: Details
  readonly listContinue?: string
}

/** Outcome of a request: a value, or the Status to refuse it with. */
export type Outcome<A> = Result.Result<A, Failure>

/** The resource that a message names. **Shape** `group` is empty for the core group. */
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

/**
 * Refuses a request for an object that does not exist.
 *
 * Tools that parse the output of kubectl or Helm look for "not found" and "already exists".
 */
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

/**
 * Refuses a write to an outdated version of an object.
 *
 * Many operators look for this message, rather than the reason, before they retry.
 */
export const modified = (of: Named, name: string): Failure =>
  conflict(of, name, "the object has been modified; please apply your changes to the latest version and try again")

/** Refuses a body whose name differs from the name in the URL. */
export const misnamed = (given: string, addressed: string): Failure =>
  badRequest(`metadata.name ${JSON.stringify(given)} is not the name in the URL, ${JSON.stringify(addressed)}`)

/** Refuses a body whose namespace differs from the namespace in the URL. */
export const misplaced: Failure = {
  code: 400,
  reason: "BadRequest",
  message: "metadata.namespace is not the namespace in the URL"
}

/**
 * Refuses an object for its invalid fields. **Shape** every problem has a cause of its own, but the message mentions a
 * repeated problem once.
 */
export const invalid = (kind: string, group: string, name: string, errors: ReadonlyArray<FieldError>): Failure => {
  const causes = errors.map((error) => ({ reason: error.reason, message: sentence(error), field: error.field }))
  const sentences = new Set(causes.map(({ field, message }) => `${field}: ${message}`))
  return {
    code: 422,
    reason: "Invalid",
    message: `${qualified(kind, group)} "${name}" is invalid: ${[...sentences].join("; ")}`,
    details: { ...detailsOf(name, group, kind), causes }
  }
}

export const invalidOptions = (kind: string, errors: ReadonlyArray<FieldError>): Failure =>
  invalid(kind, "meta.k8s.io", "", errors)

export const required = (field: string, rule?: string): FieldError => ({ reason: "FieldValueRequired", field, rule })

export const invalidValue = (field: string, value: Json | undefined, rule: string): FieldError => ({
  reason: "FieldValueInvalid",
  field,
  value,
  rule
})

/** Refuses a change to an immutable field. Operators look for these words before they delete and recreate an object. */
export const immutable = (field: string, value: Json | undefined): FieldError =>
  invalidValue(field, value, "field is immutable")

/** Refuses a value of the wrong type. */
export const typeInvalid = (field: string, value: Json, rule: string): FieldError => ({
  reason: "FieldValueTypeInvalid",
  field,
  value,
  rule
})

export const tooLong = (field: string, limitBytes: number): FieldError => ({
  reason: "FieldValueTooLong",
  field,
  rule: `must have at most ${limitBytes} bytes`
})

export const tooMany = (field: string, count: number, limit: number): FieldError => ({
  reason: "FieldValueTooMany",
  field,
  value: count,
  rule: `must be at most ${limit}`
})

/** Refuses a reference to a name that the object does not contain. */
export const missing = (field: string, value: Json): FieldError => ({ reason: "FieldValueNotFound", field, value })

export const duplicate = (field: string, value: Json): FieldError => ({ reason: "FieldValueDuplicate", field, value })

export const forbiddenValue = (field: string, rule: string): FieldError => ({
  reason: "FieldValueForbidden",
  field,
  rule
})

export const unsupportedValue = (field: string, value: Json, supported: ReadonlyArray<string>): FieldError => ({
  reason: "FieldValueNotSupported",
  field,
  value,
  rule: `must be one of ${supported.map((one) => JSON.stringify(one)).join(", ")}`
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

/** Refuses a valid patch that cannot be applied to the object. */
export const unprocessable: Failure = {
  code: 422,
  reason: "Invalid",
  message: "the patch does not fit the object",
  details: {}
}

export const tooLarge = (limitBytes: number): Failure => ({
  code: 413,
  reason: "RequestEntityTooLarge",
  message: `the body has more than ${limitBytes} bytes`
})

export const unsupportedMediaType = (message: string): Failure => ({
  code: 415,
  reason: "UnsupportedMediaType",
  message
})

/** Refuses a body in an unsupported format. */
export const unsupportedFormat = (accepted: string): Failure =>
  unsupportedMediaType(`Content-Type must be one of ${accepted}`)

/** Reports a failure inside the server. */
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

/**
 * Refuses a read at a resource version that this cluster has not reached yet.
 *
 * **Shape** with `retry` the client may ask again after a second. Clients made with client-go before 1.19 read the
 * cause's message.
 */
export const tooLargeVersion = (requested: number, current: number, retry = true): Failure => ({
  code: 504,
  reason: "Timeout",
  message: `Too large resource version: ${requested}, current: ${current}`,
  details: {
    causes: [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }],
    ...(retry ? { retryAfterSeconds: 1 } : {})
  }
})

/** Problem of a resource version that is not a number. */
export const badVersion = (text: string): string =>
  `resourceVersion must be a whole number, not ${JSON.stringify(text)}`

/** Body of a failure. */
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

/** Body of a success without an object. */
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
