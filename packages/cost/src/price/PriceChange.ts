/**
 * Decides what a new price book does to the past: whether it is taken, and from where on closed hours are charged anew.
 */
import { Array as Arr, Equal, Result } from "effect"
import { DAY_MS, dayOf } from "../hour/Units.ts"
import { freshIn } from "./OverrideCorrections.ts"
import type * as PriceBook from "./PriceBook.ts"
import { InvalidPriceBook, StalePriceBook } from "./PriceError.ts"
import type { PriceHistory, Revision } from "./PriceHistory.ts"
import { validFromMs } from "./PriceOverride.ts"
import * as PriceUnderflow from "./PriceUnderflow.ts"

/** How many books are remembered at most; of more, the oldest is forgotten and the next counts in its place. */
export const MAX_REVISIONS = 1_000

/** Tells from where on there are hours that can be charged anew: days are forgotten whole. **Units** milliseconds since the epoch. */
export const keptFromMs = (nowMs: number, hourlyDays: number): number => dayOf(nowMs - hourlyDays * DAY_MS)

/**
 * What a new book is judged by.
 *
 * **Shape** `hasCosts`: whether any hour is closed in the present currency. `hoursFromMs`: where days end whose hours were
 * forgotten already, however long they are kept by now.
 */
export interface RevisionLimits {
  readonly nowMs: number
  readonly hourlyDays: number
  readonly hasCosts: boolean
  readonly hoursFromMs?: number | undefined
}

/**
 * The history after a revision.
 *
 * **Shape** from `repriceFromMs` on closed hours have another price now; absent where none has.
 */
export interface Revised {
  readonly history: PriceHistory
  readonly repriceFromMs?: number
}

/**
 * Puts a book in the place of the present one.
 *
 * It counts from now on: closed hours keep their price, but for overrides with an earlier `validFrom` that are
 * new or changed, which count from there. One that is gone counts no more from now on, and in closed hours as before, unless
 * another for the same resource and match counts from then or earlier: then that one takes its place. Its version becomes
 * the next; a book that changes nothing leaves all as it was.
 *
 * **Errors** `StalePriceBook` unless it has the present version. `InvalidPriceBook` for a new `validFrom` before the hours
 * that are kept, which no longer can be charged anew, and for another currency once there are costs in the present one:
 * they would be summed with the new; for a price that is not 0 but counts as 0.
 */
export const revise = (
  history: PriceHistory,
  asked: PriceBook.PriceBook,
  { hasCosts, hourlyDays, hoursFromMs, nowMs }: RevisionLimits
): Result.Result<Revised, StalePriceBook | InvalidPriceBook> => {
  const last = Arr.lastNonEmpty(history)
  const { version } = last.book
  if (asked.version !== version) return Result.fail(new StalePriceBook({ version, askedVersion: asked.version }))
  if (Equal.equals(asked, last.book)) return Result.succeed({ history })
  if (hasCosts && asked.currency !== last.book.currency) {
    const problem = `is ${last.book.currency}, and stays so: there are costs in it, which a sum would mix with others`
    return Result.fail(new InvalidPriceBook({ field: "currency", problem }))
  }

  const vanishing = PriceUnderflow.firstIn(asked)
  if (vanishing !== undefined) {
    const problem = "is so small that it counts as 0 (prices times rate count to twelve decimals); give 0 for nothing"
    return Result.fail(new InvalidPriceBook({ field: vanishing, problem }))
  }

  const fromMs = keptFromMs(nowMs, hourlyDays)
  const fresh = freshIn(asked.overrides, last.book.overrides)
  const chargedFromMs = Math.max(fromMs, hoursFromMs ?? fromMs)
  const tooOld = fresh.find((override) => override.validFrom !== undefined && validFromMs(override) < chargedFromMs)
  if (tooOld !== undefined) {
    const kept = chargedFromMs > fromMs ? "earlier hours were forgotten" : `hours are kept ${hourlyDays} days`
    const problem = `${kept}: must be ${new Date(chargedFromMs).toISOString()} or later`
    const field = `overrides[${asked.overrides.indexOf(tooOld)}].validFrom`
    return Result.fail(new InvalidPriceBook({ field, problem }))
  }

  // A clock that was set back must not put the new book before the last.
  const sinceMs = Math.max(nowMs, last.sinceMs)
  const revision: Revision = { sinceMs, book: { ...asked, version: version + 1 } }
  const backdated = fresh.map(validFromMs).filter((ms) => Number.isFinite(ms) && ms < nowMs)
  return Result.succeed({
    history: pruned([...history, revision], fromMs),
    ...(backdated.length === 0 ? {} : { repriceFromMs: Math.min(...backdated) })
  })
}

/** Leaves out what counts for no hour that could be charged anew. */
const pruned = (history: PriceHistory, fromMs: number): PriceHistory => {
  const needed = history.findLastIndex(({ sinceMs }) => sinceMs <= fromMs)
  const [first = Arr.lastNonEmpty(history), ...rest] = history.slice(
    Math.max(0, needed, history.length - MAX_REVISIONS)
  )
  return [first, ...rest]
}
