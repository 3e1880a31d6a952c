/**
 * Query options of write requests.
 */
import { Result } from "effect"
import type { ApiRequest } from "../core/ApiRequest.ts"
import {
  type FieldError,
  invalidOptions,
  invalidValue,
  type Outcome,
  tooLong,
  unsupportedValue
} from "../core/Status.ts"
import * as ObjectDecoder from "./ObjectDecoder.ts"
import type { WriteOptions } from "./Writes.ts"

const MAX_MANAGER_BYTES = 128
const MANAGER = "fieldManager"

/**
 * Checks the name of a field manager. **Shape** an empty name is valid: the manager is then named after the user agent.
 *
 * **Source** Kubernetes 1.36, `ValidateFieldManager`.
 */
const managerErrors = (name: string): ReadonlyArray<FieldError> => [
  ...(Buffer.byteLength(name) > MAX_MANAGER_BYTES ? [tooLong(MANAGER, MAX_MANAGER_BYTES)] : []),
  // The real server reports each invalid character separately.
  ...Array.from(name)
    .filter((character) => !PRINTABLE.test(character))
    .map(() => invalidValue(MANAGER, name, "must contain only printable characters"))
]

const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u

/** Field manager of a request: `fieldManager`, or the program in the user agent. */
const managerOf = (request: ApiRequest): string =>
  request.query.get(MANAGER) || request.userAgent.split("/")[0] || "unknown"

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
  const errors = [...managerErrors(query.get(MANAGER) ?? ""), ...stageErrors(stages)]
  if (fields === undefined || errors.length > 0) {
    const unknown = fields === undefined ? [ObjectDecoder.unknownFieldValidation(word)] : []
    return Result.fail(invalidOptions(kind, [...errors, ...unknown]))
  }
  return Result.succeed({ manager: managerOf(request), dryRun: stages.length > 0, reading: { fields, warn } })
}

/** Checks the values of `dryRun`. */
export const stageErrors = (stages: ReadonlyArray<string>): ReadonlyArray<FieldError> =>
  stages.every((stage) => stage === "All") ? [] : [unsupportedValue("dryRun", [...stages], ["All"])]
