/**
 * The times in which a cluster was observed.
 */
import type { Span } from "../allocation/HourFacts.ts"

/**
 * Maximum time between two instants at which the view is known to be current. A longer time between them counts as a
 * gap.
 */
export const TOLERANCE_MS = 90_000

/** The observed times, as ascending spans that do not touch. */
export class ObservationSpans {
  #spans: Array<Span>
  #isCut = false

  /** Starts with earlier spans, the last of which may be extended. */
  constructor(spans: ReadonlyArray<Span> = []) {
    this.#spans = [...spans]
  }

  /** Ends the last span. The next {@link extend} starts a new one. */
  cut(): void {
    this.#isCut = true
  }

  /**
   * Extends the observed time to `untilMs`, an instant at which the view was known to be current. Returns false if that
   * time is already covered.
   */
  extend(untilMs: number): boolean {
    const last = this.#spans.at(-1)
    if (last !== undefined && untilMs <= last.toMs) return false
    if (last === undefined || this.#isCut || untilMs - last.toMs > TOLERANCE_MS) {
      this.#spans.push({ fromMs: untilMs, toMs: untilMs })
    } else {
      this.#spans[this.#spans.length - 1] = { fromMs: last.fromMs, toMs: untilMs }
    }
    this.#isCut = false
    return true
  }

  /** Removes times after `nowMs`, which were recorded when the clock was ahead. */
  forgetAfter(nowMs: number): void {
    if (this.#spans.every(({ toMs }) => toMs <= nowMs)) return
    this.#spans = this.#spans
      .filter(({ fromMs }) => fromMs <= nowMs)
      .map(({ fromMs, toMs }) => ({ fromMs, toMs: Math.min(toMs, nowMs) }))
  }

  /** Returns the spans of the next hour: the part of the last span after `atMs`. */
  after(atMs: number): ObservationSpans {
    const next = new ObservationSpans(
      this.#spans.slice(-1).map(({ fromMs, toMs }) => ({ fromMs: Math.max(fromMs, Math.min(atMs, toMs)), toMs }))
    )
    next.#isCut = this.#isCut
    return next
  }

  get all(): ReadonlyArray<Span> {
    return this.#spans
  }

  /** Returns the non-empty parts of the spans within another span. */
  within({ fromMs, toMs }: Span): ReadonlyArray<Span> {
    return this.#spans
      .map((span) => ({ fromMs: Math.max(span.fromMs, fromMs), toMs: Math.min(span.toMs, toMs) }))
      .filter((span) => span.toMs > span.fromMs)
  }
}
