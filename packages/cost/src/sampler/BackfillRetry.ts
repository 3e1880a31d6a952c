/**
 * When a backfill asks again for what is open.
 */
import { HOUR_MS } from "../hour/Units.ts"

/** How an attempt ended. **Shape** `retryAfterMs` is what the source asked for. */
export type Ending =
  | { readonly _tag: "Complete" }
  | { readonly _tag: "Unknown" }
  | { readonly _tag: "Failed"; readonly retryAfterMs: number }

/** What failed is tried again after ten seconds at first, twice as long each time. **Units** milliseconds. */
const FAILED = { firstMs: 10_000, lastMs: 600_000 }
/** So is what the source does not know, which may be scraped late or never. */
const UNKNOWN = { firstMs: 60_000, lastMs: HOUR_MS }

/** Says how long to wait after so many attempts in a row that filled in nothing; `Infinity` when nothing is open. */
export const waitMs = (ending: Ending, attempts: number): number => {
  if (ending._tag === "Complete") return Infinity
  if (ending._tag === "Unknown") return backoffMs(UNKNOWN, attempts)
  return Math.max(ending.retryAfterMs, backoffMs(FAILED, attempts))
}

const backoffMs = ({ firstMs, lastMs }: typeof FAILED, attempts: number): number =>
  Math.min(lastMs, firstMs * 2 ** Math.min(attempts, 16))
