/**
 * Parses the options of a deletion.
 *
 * **Source** Kubernetes 1.36, `k8s.io/apiserver/pkg/endpoints/handlers/delete.go` and `ValidateDeleteOptions`.
 */
import { Result } from "effect"
import type { ResourceCall } from "../core/ApiRequest.ts"
import { bodyText } from "../core/BodyText.ts"
import { arrayAt, at, type Json, type JsonObject, numberAt, objectAt, textAt } from "../core/Json.ts"
import * as QueryValue from "../core/QueryValue.ts"
import {
  badRequest,
  type FieldError,
  invalidOptions,
  invalidValue,
  type Outcome,
  unsupportedValue
} from "../core/Status.ts"
import { steps, type Steps } from "../core/Steps.ts"
import * as FieldTypes from "../schemas/FieldTypes.ts"
import type * as Deletions from "./Deletions.ts"
import { stageErrors } from "./RequestOptions.ts"

const KIND = "DeleteOptions"

/** Reads the options from a request's body, or from its query if the body is empty. **Errors** 400, 415, 422. */
export const read = steps(function* (call: ResourceCall): Steps<Deletions.DeleteOptions> {
  const { body, query } = call.request
  return yield* validated(body === "" ? yield* fromQuery(query) : yield* fromBody(call))
})

/** Reads options that are part of another object. **Errors** 422. */
export const within = ({ request }: ResourceCall, options: JsonObject): Outcome<Deletions.DeleteOptions> =>
  validated({ ...options, dryRun: [...request.query.getAll("dryRun"), ...arrayAt(options, "dryRun")] })

const fromBody = steps(function* ({ request }: ResourceCall): Steps<JsonObject> {
  const body = yield* bodyText(request, KIND)
  const kind = textAt(body, "kind")
  if (kind !== "" && kind !== KIND) {
    return yield* Result.fail(badRequest(`kind must be ${KIND}, not ${JSON.stringify(kind)}`))
  }
  const problem = FieldTypes.problemOfDeleteOptions(body)
  return problem === undefined ? body : yield* Result.fail(badRequest(`the body is not a valid ${KIND}: ${problem}`))
})

const fromQuery = steps(function* (query: URLSearchParams): Steps<JsonObject> {
  const seconds = yield* QueryValue.integer(query, "gracePeriodSeconds")
  const policy = query.get("propagationPolicy")
  const orphans = QueryValue.flag(query, "orphanDependents")
  return {
    dryRun: query.getAll("dryRun"),
    ...(seconds === undefined ? {} : { gracePeriodSeconds: seconds }),
    ...(policy === null ? {} : { propagationPolicy: policy }),
    ...(orphans === undefined ? {} : { orphanDependents: orphans })
  }
})

const PROPAGATION = ["Foreground", "Background", "Orphan"] as const

const validated = (options: JsonObject): Outcome<Deletions.DeleteOptions> => {
  const orphans = flagOf(at(options, "orphanDependents"))
  const policy = at(options, "propagationPolicy") ?? undefined
  const stages = arrayAt(options, "dryRun").filter((stage) => typeof stage === "string")
  const requested = PROPAGATION.find((one) => one === policy)
  const errors: ReadonlyArray<FieldError> = [
    ...(orphans !== undefined && policy !== undefined ? [twice(policy)] : []),
    ...(policy !== undefined && requested === undefined
      ? [unsupportedValue("propagationPolicy", policy, PROPAGATION)]
      : []),
    ...stageErrors(stages)
  ]
  if (errors.length > 0) return Result.fail(invalidOptions(KIND, errors))
  const propagation = orphans === undefined ? requested : orphans ? "Orphan" : "Background"
  const grace = numberAt(options, "gracePeriodSeconds")
  const preconditions = objectAt(options, "preconditions")
  const [uid, version] = [textAt(preconditions, "uid"), textAt(preconditions, "resourceVersion")]
  return Result.succeed({
    dryRun: stages.length > 0,
    ...(grace === undefined ? {} : { graceSeconds: grace }),
    ...(propagation === undefined ? {} : { propagation }),
    ...(orphans === false ? { acceptedWhilePending: true } : {}),
    ...(uid === "" ? {} : { uid }),
    ...(version === "" ? {} : { version })
  })
}

const flagOf = (value: Json | undefined): boolean | undefined => (typeof value === "boolean" ? value : undefined)

const twice = (policy: Json): FieldError =>
  invalidValue("propagationPolicy", policy, "must not be set together with orphanDependents")
