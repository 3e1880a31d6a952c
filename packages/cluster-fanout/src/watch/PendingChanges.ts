/**
 * Changes that wait to be reported, merged by row.
 */
import type { Change } from "./ChangeLog.ts"

interface Pending<Row> {
  /** Time of the first merged change. **Units** milliseconds by `steadyClock`. */
  readonly since: number
  readonly previous: Row | undefined
  next: Row | undefined
}

export class PendingChanges<Row extends object> {
  readonly #keyOf: (row: Row) => string
  readonly #pending = new Map<string, Pending<Row>>()
  #oldest: number | undefined

  /** Makes an empty collection. Rows with equal keys are versions of the same row. */
  constructor(keyOf: (row: Row) => string) {
    this.#keyOf = keyOf
  }

  /** Time of the change that has waited longest. */
  get oldest(): number | undefined {
    return this.#oldest
  }

  /** Adds a change. **Units** `now` milliseconds by `steadyClock`. */
  note(previous: Row | undefined, next: Row | undefined, now: number): void {
    const previousKey = previous === undefined ? undefined : this.#keyOf(previous)
    const nextKey = next === undefined ? undefined : this.#keyOf(next)
    if (previousKey !== undefined && previousKey !== nextKey) this.#put(previousKey, previous, undefined, now)
    if (nextKey !== undefined) this.#put(nextKey, previousKey === nextKey ? previous : undefined, next, now)
  }

  /** Takes the changes that have waited at least since `until`. **Limits** linear in the waiting changes. */
  take(until: number): Array<Change<Row>> {
    const taken: Array<Change<Row>> = []
    this.#oldest = undefined
    for (const [key, { previous, next, since }] of this.#pending) {
      if (since > until) {
        this.#oldest = Math.min(this.#oldest ?? since, since)
        continue
      }
      this.#pending.delete(key)
      if (previous !== undefined || next !== undefined) taken.push({ previous, next })
    }
    return taken
  }

  /** Returns rows without the waiting changes. **Limits** linear. */
  before(rows: ReadonlyArray<Row>): ReadonlyArray<Row> {
    if (this.#pending.size === 0) return rows.slice()
    const previousOf = new Map<Row, Row | undefined>()
    const removed: Array<Row> = []
    for (const { previous, next } of this.#pending.values()) {
      if (next !== undefined) previousOf.set(next, previous)
      else if (previous !== undefined) removed.push(previous)
    }
    const before = rows.flatMap((row) => (previousOf.has(row) ? (previousOf.get(row) ?? []) : row))
    return before.concat(removed)
  }

  #put(key: string, previous: Row | undefined, next: Row | undefined, now: number): void {
    const known = this.#pending.get(key)
    if (known === undefined) this.#pending.set(key, { since: now, previous, next })
    else known.next = next
    this.#oldest = Math.min(this.#oldest ?? now, now)
  }
}
