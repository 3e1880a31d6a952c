/**
 * How large a volume counts.
 *
 * Some provisioners take a claim of any size: what nobody made so large must not make an hour that cannot be kept.
 */

/** The most that a volume counts: an hour of it is a number that is exact. **Units** bytes. */
const MAX_BYTES = 2 ** 51

/** Tells whether a volume is larger than it may count. */
export const isLarge = (bytes: number): boolean => bytes > MAX_BYTES

/** Gives how large a volume counts: nothing for what is no size. */
export const bounded = (bytes: number): number => (bytes > 0 ? Math.min(bytes, MAX_BYTES) : 0)

/** Says how many are larger than they may count. */
export const told = (count: number): string => `${count} volumes larger than 2 PiB count as 2 PiB`
