/**
 * Query options of write requests.
 */
import { Result } from "effect"
import type { ApiRequest } from "../core/ApiRequest.ts"
import { type FieldError, invalidOptions, type Outcome, unsupportedValue } from "../core/Status.ts"
import * as FieldManager from "../patches/FieldManager.ts"
import * as ObjectDecoder from "./ObjectDecoder.ts"
import type { WriteOptions } from "./Writes.ts"

/** Field manager of a request: `fieldManager`, or the program in the user agent. */
const managerOf = (request: ApiRequest): string =>
  request.query.get("fieldManager") || request.userAgent.split("/")[0] || "unknown"

/**
 * Reads the options that all writes have.
 *
 * **Errors** 422 for an invalid field manager, for a dry run other than `All`, and for an unknown `fieldValidation`.
 */
export const writeOptions = (
  request: ApiRequest,
  kind: string
): Outcome<WriteOptions & { readonly reading: ObjectDecoder.Reading }> => {
  const { query, warn } = request
  const stages = query.getAll("dryRun")
  const word = query.get("fieldValidation") ?? ""
  const fields = ObjectDecoder.fieldValidation(word)
  const errors = [...FieldManager.errors(query.get("fieldManager") ?? ""), ...stageErrors(stages)]
  if (fields === undefined || errors.length > 0) {
    const unknown = fields === undefined ? [ObjectDecoder.unknownFieldValidation(word)] : []
    return Result.fail(invalidOptions(kind, [...errors, ...unknown]))
  }
  return Result.succeed({ manager: managerOf(request), dryRun: stages.length > 0, reading: { fields, warn } })
}

/** Checks the values of `dryRun`. */
export const stageErrors = (stages: ReadonlyArray<string>): ReadonlyArray<FieldError> =>
  stages.every((stage) => stage === "All") ? [] : [unsupportedValue("dryRun", [...stages], ["All"])]
