/**
 * Changes that wait to be reported, merged by row.
 */
import { isDeepStrictEqual } from "node:util"
import type { Change } from "./ChangeLog.ts"

/**
 * When a change is reported, in milliseconds.
 *
 * **Shape** once its row has not changed for `quietMs`, and not within `holdMs` after the last report of the row. A row
 * that keeps changing is reported `holdMs` after its first change.
 */
const TIMES = { quietMs: 50, holdMs: 230 }

interface Pending<Row> {
  /** Times of the first and the last merged change. **Units** milliseconds by `steadyClock`. */
  readonly since: number
  changedAt: number
  readonly previous: Row | undefined
  next: Row | undefined
}

export class PendingChanges<Row extends object> {
  readonly #keyOf: (row: Row) => string
  readonly #pending = new Map<string, Pending<Row>>()
  /** Times of the reports within the last `holdMs`, oldest first. */
  readonly #reportedAt = new Map<string, number>()
  #due: number | undefined

  /** Makes an empty collection. Rows with equal keys are versions of the same row. */
  constructor(keyOf: (row: Row) => string) {
    this.#keyOf = keyOf
  }

  /** Time of the next `take`; `undefined` if no change waits. */
  get due(): number | undefined {
    return this.#due
  }

  /** Returns whether any waiting change was noted at or before a time. **Limits** linear in the waiting changes. */
  isWaitingSince(time: number): boolean {
    for (const { since } of this.#pending.values()) if (since <= time) return true
    return false
  }

  /** Adds a change. **Units** milliseconds by `steadyClock`. */
  note(previous: Row | undefined, next: Row | undefined, now: number): void {
    const previousKey = previous === undefined ? undefined : this.#keyOf(previous)
    const nextKey = next === undefined ? undefined : this.#keyOf(next)
    if (previousKey !== undefined && previousKey !== nextKey) this.#put(previousKey, previous, undefined, now)
    if (nextKey !== undefined) this.#put(nextKey, previousKey === nextKey ? previous : undefined, next, now)
  }

  /**
   * Takes the changes that are due until a time, without those that were reverted.
   *
   * **Limits** linear in the waiting changes. Compares rows deeply: a row that is made again is a new object.
   */
  take(until: number, now: number): Array<Change<Row>> {
    const taken: Array<Change<Row>> = []
    for (const [key, at] of this.#reportedAt) {
      if (at + TIMES.holdMs > now) break
      this.#reportedAt.delete(key)
    }
    this.#due = undefined
    for (const [key, pending] of this.#pending) {
      const due = this.#dueOf(key, pending)
      if (due > until) {
        this.#due = Math.min(this.#due ?? due, due)
        continue
      }
      this.#pending.delete(key)
      const { next, previous } = pending
      if (isDeepStrictEqual(previous, next)) continue
      taken.push({ previous, next })
      this.#reportedAt.delete(key)
      this.#reportedAt.set(key, now)
    }
    return taken
  }

  /** Discards the changes. */
  clear(): void {
    this.#pending.clear()
    this.#due = undefined
  }

  /**
   * Returns rows without the waiting changes.
   *
   * **Limits** linear. Finds rows by key: after a kind was listed again, an unchanged row is a new object.
   */
  before(rows: ReadonlyArray<Row>): ReadonlyArray<Row> {
    if (this.#pending.size === 0) return rows.slice()
    const waiting = new Map(this.#pending)
    const before = rows.flatMap((row) => {
      const key = this.#keyOf(row)
      const pending = waiting.get(key)
      if (pending === undefined) return row
      waiting.delete(key)
      return pending.previous ?? []
    })
    for (const { previous } of waiting.values()) if (previous !== undefined) before.push(previous)
    return before
  }

  #put(key: string, previous: Row | undefined, next: Row | undefined, now: number): void {
    const known = this.#pending.get(key)
    const pending = known ?? { since: now, changedAt: now, previous, next }
    pending.next = next
    pending.changedAt = now
    this.#pending.set(key, pending)
    const due = this.#dueOf(key, pending)
    this.#due = Math.min(this.#due ?? due, due)
  }

  #dueOf(key: string, { changedAt, since }: Pending<Row>): number {
    const reportedAt = this.#reportedAt.get(key)
    const isQuietAt = Math.min(changedAt + TIMES.quietMs, since + TIMES.holdMs)
    return reportedAt === undefined ? isQuietAt : Math.max(isQuietAt, reportedAt + TIMES.holdMs)
  }
}
