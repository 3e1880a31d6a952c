/**
 * Reads the frame of an object of a custom kind: its type, and the metadata that all objects have.
 *
 * **Source** Kubernetes 1.36, as its server refuses such bodies.
 */
import { Result } from "effect"
import { type JsonObject, textAt } from "../core/Json.ts"
import { apiVersionOf, type Resource } from "../core/Resource.ts"
import { badRequest, invalid, invalidValue, type Outcome } from "../core/Status.ts"
import * as FieldTypes from "../schemas/FieldTypes.ts"

/** How much of a body a refusal repeats. */
const SHOWN = 30

/** **Errors** 400 for another version or a body that names no kind, 422 for another kind. */
export const read = (resource: Resource, body: JsonObject, text: string): Outcome<JsonObject> => {
  const kind = textAt(body, "kind")
  const version = textAt(body, "apiVersion")
  const wanted = apiVersionOf(resource)
  if (kind === "") {
    const shown = text.length > SHOWN ? `${text.slice(0, SHOWN)} ...` : text
    const problem = `Object 'Kind' is missing in '${text}' (${shown})`
    return Result.fail(badRequest(`the object provided is unrecognized (must be of type ${resource.kind}): ${problem}`))
  }
  if (version !== wanted) {
    const problem = `the API version in the data (${version}) does not match the expected API version (${wanted})`
    return Result.fail(badRequest(problem))
  }
  const problem = FieldTypes.decodingMetadata(body["metadata"] ?? null)
  if (problem !== undefined) {
    const { kind: own, version: name } = resource
    return Result.fail(
      badRequest(`${own} in version ${JSON.stringify(name)} cannot be handled as a ${own}: ${problem}`)
    )
  }
  return kind === resource.kind
    ? Result.succeed(body)
    : Result.fail(
        invalid(kind, resource.group, textAt(body, "metadata", "name"), [
          invalidValue("kind", kind, `must be ${resource.kind}`)
        ])
      )
}
