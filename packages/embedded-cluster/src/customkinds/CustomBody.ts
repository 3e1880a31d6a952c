/**
 * Checks the type and the metadata of a custom object in a request body.
 *
 * **Source** Kubernetes 1.36, the errors of its server.
 */
import { Result } from "effect"
import { type JsonObject, textAt } from "../core/Json.ts"
import { apiVersionOf, type Resource } from "../core/Resource.ts"
import { badRequest, invalid, invalidValue, type Outcome } from "../core/Status.ts"
import * as FieldTypes from "../schemas/FieldTypes.ts"

/**
 * Reads a body as an object of a custom kind.
 *
 * **Errors** 400 if the version differs or the kind is missing, 422 for another kind.
 */
export const read = (resource: Resource, body: JsonObject): Outcome<JsonObject> => {
  const kind = textAt(body, "kind")
  const version = textAt(body, "apiVersion")
  const wanted = apiVersionOf(resource)
  const problem =
    kind === ""
      ? `kind must be ${resource.kind}`
      : version === wanted
        ? FieldTypes.problemOfMetadata(body)
        : `apiVersion must be ${wanted}, not ${JSON.stringify(version)}`
  if (problem !== undefined) return Result.fail(badRequest(`the body is not a valid ${resource.kind}: ${problem}`))
  return kind === resource.kind
    ? Result.succeed(body)
    : Result.fail(
        invalid(kind, resource.group, textAt(body, "metadata", "name"), [
          invalidValue("kind", kind, `must be ${resource.kind}`)
        ])
      )
}
