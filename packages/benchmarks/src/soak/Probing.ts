/**
 * What the thread that probes clusters is told, and what it tells.
 */
import { Schema } from "effect"

/** How long the service lets a probe wait for its answer. */
export const PROBE_MS = 1_500

/** The clusters to be probed. **Shape** `server` and `token` as a client is given them. */
export const Probing = Schema.Array(
  Schema.Struct({ name: Schema.String, server: Schema.String, caPem: Schema.String, token: Schema.String })
)
export type Probing = typeof Probing.Type

/** How a probe ended; one that found a closed connection is not told. **Units** epoch milliseconds. */
export const Probed = Schema.Union([
  Schema.TaggedStruct("Answered", {}),
  Schema.TaggedStruct("Silent", { name: Schema.String, begunAt: Schema.Finite, silentAt: Schema.Finite })
])
export type Probed = typeof Probed.Type
