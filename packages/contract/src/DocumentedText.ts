/**
 * JSON Schemas of strings that the server validates itself, with its own error messages.
 */
import { type JsonSchema, Schema } from "effect"

/** A check that accepts every string and adds a JSON Schema to the OpenAPI document. */
export const documents = (schema: JsonSchema.JsonSchema) =>
  Schema.makeFilter<string>(() => true, { toJsonSchema: () => schema })

/** Part of a pattern: an instant with any offset. **Source** RFC 3339 section 5.6. */
export const RFC3339 =
  "[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}:[0-9]{2}(?:\\.[0-9]{1,9})?(?:[Zz]|[+-][0-9]{2}:[0-9]{2})"
