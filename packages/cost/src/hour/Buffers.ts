/**
 * Frees the memory of typed arrays at once.
 *
 * What a report of a large fleet works with is tens of megabytes; left to the collector, that of several reports lies
 * about.
 */
import { Effect, type Scope } from "effect"

/** Typed arrays, as far as their memory is concerned. */
export type Arrays = ReadonlyArray<{ readonly buffer: ArrayBufferLike }>

/** Frees arrays; do not read them, or others over the same memory, afterwards. */
export const free = (arrays: Arrays): void => {
  for (const { buffer } of arrays) if (buffer instanceof ArrayBuffer && !buffer.detached) buffer.transfer(0)
}

/** Frees arrays when the scope ends: who reads them does so within it. */
export const freeWithScope = (arrays: Arrays): Effect.Effect<void, never, Scope.Scope> =>
  Effect.addFinalizer(() => Effect.sync(() => free(arrays)))
