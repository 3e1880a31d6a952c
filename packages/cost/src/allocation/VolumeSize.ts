/**
 * Bounds the size of volumes.
 *
 * Some provisioners accept claims of any size. Without a bound, an absurd size would make the hour's sums inexact and
 * unstorable.
 */

/** Maximum size of a volume, so that its byte-seconds in an hour stay exact. **Units** bytes. */
const MAX_BYTES = 2 ** 51

/** Returns true if a volume exceeds the maximum. */
export const isLarge = (bytes: number): boolean => bytes > MAX_BYTES

/** Returns the size limited to the maximum, or 0 if it is not a positive number. */
export const bounded = (bytes: number): number => (bytes > 0 ? Math.min(bytes, MAX_BYTES) : 0)

/** Returns the warning for volumes that exceed the maximum. */
export const printTooLarge = (count: number): string => `${count} volumes larger than 2 PiB count as 2 PiB`
