/** A value that stands for all of a schema in the OpenAPI document. */
import type { Schema } from "effect"

export interface Example {
  readonly schema: Schema.ConstraintDecoder<unknown>
  /** As JSON has it. */
  readonly value: unknown
}

export const example = <S extends Schema.ConstraintDecoder<unknown>>(schema: S, value: S["Encoded"]): Example => ({
  schema,
  value
})
