/**
 * The hours of a cluster in memory: the present one, ended ones that wait to be closed, and those ahead of the clock.
 */
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { DAY_MS, hourOf } from "../hour/Units.ts"
import type { HourUsage } from "../savings/HourUsage.ts"
import { OpenHour } from "./OpenHour.ts"
import { TOLERANCE_MS } from "./ObservationSpans.ts"

/** Maximum time for which reports show an ended hour instead of the next one, while the ended hour waits to be closed. */
const SHOWN_MS = 300_000

/**
 * An ended hour.
 *
 * **Shape** `usage` is missing until all available usage is known. `isClosed` is true once the store has the hour.
 */
export interface PendingHour {
  readonly hour: OpenHour
  readonly isClosed: boolean
  readonly usage: HourUsage | undefined
}

interface Pending extends PendingHour {
  isClosed: boolean
  usage: HourUsage | undefined
}

/** Adds the currently running pods and nodes to an hour that has not received them. */
export type Fill = (hour: OpenHour) => void

/**
 * Keeps the hours of one cluster, even if the clock jumps.
 *
 * If the clock is set back, hours ahead of it are kept separately. When the clock reaches such an hour again, the hour
 * continues. Its observations from after the present instant are removed. After a jump forward and back, the
 * interrupted hour continues.
 */
export class ClusterHours {
  readonly #cluster: ClusterName
  readonly #pending: Array<Pending> = []
  readonly #ahead: Array<OpenHour> = []
  /** The hour that a forward jump of the clock interrupted. */
  #left: OpenHour | undefined
  #present: OpenHour | undefined
  #turnedMs = 0

  constructor(cluster: ClusterName) {
    this.#cluster = cluster
  }

  get present(): OpenHour | undefined {
    return this.#present
  }

  /** Ended hours, oldest first. */
  get pending(): ReadonlyArray<PendingHour> {
    return this.#pending
  }

  /** The hours that may still change, oldest first: those that wait to be closed, and the present one. */
  get unclosed(): ReadonlyArray<OpenHour> {
    return [
      ...this.#pending.filter(({ isClosed }) => !isClosed).map(({ hour }) => hour),
      ...(this.#present === undefined ? [] : [this.#present])
    ]
  }

  /**
   * Returns the open hour that reports include after the closed hours.
   *
   * This is the newest hour that is not closed. For five minutes after an hour ends, that hour is returned until it is closed.
   * Otherwise reports would have a gap.
   */
  shown(nowMs: number): OpenHour | undefined {
    const open = this.unclosed.filter(({ startMs }) => startMs <= nowMs)
    return open.find(({ endMs }) => endMs === hourOf(nowMs) && nowMs < endMs + SHOWN_MS) ?? open.at(-1)
  }

  /** Restores an hour from the journal. */
  restore(hour: OpenHour, nowMs: number, isClosed: boolean): void {
    const startMs = hourOf(nowMs)
    if (hour.startMs > startMs) this.#ahead.push(hour)
    else if (hour.startMs < startMs) this.#addPending(hour, isClosed)
    else {
      hour.seen.forgetAfter(nowMs)
      this.#present = hour
    }
  }

  /**
   * Switches to the hour that contains `nowMs`. Hours in between are skipped.
   *
   * Without `fill`, the cluster is not observed, and no new hour starts.
   */
  turn(nowMs: number, fill: Fill | undefined): void {
    const startMs = hourOf(nowMs)
    const before = this.#present
    const isBack = nowMs < this.#turnedMs
    this.#turnedMs = nowMs
    if (before?.startMs !== startMs) this.#present = undefined
    if (before !== undefined && before.startMs > startMs) this.#ahead.push(before)
    if (before !== undefined && before.startMs < startMs) {
      this.#addPending(before, false)
      this.#left = nowMs > before.endMs + TOLERANCE_MS ? before : undefined
    }
    this.#sortOut(startMs)
    if (this.#present === undefined) this.#present = this.#resume(nowMs, fill, before)
    if (isBack) for (const { seen } of this.unclosed) seen.forgetAfter(nowMs)
  }

  /** Records that the store has an hour, and its usage if known. */
  noteClosed(pending: PendingHour, usage: HourUsage | undefined): void {
    const place = this.#placeOf(pending)
    const found = this.#pending[place]
    if (found === undefined) return
    found.isClosed = true
    if (usage !== undefined) found.usage = usage
  }

  /** Removes a finished hour from the pending ones. Returns false if it was not among them. */
  finish(pending: PendingHour): boolean {
    const place = this.#placeOf(pending)
    // Missing because the clock was set back, so the hour is open again.
    if (place < 0) return false
    this.#pending.splice(place, 1)
    return true
  }

  /** Removes the oldest ended hour, even if it is not closed. */
  dropOldest(): void {
    this.#pending.shift()
  }

  #placeOf(pending: PendingHour): number {
    return this.#pending.findIndex((candidate) => candidate === pending)
  }

  /** Moves pending hours that lie ahead of the clock to `#ahead`, and hours of `#ahead` that have ended to the pending ones. */
  #sortOut(startMs: number): void {
    for (const pending of this.#pending.filter(({ hour }) => hour.startMs > startMs)) {
      this.#pending.splice(this.#pending.indexOf(pending), 1)
      this.#ahead.push(pending.hour)
    }
    for (const hour of this.#ahead.filter((candidate) => candidate.startMs < startMs)) {
      this.#ahead.splice(this.#ahead.indexOf(hour), 1)
      this.#addPending(hour, false)
    }
  }

  #resume(nowMs: number, fill: Fill | undefined, before: OpenHour | undefined): OpenHour | undefined {
    const startMs = hourOf(nowMs)
    const known = this.#takeAside(nowMs)
    if (known?.isSeen === true) {
      fill?.(known)
      return known
    }
    if (fill === undefined) return undefined
    if (before !== undefined && before.startMs < startMs && startMs - before.startMs < DAY_MS) {
      let hour = before.next()
      while (hour.startMs < startMs) hour = hour.next()
      return hour
    }
    const hour = new OpenHour(this.#cluster, startMs)
    fill(hour)
    return hour
  }

  /** Removes and returns the known hour that contains `nowMs`, without its observations after `nowMs`. */
  #takeAside(nowMs: number): OpenHour | undefined {
    const startMs = hourOf(nowMs)
    const waiting = this.#pending.findIndex(({ hour }) => hour.startMs === startMs)
    const ahead = this.#ahead.findIndex((hour) => hour.startMs === startMs)
    const [pending] = waiting < 0 ? [] : this.#pending.splice(waiting, 1)
    const [set] = ahead < 0 ? [] : this.#ahead.splice(ahead, 1)
    const left = this.#left?.startMs === startMs ? this.#left : undefined
    const hour = pending?.hour ?? left ?? set
    hour?.seen.forgetAfter(nowMs)
    return hour
  }

  #addPending(hour: OpenHour, isClosed: boolean): void {
    this.#pending.push({ hour, isClosed, usage: undefined })
    this.#pending.sort((one, other) => one.hour.startMs - other.hour.startMs)
  }
}
