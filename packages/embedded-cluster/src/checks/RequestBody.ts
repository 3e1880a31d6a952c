/**
 * The object that a request carries, of the kind that its path names.
 */
import { Result } from "effect"
import type { ApiRequest, ResourceCall } from "../core/ApiRequest.ts"
import { bodyText } from "../core/BodyText.ts"
import { type JsonObject, objectAt, textAt } from "../core/Json.ts"
import { apiVersionOf } from "../core/Resource.ts"
import { badRequest, misplaced, type Outcome } from "../core/Status.ts"
import { steps, type Steps } from "../core/Steps.ts"
import * as CustomBody from "../customkinds/CustomBody.ts"
import * as FieldTypes from "../schemas/FieldTypes.ts"

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
    const what = `${given || kind} of ${version || groupVersion}`
    return yield* Result.fail(badRequest(`the body is no ${kind} of ${groupVersion}: it says ${what}`))
  }
  const problem = FieldTypes.problem(groupVersion, kind, body)
  if (problem !== undefined) return yield* Result.fail(badRequest(`the body is no ${kind}: ${problem}`))
  return body
})

export const resourceBody = ({ request, resource }: ResourceCall): Outcome<JsonObject> =>
  resource.custom === undefined
    ? bodyObject(request, resource.kind, apiVersionOf(resource))
    : Result.flatMap(bodyText(request, resource.kind), (body) => CustomBody.read(resource, body))

/** The name and namespace that a body gives itself must be those of the path. **Errors** 400. */
export const placed = (object: JsonObject, call: ResourceCall): Outcome<JsonObject> => {
  const namespace = textAt(objectAt(object, "metadata"), "namespace")
  return namespace !== "" && call.resource.namespaced && namespace !== call.info.namespace
    ? Result.fail(misplaced)
    : Result.succeed(object)
}
