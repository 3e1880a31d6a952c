/**
 * Further forms of a reply, as the OpenAPI document tells of them: the contract itself has one.
 */
import { Predicate } from "effect"

type Operation = Record<string, unknown>

/** Adds a media type to what an operation replies with 200, and headers if there are any. */
export const add = (
  operation: Operation,
  mediaType: string,
  { description, headers }: { readonly description: string; readonly headers?: object }
): Operation =>
  inside(operation, "responses", (responses) =>
    inside(responses, "200", (reply) => ({
      ...inside(reply, "content", (content) => ({
        ...content,
        [mediaType]: { schema: { type: "string", description } }
      })),
      ...(headers === undefined ? {} : { headers })
    }))
  )

const inside = (value: Operation, key: string, change: (member: Operation) => Operation): Operation => {
  const member = value[key]
  return Predicate.isObject(member) ? { ...value, [key]: change({ ...member }) } : value
}
