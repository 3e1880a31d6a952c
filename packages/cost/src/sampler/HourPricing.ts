/**
 * Computes the costs of hours from a price history: exactly for a new hour, whose observations are known, and by shares
 * of time for a stored hour.
 */
import * as HourBuilder from "../allocation/HourBuilder.ts"
import type { HourFacts, Span } from "../allocation/HourFacts.ts"
import type { Hour } from "../hour/Hour.ts"
import { measures, record } from "../hour/Measure.ts"
import { keyOf } from "../hour/Series.ts"
import type { Window } from "../hour/Window.ts"
import * as PriceHistory from "../price/PriceHistory.ts"
import { reprice, repriceBy, windowOf } from "../price/HourCosts.ts"

/** The measures that depend on prices. */
const COSTS = measures.filter((measure) => measure.endsWith("CostNanos"))

/**
 * Builds an hour with costs. A price change within the hour applies from its exact second.
 *
 * **Limits** builds the hour once more for each price change within it.
 */
export const fromFacts = (history: PriceHistory.PriceHistory, facts: HourFacts): Hour => {
  const hour = HourBuilder.build(facts)
  const ratesOver = PriceHistory.ratesOver(history)
  const window = windowOf(hour)
  const changes = PriceHistory.changesIn(history, hour.cluster, window)
  if (changes.length === 0) return reprice(hour, (subject) => ratesOver(subject, window))
  const placeOf = new Map(hour.series.map((series, place) => [keyOf(series), place]))
  const columns = record((measure) => hour.columns[measure].slice())
  for (const measure of COSTS) columns[measure].fill(0)
  const edges = [window.startMs, ...changes, window.endMs]
  for (const [index, startMs] of edges.slice(0, -1).entries()) {
    const part = { startMs, endMs: edges[index + 1] ?? window.endMs }
    const seen = within(facts.seen, part)
    if (seen.length === 0) continue
    const priced = reprice(HourBuilder.build({ ...facts, seen }), (subject) => ratesOver(subject, part))
    for (const [from, series] of priced.series.entries()) {
      const place = placeOf.get(keyOf(series))
      if (place === undefined) continue
      for (const measure of COSTS) {
        columns[measure][place] = (columns[measure][place] ?? 0) + (priced.columns[measure][from] ?? 0)
      }
    }
  }
  return { ...hour, columns }
}

/**
 * Returns a closed hour with its costs recomputed from a price history.
 *
 * Stored hours lack the usage over time. A price change saved after the hour therefore counts by its share of the observed
 * time. If all price changes were known when the hour ended, its costs are already exact and do not change.
 */
export const again = (history: PriceHistory.PriceHistory, hour: Hour): Hour => {
  const window = windowOf(hour)
  const changes = PriceHistory.changesIn(history, hour.cluster, window)
  if (changes.length > 0 && !PriceHistory.isRevised(history, window)) return hour
  return repriceBy(history, hour)
}

const within = (spans: ReadonlyArray<Span>, { endMs, startMs }: Window): ReadonlyArray<Span> =>
  spans
    .map(({ fromMs, toMs }) => ({ fromMs: Math.max(fromMs, startMs), toMs: Math.min(toMs, endMs) }))
    .filter(({ fromMs, toMs }) => fromMs < toMs)
