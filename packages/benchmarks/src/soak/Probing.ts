/**
 * The messages between the soak and its probing thread.
 */
import { Schema } from "effect"

/** Timeout of the service's probes. */
export const PROBE_MS = 1_500

/** The clusters to probe. */
export const Probing = Schema.Array(
  Schema.Struct({ name: Schema.String, server: Schema.String, caPem: Schema.String, token: Schema.String })
)
export type Probing = typeof Probing.Type

/** The outcome of a probe. A probe on a closed connection sends none. **Units** epoch milliseconds. */
export const Probed = Schema.Union([
  Schema.TaggedStruct("Answered", {}),
  Schema.TaggedStruct("Silent", { name: Schema.String, begunAt: Schema.Finite, silentAt: Schema.Finite })
])
export type Probed = typeof Probed.Type
