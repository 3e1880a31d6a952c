/**
 * The price books of the past and the present: what counted when, so that an hour keeps the price of its day.
 *
 * @since 0.1.0
 */
import { Array as Arr, Equal, Result, Schema } from "effect"
import * as PriceBook from "./PriceBook.ts"
import { InvalidPriceBook, StalePriceBook } from "./PriceError.ts"
import { type PriceOverride, validFromMs } from "./price/PriceOverride.ts"
import * as Rates from "./price/Rates.ts"
import { DAY_MS, dayOf } from "./Units.ts"
import type { Window } from "./Window.ts"

/** How many books are remembered at most; of more, the oldest is forgotten and the next counts in its place. */
export const MAX_REVISIONS = 1_000

/** A book and since when it has been the present one. **Units** milliseconds since the epoch. */
export const Revision = Schema.Struct({ sinceMs: Schema.Int, book: PriceBook.PriceBook })
export type Revision = typeof Revision.Type

/**
 * Every book, oldest first.
 *
 * **Shape** the first counts for all the time before it too.
 *
 * @since 0.1.0
 */
export const PriceHistory = Schema.NonEmptyArray(Revision)
export type PriceHistory = Arr.NonEmptyReadonlyArray<Revision>

/** The history before anybody changed a price. */
export const initial: PriceHistory = [{ sinceMs: 0, book: PriceBook.initial }]

/** The book of now. */
export const current = (history: PriceHistory): PriceBook.PriceBook => Arr.lastNonEmpty(history).book

/** What a new book is judged by. **Shape** `hasCosts`: whether any hour is closed in the present currency. */
export interface RevisionLimits {
  readonly nowMs: number
  readonly hourlyDays: number
  readonly hasCosts: boolean
}

/** **Shape** `repriceFromMs`: from where on closed hours have another price now; absent where none has. */
export interface Revised {
  readonly history: PriceHistory
  readonly repriceFromMs?: number
}

/**
 * Puts a book in the place of the present one.
 *
 * **Shape** it counts from now on: closed hours keep their price, but for overrides with an earlier `validFrom` that are
 * new or changed, which count from there. Its version becomes the next; a book that changes nothing leaves all as it was.
 *
 * **Errors** `StalePriceBook` unless it has the present version. `InvalidPriceBook` for a new `validFrom` before the hours
 * that are kept, which no longer can be charged anew, and for another currency once there are costs in the present one:
 * they would be summed with the new.
 *
 * @since 0.1.0
 */
export const revise = (
  history: PriceHistory,
  asked: PriceBook.PriceBook,
  { hasCosts, hourlyDays, nowMs }: RevisionLimits
): Result.Result<Revised, StalePriceBook | InvalidPriceBook> => {
  const last = Arr.lastNonEmpty(history)
  const { version } = last.book
  if (asked.version !== version) return Result.fail(new StalePriceBook({ version, askedVersion: asked.version }))
  if (Equal.equals(asked, last.book)) return Result.succeed({ history })
  if (hasCosts && asked.currency !== last.book.currency) {
    const problem = `is ${last.book.currency}, and stays so: there are costs in it, which a sum would mix with others`
    return Result.fail(new InvalidPriceBook({ field: "currency", problem }))
  }

  const keptFromMs = dayOf(nowMs - hourlyDays * DAY_MS)
  const fresh = freshIn(asked, last.book)
  const tooOld = fresh.find((override) => override.validFrom !== undefined && validFromMs(override) < keptFromMs)
  if (tooOld !== undefined) {
    const problem = `hours are kept ${hourlyDays} days: must be ${new Date(keptFromMs).toISOString()} or later`
    const field = `overrides[${asked.overrides.indexOf(tooOld)}].validFrom`
    return Result.fail(new InvalidPriceBook({ field, problem }))
  }

  // A clock that was set back must not put the new book before the last.
  const sinceMs = Math.max(nowMs, last.sinceMs)
  const revision: Revision = { sinceMs, book: { ...asked, version: version + 1 } }
  const backdated = fresh.map(validFromMs).filter((ms) => Number.isFinite(ms) && ms < nowMs)
  return Result.succeed({
    history: pruned([...history, revision], keptFromMs),
    ...(backdated.length === 0 ? {} : { repriceFromMs: Math.min(...backdated) })
  })
}

