/**
 * Changes that wait to be told, so that several of one row are one.
 */
import type { Change } from "./ChangeLog.ts"

interface Pending<Row> {
  /** When the first of them came. **Units** milliseconds by `steadyClock`. */
  readonly since: number
  readonly held: Row | undefined
  next: Row | undefined
}

export class PendingChanges<Row extends object> {
  readonly #keyOf: (row: Row) => string
  readonly #pending = new Map<string, Pending<Row>>()
  #oldest: number | undefined

  /** Tells rows apart by their key: two rows of one key are one row at two moments. */
  constructor(keyOf: (row: Row) => string) {
    this.#keyOf = keyOf
  }

  /** When the change came that waits longest. */
  get oldest(): number | undefined {
    return this.#oldest
  }

  /** Notes what a row was, and what it is now. **Units** `now` milliseconds by `steadyClock`. */
  note(held: Row | undefined, next: Row | undefined, now: number): void {
    const heldKey = held === undefined ? undefined : this.#keyOf(held)
    const nextKey = next === undefined ? undefined : this.#keyOf(next)
    if (heldKey !== undefined && heldKey !== nextKey) this.#put(heldKey, held, undefined, now)
    if (nextKey !== undefined) this.#put(nextKey, heldKey === nextKey ? held : undefined, next, now)
  }

  /** Takes the changes that have waited since a moment or longer. **Limits** looks at all. */
  take(until: number): Array<Change<Row>> {
    const taken: Array<Change<Row>> = []
    this.#oldest = undefined
    for (const [key, { held, next, since }] of this.#pending) {
      if (since > until) {
        this.#oldest = Math.min(this.#oldest ?? since, since)
        continue
      }
      this.#pending.delete(key)
      if (held !== undefined || next !== undefined) taken.push({ held, next })
    }
    return taken
  }

  /** Gives rows as they were before what waits. **Limits** linear. */
  before(rows: ReadonlyArray<Row>): ReadonlyArray<Row> {
    if (this.#pending.size === 0) return rows.slice()
    const heldOf = new Map<Row, Row | undefined>()
    const removed: Array<Row> = []
    for (const { held, next } of this.#pending.values()) {
      if (next !== undefined) heldOf.set(next, held)
      else if (held !== undefined) removed.push(held)
    }
    const before = rows.flatMap((row) => (heldOf.has(row) ? (heldOf.get(row) ?? []) : row))
    return before.concat(removed)
  }

  #put(key: string, held: Row | undefined, next: Row | undefined, now: number): void {
    const known = this.#pending.get(key)
    if (known === undefined) this.#pending.set(key, { since: now, held, next })
    else known.next = next
    this.#oldest = Math.min(this.#oldest ?? now, now)
  }
}
