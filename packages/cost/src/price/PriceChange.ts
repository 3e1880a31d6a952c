/**
 * Decides whether a new price book is accepted, and from which instant closed hours must be repriced.
 */
import { Array as Arr, Equal, Result } from "effect"
import { DAY_MS, dayOf } from "../hour/Units.ts"
import { freshIn } from "./OverrideCorrections.ts"
import type * as PriceBook from "./PriceBook.ts"
import { InvalidPriceBook, StalePriceBook } from "./PriceError.ts"
import type { PriceHistory, Revision } from "./PriceHistory.ts"
import { validFromMs } from "./PriceOverride.ts"
import * as Rates from "./Rates.ts"

/**
 * Maximum number of stored books. Beyond it the oldest book is dropped. The next one then also applies to the time of
 * the dropped one.
 */
export const MAX_REVISIONS = 1_000

/** Returns the start of the first day whose hours are stored and can be repriced. **Units** milliseconds since the epoch. */
export const keptFromMs = (nowMs: number, hourlyDays: number): number => dayOf(nowMs - hourlyDays * DAY_MS)

/**
 * Limits for a new book.
 *
 * **Shape** `hasCosts` is true if costs in the present currency are stored. `hoursFromMs` is the end of the days that were
 * already reduced to daily sums.
 */
export interface RevisionLimits {
  readonly nowMs: number
  readonly hourlyDays: number
  readonly hasCosts: boolean
  readonly hoursFromMs?: number | undefined
}

/** The result of a revision. **Shape** closed hours from `repriceFromMs` on must be repriced; absent if none. */
export interface Revised {
  readonly history: PriceHistory
  readonly repriceFromMs?: number
}

/**
 * Replaces the present book.
 *
 * The new book applies from now on, and closed hours keep their prices. Only new or changed overrides with an earlier
 * `validFrom` also apply to closed hours, from that instant. A removed override still applies to closed hours, unless an
 * override with the same resource and match and an equal or earlier start replaces it. The version increases by one. A book
 * that changes nothing is accepted without effect.
 *
 * **Errors** `StalePriceBook` if the version is not the present one. `InvalidPriceBook` for a new `validFrom` before the stored
 * hours; for another currency once costs are stored; for a price above 0 that rounds to 0.
 */
export const revise = (
  history: PriceHistory,
  proposed: PriceBook.PriceBook,
  { hasCosts, hourlyDays, hoursFromMs, nowMs }: RevisionLimits
): Result.Result<Revised, StalePriceBook | InvalidPriceBook> => {
  const last = Arr.lastNonEmpty(history)
  const { version } = last.book
  if (proposed.version !== version) return Result.fail(new StalePriceBook({ version, askedVersion: proposed.version }))
  if (Equal.equals(proposed, last.book)) return Result.succeed({ history })
  if (hasCosts && proposed.currency !== last.book.currency) {
    const problem = `must stay ${last.book.currency}: costs in it are stored, and sums cannot mix currencies`
    return Result.fail(new InvalidPriceBook({ field: "currency", problem }))
  }

  const underflow = firstUnderflow(proposed)
  if (underflow !== undefined) {
    const problem = "is so small that it rounds to 0 (price times rate is rounded to twelve decimals); use 0 for free"
    return Result.fail(new InvalidPriceBook({ field: underflow, problem }))
  }

  const fromMs = keptFromMs(nowMs, hourlyDays)
  const fresh = freshIn(proposed.overrides, last.book.overrides)
  const chargedFromMs = Math.max(fromMs, hoursFromMs ?? fromMs)
  const tooOld = fresh.find((override) => override.validFrom !== undefined && validFromMs(override) < chargedFromMs)
  if (tooOld !== undefined) {
    const limit =
      chargedFromMs > fromMs ? "earlier hours are no longer stored" : `hours are stored for ${hourlyDays} days`
    const problem = `${limit}: must be ${new Date(chargedFromMs).toISOString()} or later`
    const field = `overrides[${proposed.overrides.indexOf(tooOld)}].validFrom`
    return Result.fail(new InvalidPriceBook({ field, problem }))
  }

  // If the clock was set back, the new book must still not precede the last one.
  const sinceMs = Math.max(nowMs, last.sinceMs)
  const revision: Revision = { sinceMs, book: { ...proposed, version: version + 1 } }
  const backdated = fresh.map(validFromMs).filter((ms) => Number.isFinite(ms) && ms < nowMs)
  return Result.succeed({
    history: pruned([...history, revision], fromMs),
    ...(backdated.length === 0 ? {} : { repriceFromMs: Math.min(...backdated) })
  })
}

/** Drops books that apply to no hour that can be repriced. */
const pruned = (history: PriceHistory, fromMs: number): PriceHistory => {
  const needed = history.findLastIndex(({ sinceMs }) => sinceMs <= fromMs)
  const [first = Arr.lastNonEmpty(history), ...rest] = history.slice(
    Math.max(0, needed, history.length - MAX_REVISIONS)
  )
  return [first, ...rest]
}

/** Returns the path of the first price above 0 that rounds to 0, such as `overrides[2].cpuPerCoreHour`. */
const firstUnderflow = (book: PriceBook.PriceBook): string | undefined => {
  const roundsToZero = (field: string, price: unknown): boolean =>
    field !== "discountPercent" && typeof price === "number" && price > 0 && Rates.picosOf(price * book.rate) === 0
  const priced: ReadonlyArray<readonly [path: string, prices: object]> = [
    ...Object.entries(book.default).map(([provider, prices]) => [`default.${provider}`, prices] as const),
    ...book.overrides.map((override, index) => [`overrides[${index}]`, override] as const)
  ]
  for (const [path, prices] of priced) {
    const found = Object.entries(prices).find(([field, price]) => roundsToZero(field, price))
    if (found !== undefined) return `${path}.${found[0]}`
  }
  return undefined
}
