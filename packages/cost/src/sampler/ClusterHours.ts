/**
 * The hours of a cluster that are in hand: the present one, those that wait to be closed, and those of the future.
 */
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { DAY_MS, hourOf } from "../hour/Units.ts"
import type { HourUsage } from "../savings/HourUsage.ts"
import { OpenHour } from "./OpenHour.ts"
import { TOLERANCE_MS } from "./ObservationSpans.ts"

/** An hour that is over is shown instead of the next one for so long, while it waits to be closed. */
const SHOWN_MS = 300_000

/**
 * An hour that is over.
 *
 * **Shape** `usage` is missing until all is known that will be; `isClosed` once the store has it.
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

/** Puts what runs now into an hour that was not told of it. */
export type Fill = (hour: OpenHour) => void

/**
 * Holds the hours of one cluster, by a clock that may be set.
 *
 * An hour that lies ahead of the clock is set aside as it is: either the clock was ahead, and nothing of it was
 * seen when its time comes, or the clock is behind, and the hour goes on once that is over. One that the clock comes back
 * to goes on where it was left.
 */
export class ClusterHours {
  readonly #cluster: ClusterName
  readonly #pending: Array<Pending> = []
  readonly #aside: Array<OpenHour> = []
  /** The hour that the clock went away from faster than time passes. */
  #left: OpenHour | undefined
  #present: OpenHour | undefined
  #turnedMs = 0

  constructor(cluster: ClusterName) {
    this.#cluster = cluster
  }

  get present(): OpenHour | undefined {
    return this.#present
  }

  /** Hours that are over, oldest first. */
  get pending(): ReadonlyArray<PendingHour> {
    return this.#pending
  }

  /** The hours that may still learn something, oldest first: those that wait to be closed, and the present one. */
  get unclosed(): ReadonlyArray<OpenHour> {
    return [
      ...this.#pending.filter(({ isClosed }) => !isClosed).map(({ hour }) => hour),
      ...(this.#present === undefined ? [] : [this.#present])
    ]
  }

  /**
   * Gives the hour that reports end with.
   *
   * The newest that is not closed, but the one that ended last until it is closed: it would be missing.
   */
  shown(nowMs: number): OpenHour | undefined {
    const open = this.unclosed.filter(({ startMs }) => startMs <= nowMs)
    return open.find(({ endMs }) => endMs === hourOf(nowMs) && nowMs < endMs + SHOWN_MS) ?? open.at(-1)
  }

  /** Takes an hour of before, as it was kept. */
  restore(hour: OpenHour, nowMs: number, isClosed: boolean): void {
    const startMs = hourOf(nowMs)
    if (hour.startMs > startMs) this.#aside.push(hour)
    else if (hour.startMs < startMs) this.#addPending(hour, isClosed)
    else {
      hour.seen.forgetAfter(nowMs)
      this.#present = hour
    }
  }

  /**
   * Turns to the hour of an instant; hours that nobody was awake for are left out.
   *
   * No hour begins without a `fill`: nobody follows the cluster.
   */
  turn(nowMs: number, fill: Fill | undefined): void {
    const startMs = hourOf(nowMs)
    const before = this.#present
    const isBack = nowMs < this.#turnedMs
    this.#turnedMs = nowMs
    if (before?.startMs !== startMs) this.#present = undefined
    if (before !== undefined && before.startMs > startMs) this.#aside.push(before)
    if (before !== undefined && before.startMs < startMs) {
      this.#addPending(before, false)
      this.#left = nowMs > before.endMs + TOLERANCE_MS ? before : undefined
    }
    this.#sortOut(startMs)
    if (this.#present === undefined) this.#present = this.#resume(nowMs, fill, before)
    if (isBack) for (const { seen } of this.unclosed) seen.forgetAfter(nowMs)
  }

  /** Notes that the store has an hour, and its usage where that is known now. */
  noteClosed(pending: PendingHour, usage: HourUsage | undefined): void {
    const place = this.#placeOf(pending)
    const found = this.#pending[place]
    if (found === undefined) return
    found.isClosed = true
    if (usage !== undefined) found.usage = usage
  }

  /** Lets go of an hour of which nothing is left to do, and tells whether it was pending still. */
  finish(pending: PendingHour): boolean {
    const place = this.#placeOf(pending)
    // The clock went back: the hour goes on.
    if (place < 0) return false
    this.#pending.splice(place, 1)
    return true
  }

  /** Lets go of the oldest hour that is over, whatever it lacks. */
  dropOldest(): void {
    this.#pending.shift()
  }

  #placeOf(pending: PendingHour): number {
    return this.#pending.findIndex((candidate) => candidate === pending)
  }

  /** Sets aside what is pending and lies ahead, and the other way round. */
  #sortOut(startMs: number): void {
    for (const one of this.#pending.filter(({ hour }) => hour.startMs > startMs)) {
      this.#pending.splice(this.#pending.indexOf(one), 1)
      this.#aside.push(one.hour)
    }
    for (const hour of this.#aside.filter((one) => one.startMs < startMs)) {
      this.#aside.splice(this.#aside.indexOf(hour), 1)
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

  /** Takes the hour of an instant from where it was put, without what it says of later. */
  #takeAside(nowMs: number): OpenHour | undefined {
    const startMs = hourOf(nowMs)
    const waiting = this.#pending.findIndex(({ hour }) => hour.startMs === startMs)
    const aside = this.#aside.findIndex((hour) => hour.startMs === startMs)
    const [pending] = waiting < 0 ? [] : this.#pending.splice(waiting, 1)
    const [set] = aside < 0 ? [] : this.#aside.splice(aside, 1)
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
