/**
 * Puts exact instants to the ends of what was seen minute by minute.
 */
import type { Span } from "../../allocation/HourFacts.ts"
import { MINUTE_MS } from "./Minutes.ts"

/** How long after it happened a scrape may first tell of it. */
const LATE_MS = 5 * MINUTE_MS

/**
 * Lets an interval begin at the start that belongs to it.
 *
 * Of several the latest; one that lies up to five minutes before the first minute or within it. Without one the
 * minute's beginning stays.
 */
export const startedAt = (span: Span, startsMs: ReadonlyArray<number>): Span => {
  const fitting = startsMs.filter((ms) => ms >= span.fromMs - LATE_MS && ms < span.fromMs + MINUTE_MS)
  return fitting.length === 0 ? span : { ...span, fromMs: Math.max(...fitting) }
}

/** Lets an interval end at the end that belongs to it: one within the last minute, or up to five minutes after it. */
export const endedAt = (span: Span, endMs: number | undefined): Span =>
  endMs !== undefined && endMs > Math.max(span.fromMs, span.toMs - MINUTE_MS) && endMs <= span.toMs + LATE_MS
    ? { ...span, toMs: endMs }
    : span
