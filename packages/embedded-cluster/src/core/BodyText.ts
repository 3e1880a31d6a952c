/**
 * Parses request bodies, JSON or YAML, whatever their kind.
 */
import { Result } from "effect"
import { parse as parseYaml } from "yaml"
import { type ApiRequest, mediaType } from "./ApiRequest.ts"
import { checked, isObject, type Json, type JsonObject, parse } from "./Json.ts"
import { badRequest, type Outcome, unsupportedFormat } from "./Status.ts"
import { JSON_TYPE } from "./TextReply.ts"

const YAML = new Set(["application/yaml", "application/apply-patch+yaml"])

/** Parses the object in a request's body, in the format that its Content-Type names. **Errors** 400, 415. */
export const bodyText = (request: ApiRequest, kind: string): Outcome<JsonObject> => {
  const type = mediaType(request)
  return type === "" || type === JSON_TYPE || YAML.has(type)
    ? decode(request.body, YAML.has(type), kind)
    : Result.fail(unsupportedFormat("application/json, application/yaml"))
}

/** Parses a text as a JSON or YAML object. **Errors** 400. */
export const decode = (body: string, yaml: boolean, kind: string): Outcome<JsonObject> => {
  const value = parsed(body, yaml)
  if (Result.isFailure(value)) return Result.fail(badRequest(`the body is not a valid ${kind}: ${value.failure}`))
  return isObject(value.success)
    ? Result.succeed(value.success)
    : Result.fail(badRequest(`the body is not a valid ${kind}: it must be an object`))
}

/** Parses a text as JSON or YAML. The failure is the parser's own message. */
export const parsed = (body: string, yaml = false): Result.Result<Json, string> =>
  Result.try({
    try: (): Json => (yaml ? checked(parseYaml(body, { schema: "core", maxAliasCount: 0 })) : parse(body)),
    catch: (cause) => (cause instanceof Error ? cause.message : "the text cannot be parsed")
  })
