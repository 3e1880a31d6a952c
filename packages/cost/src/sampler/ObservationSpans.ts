/**
 * The times in which a cluster was watched.
 */
import type { Span } from "../allocation/HourFacts.ts"

/** Proofs that follow each other no later than that leave no hole between them. */
export const TOLERANCE_MS = 90_000

/** Spans rise and do not touch. */
export class ObservationSpans {
  #spans: Array<Span>
  #isCut = false

  /** Continues earlier spans, the last of which goes on. */
  constructor(spans: ReadonlyArray<Span> = []) {
    this.#spans = [...spans]
  }

  /** Ends the last span for good: whatever is seen next begins another. */
  cut(): void {
    this.#isCut = true
  }

  /** Notes that the view was proven to be current at an instant, and gives whether that is news. */
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

  /** Takes back what was noted of a time that is still to come: the clock was ahead. */
  forgetAfter(nowMs: number): void {
    if (this.#spans.every(({ toMs }) => toMs <= nowMs)) return
    this.#spans = this.#spans
      .filter(({ fromMs }) => fromMs <= nowMs)
      .map(({ fromMs, toMs }) => ({ fromMs, toMs: Math.min(toMs, nowMs) }))
  }

  /** Gives what goes on after an instant: the next hour's. */
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

  /** Gives what of it lies within a time; instants are none. */
  within({ fromMs, toMs }: Span): ReadonlyArray<Span> {
    return this.#spans
      .map((span) => ({ fromMs: Math.max(span.fromMs, fromMs), toMs: Math.min(span.toMs, toMs) }))
      .filter((span) => span.toMs > span.fromMs)
  }
}
