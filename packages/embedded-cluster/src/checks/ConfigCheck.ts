/**
 * Validates ConfigMaps and Secrets as the real server does.
 *
 * **Source** Kubernetes 1.36, `pkg/apis/core/validation/validation.go`.
 */
import { Result } from "effect"
import { at, equals, type Json, type JsonObject, objectAt, parse, textAt } from "../core/Json.ts"
import { configKeyProblem } from "../core/Names.ts"
import { type FieldError, forbiddenValue, immutable, invalidValue, required, tooLong } from "../core/Status.ts"

/** Largest total size of an object's values, in bytes. */
const MAX_BYTES = 1_048_576

export const configMapErrors = (object: JsonObject): ReadonlyArray<FieldError> => {
  const [data, binary] = [objectAt(object, "data"), objectAt(object, "binaryData")]
  const size = sum(data, textBytes) + sum(binary, decodedBytes)
  return [
    ...keyErrors("data", data),
    ...Object.keys(data).flatMap((key) =>
      Object.hasOwn(binary, key) ? [invalidValue(`data[${key}]`, key, "must not be in binaryData as well")] : []
    ),
    ...keyErrors("binaryData", binary),
    ...(size > MAX_BYTES ? [tooLong("[]", MAX_BYTES)] : [])
  ]
}

/** Keys that each type of Secret requires. */
const NEEDED = new Map<string, ReadonlyArray<string>>([
  ["kubernetes.io/dockercfg", [".dockercfg"]],
  ["kubernetes.io/dockerconfigjson", [".dockerconfigjson"]],
  ["kubernetes.io/ssh-auth", ["ssh-privatekey"]],
  ["kubernetes.io/tls", ["tls.crt", "tls.key"]]
])
const ACCOUNT = "kubernetes.io/service-account.name"

export const secretErrors = (object: JsonObject): ReadonlyArray<FieldError> => {
  const data = objectAt(object, "data")
  return [
    ...keyErrors("data", data),
    ...(sum(data, decodedBytes) > MAX_BYTES ? [tooLong("data", MAX_BYTES)] : []),
    ...typeErrors(object, textAt(object, "type"), data)
  ]
}

const typeErrors = (object: JsonObject, type: string, data: JsonObject): ReadonlyArray<FieldError> => {
  if (type === "kubernetes.io/service-account-token") {
    return textAt(object, "metadata", "annotations", ACCOUNT) === ""
      ? [required(`metadata.annotations[${ACCOUNT}]`)]
      : []
  }
  if (type === "kubernetes.io/basic-auth") {
    const either = ["username", "password"].some((key) => Object.hasOwn(data, key))
    return either ? [] : [required("data[username]"), required("data[password]")]
  }
  const absent = (NEEDED.get(type) ?? []).filter((key) => !Object.hasOwn(data, key))
  if (absent.length > 0) return absent.map((key) => required(`data[${key}]`))
  const [json] = type.startsWith("kubernetes.io/docker") ? (NEEDED.get(type) ?? []) : []
  if (json === undefined) return []
  const text = Buffer.from(textAt(data, json), "base64").toString()
  if (Result.isSuccess(Result.try(() => parse(text)))) return []
  return [invalidValue(`data[${json}]`, undefined, "must be JSON")]
}

/** Checks a change. The type of a Secret is immutable. With `immutable: true`, so is all data of the object. */
export const changeErrors = (object: JsonObject, before: JsonObject): ReadonlyArray<FieldError> => {
  const type = textAt(object, "type")
  const typed = type === textAt(before, "type") ? [] : [immutable("type", type)]
  if (before["immutable"] !== true) return typed
  const forbidden = (field: string) =>
    forbiddenValue(field, "field is immutable, because the object has immutable: true")
  return [
    ...typed,
    ...(object["immutable"] === true ? [] : [forbidden("immutable")]),
    ...["data", "binaryData"].filter((name) => !equals(objectAt(object, name), objectAt(before, name))).map(forbidden)
  ]
}

const keyErrors = (field: string, data: JsonObject): ReadonlyArray<FieldError> =>
  Object.keys(data).flatMap((key) => {
    const problem = configKeyProblem(key)
    return problem === undefined ? [] : [invalidValue(`${field}[${key}]`, key, problem)]
  })

const sum = (data: JsonObject, bytes: (value: Json) => number): number =>
  Object.keys(data).reduce((total, key) => total + bytes(at(data, key) ?? ""), 0)

const textBytes = (value: Json): number => (typeof value === "string" ? Buffer.byteLength(value) : 0)

const decodedBytes = (value: Json): number => (typeof value === "string" ? Buffer.byteLength(value, "base64") : 0)
