/**
 * Frees the memory of typed arrays explicitly.
 *
 * A report of a large fleet works on tens of megabytes, which garbage collection would free too late.
 */
import { Effect, type Scope } from "effect"

/** Typed arrays. */
export type Arrays = ReadonlyArray<{ readonly buffer: ArrayBufferLike }>

/** Frees arrays. Neither they nor other views of their buffers may be read afterwards. */
export const free = (arrays: Arrays): void => {
  for (const { buffer } of arrays) if (buffer instanceof ArrayBuffer && !buffer.detached) buffer.transfer(0)
}

/** Frees arrays when the scope closes. */
export const freeWithScope = (arrays: Arrays): Effect.Effect<void, never, Scope.Scope> =>
  Effect.addFinalizer(() => Effect.sync(() => free(arrays)))