/** Asks what a subject costs over a window. */
export type RatesOver = (subject: PriceBook.Subject, window: Window) => Rates.Rates

/**
 * Tells what subjects cost over windows: the mean of what they cost at each instant of one.
 *
 * **Shape** so an hour in which a price changes pays the old one for its part before, and the new one for the rest. At an
 * instant the book of then counts, and any override that a later book was first to have with a `validFrom` before that
 * instant.
 *
 * **Limits** the history is gone through once; keep the answer for as many questions as there are.
 *
 * @since 0.1.0
 */
export const ratesOver = (history: PriceHistory): RatesOver => {
  const revisions = history.map(({ book, sinceMs }, index) => ({
    sinceMs,
    book,
    backdated: backdatedIn(history, index)
  }))
  const changes = history.flatMap(({ book, sinceMs }) => [sinceMs, ...book.overrides.map(validFromMs)])
  const bookAt = (atMs: number): PriceBook.PriceBook => {
    const index = Math.max(
      0,
      revisions.findLastIndex(({ sinceMs }) => sinceMs <= atMs)
    )
    const book = revisions[index]?.book ?? current(history)
    const added = revisions
      .slice(index + 1)
      .flatMap(({ backdated }) => backdated.filter(({ fromMs }) => fromMs <= atMs))
    return added.length === 0
      ? book
      : { ...book, overrides: [...book.overrides, ...added.map(({ override }) => override)] }
  }
  return (subject, { endMs, startMs }) => {
    const inside = changes.filter((ms) => ms > startMs && ms < endMs)
    const edges = [...new Set([startMs, ...inside, endMs])].toSorted((a, b) => a - b)
    return Rates.mean(
      edges.slice(0, -1).map((fromMs, index) => ({
        rates: PriceBook.effective(bookAt(fromMs), subject, fromMs),
        ms: (edges[index + 1] ?? fromMs) - fromMs
      }))
    )
  }
}

interface Backdated {
  readonly fromMs: number
  readonly override: PriceOverride
}

/** The overrides that a book was first to have, and that count from before it. */
const backdatedIn = (history: PriceHistory, index: number): ReadonlyArray<Backdated> => {
  const [before, revision] = [history[index - 1], history[index]]
  if (before === undefined || revision === undefined) return []
  return freshIn(revision.book, before.book)
    .map((override) => ({ override, fromMs: validFromMs(override) }))
    .filter(({ fromMs }) => Number.isFinite(fromMs) && fromMs < revision.sinceMs)
}

/** The overrides that another book does not have, or has otherwise. */
const freshIn = (book: PriceBook.PriceBook, before: PriceBook.PriceBook): ReadonlyArray<PriceOverride> => {
  if (book.overrides === before.overrides) return []
  const known = new Set(before.overrides.map(textOf))
  return book.overrides.filter((override) => !known.has(textOf(override)))
}

/** Equal for equal overrides, whatever the order of their fields. */
const textOf = (override: PriceOverride): string =>
  JSON.stringify([
    Object.entries(override.match).toSorted(byName),
    Object.entries({ ...override, match: "" }).toSorted(byName)
  ])

const byName = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number => (a < b ? -1 : 1)

/** Leaves out what counts for no hour that could be charged anew. */
const pruned = (history: PriceHistory, keptFromMs: number): PriceHistory => {
  const needed = history.findLastIndex(({ sinceMs }) => sinceMs <= keptFromMs)
  const [first = Arr.lastNonEmpty(history), ...rest] = history.slice(
    Math.max(0, needed, history.length - MAX_REVISIONS)
  )
  return [first, ...rest]
}
