/**
 * What a book's overrides change in those of an earlier book, for the time before it was written.
 */
import { type PriceOverride, validFromMs } from "./PriceOverride.ts"

type Overrides = ReadonlyArray<PriceOverride>

interface Compared {
  readonly before: Overrides
  readonly fresh: Overrides
}

/** Books never change once they are read, and are asked for with every revision. */
const compared = new WeakMap<Overrides, Compared>()
const texts = new WeakMap<PriceOverride, string>()

/** Gives the overrides that another book does not have, or has otherwise. **Limits** remembered for the pair. */
export const freshIn = (overrides: Overrides, before: Overrides): Overrides => {
  if (overrides === before) return []
  const done = compared.get(overrides)
  if (done?.before === before) return done.fresh
  const known = new Set(before.map(textOf))
  const fresh = overrides.filter((override) => !known.has(textOf(override)))
  compared.set(overrides, { before, fresh })
  return fresh
}

/**
 * Gives the overrides of an instant as a later book has put them right.
 *
 * What counts from before the instant is added. It takes the place of those for the same resource and match that
 * count from the same instant or later, unless the later book has them still: a wrong price can have a wrong day too.
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

/** Equal for equal overrides, whatever the order of their fields. */
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
