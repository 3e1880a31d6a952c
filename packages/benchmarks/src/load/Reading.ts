/**
 * The commands to the process of stream readers, and its replies.
 */
import { Schema } from "effect"

/** Opens the given number of streams, spread over the keys. */
export const Opening = Schema.Struct({ port: Schema.Int, keys: Schema.Array(Schema.String), readers: Schema.Int })
export type Opening = typeof Opening.Type

/** Writes that every reader must have received. **Units** milliseconds of the machine's monotonic clock. */
export const Writes = Schema.Array(Schema.Tuple([Schema.String, Schema.Finite]))
export type Writes = typeof Writes.Type

/**
 * The state of the readers.
 *
 * **Shape** the number of readers that are `ready` (have the whole set), `differing` (differ from a fresh list) or `ended`.
 * The number of `resets`, of writes delivered (`told`) and not delivered (`untold`), summed over all readers.
 *
 * **Units** the percentiles are milliseconds from the write to the reader.
 */
export const Reading = Schema.Struct({
  ready: Schema.Int,
  differing: Schema.Int,
  untold: Schema.Int,
  ended: Schema.Int,
  resets: Schema.Int,
  told: Schema.Int,
  p50: Schema.Finite,
  p99: Schema.Finite
})
export type Reading = typeof Reading.Type

export const decodeOpening = Schema.decodeUnknownSync(Schema.fromJsonString(Opening))
export const decodeWrites = Schema.decodeUnknownSync(Schema.fromJsonString(Writes))
export const decodeReading = Schema.decodeUnknownEffect(Schema.fromJsonString(Reading))
