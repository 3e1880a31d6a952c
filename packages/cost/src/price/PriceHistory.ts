/**
 * The history of price books, so that an hour keeps the prices of its time.
 */
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Array as Arr, Schema } from "effect"
import * as PriceBook from "./PriceBook.ts"
import { corrected, freshIn } from "./OverrideCorrections.ts"
import { type PriceOverride, validFromMs } from "./PriceOverride.ts"
import * as Rates from "./Rates.ts"
import type { Window } from "../hour/Window.ts"

/** A book, and the instant from which it applies. **Units** milliseconds since the epoch. */
export const Revision = Schema.Struct({ sinceMs: Schema.Int, book: PriceBook.PriceBook })
export type Revision = typeof Revision.Type

/** All books, oldest first. The first also applies to the time before it. */
export const PriceHistory = Schema.NonEmptyArray(Revision)
export type PriceHistory = Arr.NonEmptyReadonlyArray<Revision>

/** The history before the first change. */
export const initial: PriceHistory = [{ sinceMs: 0, book: PriceBook.initial }]

/** Returns the present book. */
export const current = (history: PriceHistory): PriceBook.PriceBook => Arr.lastNonEmpty(history).book

/** Returns the prices of a subject over a window, or over the observed parts of it if given. */
export type RatesOver = (subject: PriceBook.Subject, window: Window, seen?: ReadonlyArray<Window>) => Rates.Rates

/**
 * Returns a function for the mean prices over a window, weighted by time.
 *
 * If a price changes within the window, each price counts for its part. At each instant the book of that time applies, plus
 * overrides that a later book added with an earlier `validFrom`. Such an override replaces the ones that it corrects.
 *
 * **Limits** the history is indexed once and cached.
 */
export const ratesOver = (history: PriceHistory): RatesOver => preparedOf(history).ratesOver

/** Returns the instants after a window's start and before its end at which a price of a cluster changes, ascending. */
export const changesIn = (history: PriceHistory, cluster: ClusterName, window: Window): ReadonlyArray<number> =>
  preparedOf(history).changesIn(cluster, window)

/** Returns true if a book that was saved after a window's end changed prices of that window or of an earlier time. */
export const isRevised = (history: PriceHistory, window: Window): boolean => preparedOf(history).isRevised(window)

interface Prepared {
  readonly ratesOver: RatesOver
  readonly changesIn: (cluster: ClusterName, window: Window) => ReadonlyArray<number>
  readonly isRevised: (window: Window) => boolean
}

const preparedOf = (history: PriceHistory): Prepared => {
  const known = prepared.get(history)
  if (known !== undefined) return known
  const made = prepare(history)
  prepared.set(history, made)
  return made
}

/** Cache by history object. A history never changes. */
const prepared = new WeakMap<PriceHistory, Prepared>()
/** Limits of two caches: of corrected price books, and of the prices of each subject between two changes. */
const MAX_BOOKS = 64
const MAX_RATES = 4_096

const prepare = (history: PriceHistory): Prepared => {
  const backdated = history.map(({ book, sinceMs }, index) => {
    const before = history[index - 1]
    const isBackdated = (override: PriceOverride): boolean => {
      const fromMs = validFromMs(override)
      return Number.isFinite(fromMs) && fromMs < sinceMs
    }
    // Most books have no backdated overrides, so there is nothing to compare.
    if (before === undefined || !book.overrides.some(isBackdated)) return []
    return freshIn(book.overrides, before.book.overrides).filter(isBackdated)
  })
  const instants = new Set(history.map(({ sinceMs }) => sinceMs))
  for (const { book } of history) for (const override of book.overrides) instants.add(validFromMs(override))
  const changes = [...instants].filter(Number.isFinite).toSorted((a, b) => a - b)

  const books = new Map<number, PriceBook.PriceBook>()
  /** Returns the book that applies from the change with the given index until the next change. */
  const bookAfter = (change: number): PriceBook.PriceBook => {
    const known = books.get(change)
    if (known !== undefined) return known
    const book = bookAt(history, backdated, changes[change] ?? Number.NEGATIVE_INFINITY)
    if (books.size >= MAX_BOOKS) books.clear()
    books.set(change, book)
    return book
  }
  const rates = new Map<string, Rates.Rates>()
  const ratesAfter = (change: number, subject: PriceBook.Subject): Rates.Rates => {
    const key = `${change} ${JSON.stringify(subject)}`
    const known = rates.get(key)
    if (known !== undefined) return known
    const found = PriceBook.effective(bookAfter(change), subject, changes[change] ?? Number.NEGATIVE_INFINITY)
    if (rates.size >= MAX_RATES) rates.clear()
    rates.set(key, found)
    return found
  }
  const lastBy = (atMs: number): number => changes.findLastIndex((ms) => ms <= atMs)
  const isWithin = (change: number, { endMs }: Window): boolean => (changes[change] ?? Infinity) < endMs

  return {
    ratesOver: (subject, window, seen = [window]) => {
      const first = lastBy(window.startMs)
      if (!isWithin(first + 1, window)) return ratesAfter(first, subject)
      const parts: Array<{ readonly rates: Rates.Rates; readonly ms: number }> = []
      for (const { endMs, startMs } of seen) {
        let change = lastBy(startMs)
        let fromMs = startMs
        while (fromMs < endMs) {
          const toMs = Math.min(endMs, changes[change + 1] ?? endMs)
          parts.push({ rates: ratesAfter(change, subject), ms: toMs - fromMs })
          fromMs = toMs
          change++
        }
      }
      return Rates.mean(parts)
    },
    changesIn: (cluster, window) => {
      const found: Array<number> = []
      const first = lastBy(window.startMs) + 1
      if (!isWithin(first, window)) return found
      let before = printed(bookAfter(first - 1), cluster, window.startMs)
      for (let change = first; isWithin(change, window); change++) {
        const atMs = changes[change] ?? window.endMs
        const after = printed(bookAfter(change), cluster, atMs)
        if (after !== before) found.push(atMs)
        before = after
      }
      return found
    },
    isRevised: ({ endMs }) =>
      history.some(
        ({ sinceMs }, index) =>
          sinceMs >= endMs && (backdated[index] ?? []).some((override) => validFromMs(override) < endMs)
      )
  }
}

/** Returns everything in a book that can affect a cluster's prices at an instant, as a comparable text. */
const printed = (book: PriceBook.PriceBook, cluster: ClusterName, atMs: number): string => {
  const counting = book.overrides.filter(
    (override) => (override.match.cluster ?? cluster) === cluster && validFromMs(override) <= atMs
  )
  return JSON.stringify([book.rate, book.default, counting])
}

/**
 * Returns the book of an instant with later corrections.
 *
 * **Shape** `backdated` has, for each book, its new overrides that start before the book was saved.
 */
const bookAt = (
  history: PriceHistory,
  backdated: ReadonlyArray<ReadonlyArray<PriceOverride>>,
  atMs: number
): PriceBook.PriceBook => {
  const index = Math.max(
    0,
    history.findLastIndex(({ sinceMs }) => sinceMs <= atMs)
  )
  const { book } = history[index] ?? Arr.lastNonEmpty(history)
  let overrides: ReadonlyArray<PriceOverride> = book.overrides
  for (let later = index + 1; later < history.length; later++) {
    const added = (backdated[later] ?? []).filter((override) => validFromMs(override) <= atMs)
    overrides = corrected(overrides, added, history[later]?.book.overrides ?? [])
  }
  return overrides === book.overrides ? book : { ...book, overrides }
}
