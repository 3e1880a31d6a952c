/**
 * Replaces the ends of minute-based runs by exact instants.
 */
import type { Span } from "../../allocation/HourFacts.ts"
import { MINUTE_MS } from "./MinuteMask.ts"

/** Maximum delay between an event and the first scrape that reports it. */
const LATE_MS = 5 * MINUTE_MS

/**
 * Moves the start of a span to the latest container start within its first minute or up to five minutes before.
 *
 * Without such a start, the span does not change.
 */
export const startedAt = (span: Span, startsMs: ReadonlyArray<number>): Span => {
  const fitting = startsMs.filter((ms) => ms >= span.fromMs - LATE_MS && ms < span.fromMs + MINUTE_MS)
  return fitting.length === 0 ? span : { ...span, fromMs: Math.max(...fitting) }
}

/** Moves the end of a span to `endMs` if that lies within the last minute or up to five minutes after it. */
export const endedAt = (span: Span, endMs: number | undefined): Span =>
  endMs !== undefined && endMs > Math.max(span.fromMs, span.toMs - MINUTE_MS) && endMs <= span.toMs + LATE_MS
    ? { ...span, toMs: endMs }
    : span
