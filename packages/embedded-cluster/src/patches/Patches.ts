/**
 * The four ways to change an object by a patch.
 */
import { Result } from "effect"
import { type ApiRequest, mediaType } from "../core/ApiRequest.ts"
import { decode, parsed } from "../core/BodyText.ts"
import { isObject, type JsonObject, textAt } from "../core/Json.ts"
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
import * as MergePatch from "./MergePatch.ts"
import * as StrategicMerge from "./StrategicMerge.ts"

/** What a patch asks for: an apply is a whole intent; every other patch is a change of what is there. */
export type Patch =
  | { readonly _tag: "Apply"; readonly intent: JsonObject; readonly force: boolean }
  | { readonly _tag: "Change"; readonly change: (current: JsonObject) => Outcome<JsonObject> }

/** What is patched. **Shape** `schema` says how a strategic merge patch merges; custom kinds take none. */
export interface PatchTarget {
  readonly kind: string
  readonly groupVersion: string
  readonly schema: KindSchema
  readonly isCustom: boolean
}

/**
 * Reads the patch that a request carries for an object of a kind.
 *
 * **Errors** 415 for another media type, 422 for options that do not fit it, 400 for an intent that is none. Whether the
 * body is a patch is told with its change: who patches what does not exist hears of that first.
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
        change: (current) => Result.flatMap(patch, (merged) => object(MergePatch.apply(current, merged)))
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
      ? [required("fieldManager", "an apply names its manager")]
      : []
  }
  return flag(request.query, "force") === undefined ? [] : [forbiddenValue("force", "only an apply takes it")]
}

const intentOf = steps(function* (request: ApiRequest, kind: string, groupVersion: string): Steps<JsonObject> {
  const intent = yield* decode(request.body, true, kind)
  const given = { version: textAt(intent, "apiVersion"), kind: textAt(intent, "kind") }
  if (given.version === groupVersion && given.kind === kind) return intent
  const problem = `the intent must be a ${kind} of ${groupVersion}, not "${given.kind}" of "${given.version}"`
  return yield* Result.fail(badRequest(problem))
})

const json = (request: ApiRequest) =>
  Result.mapError(parsed(request.body), (problem) => badRequest(`the body is no patch: ${problem}`))

const object = (value: unknown): Outcome<JsonObject> =>
  isObject(value) ? Result.succeed(value) : Result.fail(badRequest("the patch must be an object, and make one"))
