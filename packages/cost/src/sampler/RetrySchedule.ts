/**
 * How long what failed waits to be tried again.
 */
import { Schedule } from "effect"

/** Ten seconds at first, twice as long each time, and every ten minutes in the end, for ever. */
export const forEver = Schedule.min([Schedule.exponential("10 seconds"), Schedule.spaced("10 minutes")])
