/**
 * Reads the four kinds of patch that a request can carry.
 */
import { Result } from "effect"
import { type ApiRequest, mediaType } from "../core/ApiRequest.ts"
import { decode, parsed } from "../core/BodyText.ts"
import { isObject, type Json, type JsonObject, textAt } from "../core/Json.ts"
import { flag } from "../core/QueryValue.ts"
import {
  badRequest,
  type FieldError,
  forbiddenValue,
  invalidOptions,
  type Outcome,
  required,
  unsupportedFormat
} from "../core/Status.ts"
import { steps, type Steps } from "../core/Steps.ts"
import type { KindSchema } from "../schemas/KindSchema.ts"
import * as JsonPatch from "./JsonPatch.ts"
import * as StrategicMerge from "./StrategicMerge.ts"

/** A parsed patch: an apply carries a whole configuration, every other patch changes the current object. */
export type Patch =
  | { readonly _tag: "Apply"; readonly intent: JsonObject; readonly force: boolean }
  | { readonly _tag: "Change"; readonly change: (current: JsonObject) => Outcome<JsonObject> }

/**
 * Kind of the patched object. **Shape** `schema` has the merge rules of strategic merge patches, which custom kinds
 * do not support.
 */
export interface PatchTarget {
  readonly kind: string
  readonly groupVersion: string
  readonly schema: KindSchema
  readonly isCustom: boolean
}

/**
 * Reads the patch in a request's body.
 *
 * **Errors** 415 for an unsupported media type, 422 for options that do not fit the media type, 400 for an invalid
 * applied configuration. An invalid body of another patch is reported by `change`, because the real server first
 * reports that the object does not exist.
 */
export const read = steps(function* (request: ApiRequest, target: PatchTarget): Steps<Patch> {
  const { groupVersion, isCustom, kind, schema } = target
  const type = mediaType(request)
  if (isCustom && !CUSTOM.has(type)) return yield* Result.fail(unsupportedFormat([...CUSTOM].join(", ")))
  const errors = optionErrors(request, type === APPLY)
  if (errors.length > 0) return yield* Result.fail(invalidOptions("PatchOptions", errors))
  switch (type) {
    case "application/json-patch+json": {
      const patch = Result.flatMap(json(request), JsonPatch.fromJson)
      return {
        _tag: "Change",
        change: (current) =>
          patch.pipe(
            Result.flatMap((operations) => JsonPatch.apply(current, operations)),
            Result.flatMap(object)
          )
      }
    }
    case "application/merge-patch+json": {
      const patch = Result.flatMap(json(request), object)
      return {
        _tag: "Change",
        change: (current) => Result.flatMap(patch, (merged) => object(merge(current, merged)))
      }
    }
    case STRATEGIC: {
      const patch = Result.flatMap(json(request), object)
      return {
        _tag: "Change",
        change: (current) => Result.flatMap(patch, (merged) => StrategicMerge.apply(current, merged, schema))
      }
    }
    case APPLY:
      return {
        _tag: "Apply",
        intent: yield* intentOf(request, kind, groupVersion),
        force: flag(request.query, "force") === true
      }
    default:
      return yield* Result.fail({ ...unsupportedFormat([...CUSTOM, STRATEGIC].join(", ")), details: {} })
  }
})

const APPLY = "application/apply-patch+yaml"
const STRATEGIC = "application/strategic-merge-patch+json"
const CUSTOM = new Set(["application/json-patch+json", "application/merge-patch+json", APPLY])

const optionErrors = (request: ApiRequest, applies: boolean): ReadonlyArray<FieldError> => {
  if (applies) {
    return (request.query.get("fieldManager") ?? "") === ""
      ? [required("fieldManager", "must be set for an apply patch")]
      : []
  }
  return flag(request.query, "force") === undefined
    ? []
    : [forbiddenValue("force", "is allowed only for an apply patch")]
}

const intentOf = steps(function* (request: ApiRequest, kind: string, groupVersion: string): Steps<JsonObject> {
  const intent = yield* decode(request.body, true, kind)
  const type = { version: textAt(intent, "apiVersion"), kind: textAt(intent, "kind") }
  if (type.version === groupVersion && type.kind === kind) return intent
  const problem = `the applied configuration must have kind ${kind} and apiVersion ${groupVersion}, not "${type.kind}" and "${type.version}"`
  return yield* Result.fail(badRequest(problem))
})

const json = (request: ApiRequest) =>
  Result.mapError(parsed(request.body), (problem) => badRequest(`the body is not a valid patch: ${problem}`))

const object = (value: unknown): Outcome<JsonObject> =>
  isObject(value) ? Result.succeed(value) : Result.fail(badRequest("the patch and its result must be objects"))

/**
 * Applies a JSON Merge Patch: objects merge key by key, `null` removes a key, any other value replaces.
 *
 * **Limits** linear in the patch and the objects that it changes.
 *
 * **Source** RFC 7396.
 */
export const merge = (target: Json | undefined, patch: Json): Json => {
  if (!isObject(patch)) return patch
  const merged = new Map<string, Json>(isObject(target) ? Object.entries(target) : [])
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) merged.delete(key)
    else merged.set(key, merge(merged.get(key), value))
  }
  return Object.fromEntries(merged)
}
