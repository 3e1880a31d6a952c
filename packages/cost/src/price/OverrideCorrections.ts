/**
 * Corrects past prices: applies the overrides of a later price book to the time before that book was saved.
 */
import { type PriceOverride, validFromMs } from "./PriceOverride.ts"

type Overrides = ReadonlyArray<PriceOverride>

interface Compared {
  readonly before: Overrides
  readonly fresh: Overrides
}

/**
 * Caches of the results of `freshIn` and `textOf`. Books are immutable, and the same ones are compared again and again.
 */
const compared = new WeakMap<Overrides, Compared>()
const texts = new WeakMap<PriceOverride, string>()

/**
 * Returns the overrides that are new or changed compared with another book. **Limits** caches the last result for
 * `overrides`.
 */
export const freshIn = (overrides: Overrides, before: Overrides): Overrides => {
  if (overrides === before) return []
  const last = compared.get(overrides)
  if (last?.before === before) return last.fresh
  const known = new Set(before.map(textOf))
  const fresh = overrides.filter((override) => !known.has(textOf(override)))
  compared.set(overrides, { before, fresh })
  return fresh
}

/**
 * Returns the overrides of an instant, corrected by those that a later book added.
 *
 * Each override in `added` is appended. It replaces every override with the same resource and match that starts at the
 * same instant or later, unless `later`, the list of the later book, still has that override. Later starts are
 * included, because the start of a wrong override can be wrong too.
 */
export const corrected = (overrides: Overrides, added: Overrides, later: Overrides): Overrides => {
  if (added.length === 0) return overrides
  const keptTexts = new Set(later.map(textOf))
  const fromMs = new Map<string, number>()
  for (const override of added) {
    const subject = subjectOf(override)
    fromMs.set(subject, Math.min(fromMs.get(subject) ?? Number.POSITIVE_INFINITY, validFromMs(override)))
  }
  const isLeft = (override: PriceOverride): boolean =>
    validFromMs(override) < (fromMs.get(subjectOf(override)) ?? Number.POSITIVE_INFINITY)
    || keptTexts.has(textOf(override))
  return [...overrides.filter(isLeft), ...added]
}

const subjectOf = ({ match, resource }: PriceOverride): string =>
  JSON.stringify([resource, Object.entries(match).toSorted(byName)])

/** Returns a text that is equal for equal overrides, independent of the order of fields. */
const textOf = (override: PriceOverride): string => {
  const known = texts.get(override)
  if (known !== undefined) return known
  const text = JSON.stringify([
    Object.entries(override.match).toSorted(byName),
    Object.entries({ ...override, match: "" }).toSorted(byName)
  ])
  texts.set(override, text)
  return text
}

const byName = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number => (a < b ? -1 : 1)
