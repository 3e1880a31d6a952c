/**
 * A request as the handlers see it, and what they answer.
 *
 * @since 0.1.0
 */
import { Result } from "effect"
import { parse as parseYaml } from "yaml"
import type { AggregatedApi } from "../core/AggregatedApis.ts"
import type { User } from "../access/Authentication.ts"
import type { Authorize } from "../access/Authorization.ts"
import * as CustomBody from "../customkinds/CustomBody.ts"
import * as Decoding from "../writes/Decoding.ts"
import * as FieldManager from "../patches/FieldManager.ts"
import * as FieldTypes from "../schemas/FieldTypes.ts"
import { checked, isArray, isObject, type Json, type JsonObject, objectAt, parse, textAt } from "../core/Json.ts"
import { mediaRanges, type Renderer } from "../forms/Representation.ts"
import type { WatchQuery } from "../reads/Query.ts"
import type { ResourceRequest } from "../core/RequestInfo.ts"
import { apiVersionOf, type Resource } from "../core/Resource.ts"
import {
  badRequest,
  type FieldError,
  invalidOptions,
  misplaced,
  type Outcome,
  unsupportedFormat,
  unsupportedValue
} from "../core/Status.ts"
import type { WriteOptions } from "../writes/Writes.ts"
import { steps, type Steps } from "../core/Steps.ts"

/** **Shape** `body` is the whole text, empty when there is none. */
export interface ApiRequest {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly accept: string | undefined
  readonly contentType: string
  readonly userAgent: string
  readonly body: string
  readonly user: User
  /** Tells the client something beside the answer. */
  readonly warn: (text: string) => void
}

/** A request for objects of a resource that is served. */
export interface ResourceCall {
  readonly request: ApiRequest
  /** Says what else its user may do. */
  readonly authorize: Authorize
  readonly info: ResourceRequest
  readonly resource: Resource
}

/** **Shape** `Pieces` is written piece by piece, `Watch` goes on until its time is up, `Forward` is another server's to answer. */
export type Reply = Body & Beside

/** What the client is told beside the answer. */
export interface Beside {
  readonly warnings?: ReadonlyArray<string>
  /** When it is worth asking again. */
  readonly retryAfterSeconds?: number
}

type Body =
  | { readonly _tag: "Text"; readonly status: number; readonly contentType: string; readonly body: string }
  | { readonly _tag: "Pieces"; readonly status: number; readonly pieces: Iterable<string> }
  | { readonly _tag: "Forward"; readonly api: AggregatedApi; readonly request: ApiRequest }
  | { readonly _tag: "Watch"; readonly renderer: Renderer; readonly namespace: string; readonly query: WatchQuery }

export const JSON_TYPE = "application/json"

export const json = (body: JsonObject, status = 200): Reply => ({
  _tag: "Text",
  status,
  contentType: JSON_TYPE,
  body: JSON.stringify(body)
})

export const text = (body: string, status = 200): Reply => ({
  _tag: "Text",
  status,
  contentType: "text/plain; charset=utf-8",
  body
})

/** The media type of a request's body, without its parameters. */
export const mediaType = (request: ApiRequest): string => mediaRanges(request.contentType)[0]?.type ?? ""

const YAML = new Set(["application/yaml", "application/apply-patch+yaml"])

/**
 * Reads the object that a request carries.
 *
 * **Errors** 415 for anything but JSON and YAML, protobuf included; 400 for a text that is no object of the kind.
 */
export const bodyObject = steps(function* (request: ApiRequest, kind: string, groupVersion: string): Steps<JsonObject> {
  const body = yield* bodyText(request, kind)
  const given = textAt(body, "kind")
  const version = textAt(body, "apiVersion")
  if ((given !== "" && given !== kind) || (version !== "" && version !== groupVersion)) {
    const name = given === "" ? kind : given
    const asked = version === "" ? groupVersion : version
    return yield* Result.fail(
      badRequest(
        `${name} in version ${JSON.stringify(asked)} cannot be handled as a ${kind}: no kind ${JSON.stringify(name)} is registered `
          + `for version ${JSON.stringify(asked)} in scheme "pkg/runtime/scheme.go:111"`
      )
    )
  }
  const problem = FieldTypes.decoding(groupVersion, kind, body)
  if (problem !== undefined) {
    const own = JSON.stringify(groupVersion.slice(groupVersion.indexOf("/") + 1))
    return yield* Result.fail(badRequest(`${kind} in version ${own} cannot be handled as a ${kind}: ${problem}`))
  }
  return body
})

export const resourceBody = ({ request, resource }: ResourceCall): Outcome<JsonObject> =>
  resource.custom === undefined
    ? bodyObject(request, resource.kind, apiVersionOf(resource))
    : Result.flatMap(bodyText(request, resource.kind), (body) => CustomBody.read(resource, body, request.body))

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

/** Who writes: the field manager that the request names, else the program that sent it. */
const managerOf = (request: ApiRequest): string =>
  request.query.get("fieldManager") || request.userAgent.split("/")[0] || "unknown"

/**
 * Reads the options that all writes have.
 *
 * **Errors** 422 for a field manager that is no name, for a dry run that is not `All`, and for another word than those by
 * which fields are validated.
 */
export const writeOptions = (
  request: ApiRequest,
  kind: string
): Outcome<WriteOptions & { readonly reading: Decoding.Reading }> => {
  const { query, warn } = request
  const stages = query.getAll("dryRun")
  const word = query.get("fieldValidation") ?? ""
  const fields = Decoding.fieldValidation(word)
  const errors = [...FieldManager.errors(query.get("fieldManager") ?? ""), ...stageErrors(stages)]
  if (fields === undefined || errors.length > 0) {
    const unknown = fields === undefined ? [Decoding.unknownFieldValidation(word)] : []
    return Result.fail(invalidOptions(kind, [...errors, ...unknown]))
  }
  return Result.succeed({ manager: managerOf(request), dryRun: stages.length > 0, reading: { fields, warn } })
}

/** What is wrong with the stages of a dry run. */
export const stageErrors = (stages: ReadonlyArray<string>): ReadonlyArray<FieldError> =>
  stages.every((stage) => stage === "All") ? [] : [unsupportedValue("dryRun", [...stages], ["All"])]

/** The name and namespace that a body gives itself must be those of the path. **Errors** 400. */
export const placed = (object: JsonObject, call: ResourceCall): Outcome<JsonObject> => {
  const namespace = textAt(objectAt(object, "metadata"), "namespace")
  return namespace !== "" && call.resource.namespaced && namespace !== call.info.namespace
    ? Result.fail(misplaced)
    : Result.succeed(object)
}
