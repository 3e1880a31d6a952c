/**
 * Reads the object in a request's body and checks that its kind matches the path.
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
 * Reads the object in a request's body.
 *
 * **Errors** 415 for any format but JSON and YAML; 400 if the text is not an object of the kind.
 */
export const bodyObject = steps(function* (request: ApiRequest, kind: string, groupVersion: string): Steps<JsonObject> {
  const body = yield* bodyText(request, kind)
  const bodyKind = textAt(body, "kind")
  const version = textAt(body, "apiVersion")
  if ((bodyKind !== "" && bodyKind !== kind) || (version !== "" && version !== groupVersion)) {
    const actual = `kind ${bodyKind || kind} and apiVersion ${version || groupVersion}`
    return yield* Result.fail(
      badRequest(`the body must have kind ${kind} and apiVersion ${groupVersion}, not ${actual}`)
    )
  }
  const problem = FieldTypes.problem(groupVersion, kind, body)
  if (problem !== undefined) return yield* Result.fail(badRequest(`the body is not a valid ${kind}: ${problem}`))
  return body
})

export const resourceBody = ({ request, resource }: ResourceCall): Outcome<JsonObject> =>
  resource.custom === undefined
    ? bodyObject(request, resource.kind, apiVersionOf(resource))
    : Result.flatMap(bodyText(request, resource.kind), (body) => CustomBody.read(resource, body))

/** Checks that the namespace in the body equals the namespace in the path. **Errors** 400. */
export const placed = (object: JsonObject, call: ResourceCall): Outcome<JsonObject> => {
  const namespace = textAt(objectAt(object, "metadata"), "namespace")
  return namespace !== "" && call.resource.namespaced && namespace !== call.info.namespace
    ? Result.fail(misplaced)
    : Result.succeed(object)
}
