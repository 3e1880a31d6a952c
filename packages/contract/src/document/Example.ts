/** An example of a schema in the OpenAPI document. */
import type { Schema } from "effect"

export interface Example {
  readonly schema: Schema.ConstraintDecoder<unknown>
  /** The encoded value. */
  readonly value: unknown
}

export const example = <S extends Schema.ConstraintDecoder<unknown>>(schema: S, value: S["Encoded"]): Example => ({
  schema,
  value
})
