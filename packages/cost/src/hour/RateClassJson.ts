/**
 * JSON schema of stored price classes.
 */
import { Schema } from "effect"

export const RateClassJson = Schema.Array(
  Schema.Struct({
    provider: Schema.String,
    region: Schema.String,
    instanceType: Schema.String,
    capacity: Schema.Literals(["spot", "onDemand"]),
    gpuModel: Schema.String
  })
)
