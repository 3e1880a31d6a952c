/**
 * The object that the text of a request's body says, whatever its kind.
 */
import { Result } from "effect"
import { parse as parseYaml } from "yaml"
import { type ApiRequest, mediaType } from "./ApiRequest.ts"
import { checked, isArray, isObject, type Json, type JsonObject, parse } from "./Json.ts"
import { badRequest, type Outcome, unsupportedFormat } from "./Status.ts"
import { JSON_TYPE } from "./TextReply.ts"

const YAML = new Set(["application/yaml", "application/apply-patch+yaml"])

/** Reads the object that a request carries, whatever its kind. **Errors** 400, 415. */
export const bodyText = (request: ApiRequest, kind: string): Outcome<JsonObject> => {
  const type = mediaType(request)
  return type === "" || type === JSON_TYPE || YAML.has(type)
    ? decode(request.body, YAML.has(type), kind)
    : Result.fail(unsupportedFormat("application/json, application/yaml"))
}

/** Parses a text as JSON or YAML. **Errors** 400. */
export const decode = (body: string, yaml: boolean, kind: string): Outcome<JsonObject> =>
  Result.flatMap(parsed(body, yaml), (value) => {
    if (isObject(value)) return Result.succeed(value)
    return Result.fail(unrecognized(kind, `json: cannot unmarshal ${typeName(value)} into an object`))
  }).pipe(
    Result.mapError((failure) => (failure.reason === "ParseError" ? unrecognized(kind, failure.message) : failure))
  )

/** Parses a text; the failure carries the parser's words. */
export const parsed = (body: string, yaml = false): Outcome<Json> =>
  Result.try({
    try: (): Json => (yaml ? checked(parseYaml(body, { schema: "core", maxAliasCount: 0 })) : parse(body)),
    catch: (cause) => ({ code: 400, reason: "ParseError", message: cause instanceof Error ? cause.message : "no JSON" })
  })

const unrecognized = (kind: string, problem: string) =>
  badRequest(
    `the object provided is unrecognized (must be of type ${kind}): couldn't get version/kind; json parse error: ${problem}`
  )

const typeName = (value: Json | undefined): string => {
  if (isArray(value)) return "array"
  if (isObject(value)) return "object"
  return value === null ? "null" : typeof value === "boolean" ? "bool" : typeof value
}
