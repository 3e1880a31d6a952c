/**
 * Conversion factors for time, memory and money.
 */
export const SECOND_MS = 1_000
export const HOUR_MS = 3_600_000
export const DAY_MS = 86_400_000
export const HOUR_SECONDS = 3_600
export const DAY_SECONDS = 86_400
export const KIB_BYTES = 1_024
export const GIB_BYTES = 1_073_741_824
export const KIB_PER_GIB = 1_048_576

/** Costs are counted in billionths of the currency, as whole numbers, so that sums are exact. */
export const NANOS_PER_UNIT = 1_000_000_000

/** Returns the start of the UTC hour that contains `ms`. **Units** milliseconds since the epoch. */
export const hourOf = (ms: number): number => Math.floor(ms / HOUR_MS) * HOUR_MS

/** Returns the start of the UTC day that contains `ms`. **Units** milliseconds since the epoch. */
export const dayOf = (ms: number): number => Math.floor(ms / DAY_MS) * DAY_MS
