/**
 * Further media types of a reply in the OpenAPI document. The contract itself declares one media type for each reply.
 */
import { Predicate } from "effect"

/** The media type of comma-separated values. **Source** RFC 4180 §3. */
export const CSV_MEDIA_TYPE = "text/csv; charset=utf-8; header=present"

type Operation = Record<string, unknown>

/** Adds a media type, and optional headers, to the 200 reply of an operation. */
export const addMediaType = (
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

/** Header with the value of `partial`, a member of the JSON reply that a CSV file cannot contain. */
const PARTIAL = {
  "X-Quarterdeck-Partial": {
    description:
      "Only with a file: the value of `partial` in the JSON reply. Columns of the file say for how many hours each cluster was seen.",
    schema: { type: "string", enum: ["true", "false"] }
  }
}

/** Adds comma-separated values to the 200 reply of an operation. */
export const describeFile = (operation: Operation): Operation =>
  addMediaType(operation, "text/csv", {
    description: "Comma-separated values, with a header line.",
    headers: PARTIAL
  })
