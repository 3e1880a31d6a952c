/**
 * The backoff of the sampler's retries.
 */
import { Schedule } from "effect"

/** Backoff that starts with ten seconds, doubles up to ten minutes, and never ends. */
export const forEver = Schedule.min([Schedule.exponential("10 seconds"), Schedule.spaced("10 minutes")])
