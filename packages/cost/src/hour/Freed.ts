/**
 * Gives memory of typed arrays back at once.
 *
 * What a report of a large fleet works with is tens of megabytes; left to the collector, that of several reports lies
 * about.
 */

/** **Shape** all that is laid over the same memory is empty from then on: nobody may read it any more. */
export const free = (arrays: ReadonlyArray<{ readonly buffer: ArrayBufferLike }>): void => {
  for (const { buffer } of arrays) if (buffer instanceof ArrayBuffer && !buffer.detached) buffer.transfer(0)
}
