/**
 * What is told to the program that reads streams, and what it tells.
 */
import { Schema } from "effect"

/** Opens so many streams, shared out over the keys. */
export const Opening = Schema.Struct({ port: Schema.Int, keys: Schema.Array(Schema.String), readers: Schema.Int })
export type Opening = typeof Opening.Type

/** Writes that every reader must have heard of. **Units** milliseconds of the machine's monotonic clock. */
export const Writes = Schema.Array(Schema.Tuple([Schema.String, Schema.Finite]))
export type Writes = typeof Writes.Type

/**
 * What became of readers.
 *
 * **Shape** `ready` have the whole set; `differing` have not what a fresh list shows; `untold` counts writes that a reader was
 * not told, of all readers; `ended` were cut or ended, `resets` had to begin anew. **Units** milliseconds from the write to
 * the reader, of all readers together.
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
