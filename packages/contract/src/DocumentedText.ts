/**
 * What the OpenAPI document tells of a text that the service judges itself, with words of its own for each fault.
 */
import { type JsonSchema, Schema } from "effect"

/** Lets every text pass, and tells in documents what it must be. */
export const documents = (schema: JsonSchema.JsonSchema) =>
  Schema.makeFilter<string>(() => true, { toJsonSchema: () => schema })

/** An instant with any offset, as a part of a pattern. **Source** RFC 3339 section 5.6. */
export const RFC3339 =
  "[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}:[0-9]{2}(?:\\.[0-9]{1,9})?(?:[Zz]|[+-][0-9]{2}:[0-9]{2})"
