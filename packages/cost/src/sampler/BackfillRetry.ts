/**
 * The delay before the next back-fill attempt.
 */
import { HOUR_MS } from "../hour/Units.ts"

/** The result of an attempt. **Shape** `retryAfterMs` is the source's `Retry-After`, or 0. */
export type Ending =
  | { readonly _tag: "Complete" }
  | { readonly _tag: "Unknown" }
  | { readonly _tag: "Failed"; readonly retryAfterMs: number }

/** Backoff after a failure: ten seconds, doubled up to ten minutes. **Units** milliseconds. */
const FAILED = { firstMs: 10_000, lastMs: 600_000 }
/** Backoff if the source has no data for the hours that are still to fill. The data may arrive late or never. */
const UNKNOWN = { firstMs: 60_000, lastMs: HOUR_MS }

/** Returns the delay after `attempts` attempts in a row that filled no hour. `Infinity` if no hour is left to fill. */
export const waitMs = (ending: Ending, attempts: number): number => {
  if (ending._tag === "Complete") return Infinity
  if (ending._tag === "Unknown") return backoffMs(UNKNOWN, attempts)
  return Math.max(ending.retryAfterMs, backoffMs(FAILED, attempts))
}

const backoffMs = ({ firstMs, lastMs }: typeof FAILED, attempts: number): number =>
  Math.min(lastMs, firstMs * 2 ** Math.min(attempts, 16))
