/**
 * The rows of one cluster as reported to readers, and the changes that are still to be reported.
 */
import { isDeepStrictEqual } from "node:util"
import type { Placed, RowSet } from "../cache/RowSet.ts"
import type { Change } from "./ChangeLog.ts"
import { PendingChanges } from "./PendingChanges.ts"

export interface Identified extends Placed {
  readonly id: string
  readonly kind: string
  readonly name: string
}

/** One owner id may have pods in several namespaces; each namespace has its own row. */
const keyOf = ({ id, kind, name, namespace }: Identified): string => `${namespace}/${kind}/${name}/${id}`

/** Time for which changes of objects collect before their rows are made. **Units** milliseconds. */
const COLLECT_MS = 20

export class ClusterRows<Row extends Identified> {
  readonly #now: () => number
  readonly #notify: () => void
  readonly #pending = new PendingChanges<Row>(keyOf)
  #set: RowSet<Row> | undefined
  #stop: () => void = () => {}
  /** Times of the first and the last change of objects whose rows have not been made. */
  #touched: { readonly first: number; last: number } | undefined
  /** Time of the first change whose rows `take` is determining now. */
  #settledSince: number | undefined
  /** Time at which the first rows were noted. They count as shown once they have been reported. */
  #begunAt: number | undefined
  #isShown = false
  #reported: ReadonlyArray<Row> | undefined

  /** Calls `notify` when a change waits. `now` returns milliseconds by `steadyClock`. */
  constructor(now: () => number, notify: () => void) {
    this.#now = now
    this.#notify = notify
  }

  /** True once the cluster's rows have been reported to readers. */
  get isShown(): boolean {
    const begunAt = this.#begunAt
    return (this.#isShown ||= begunAt !== undefined && !this.#pending.isWaitingSince(begunAt))
  }

  /** Time of the next `settle` or `take`; `undefined` if no change waits. */
  get due(): number | undefined {
    const pending = this.#pending.due
    if (this.#touched === undefined) return pending
    const collected = this.#touched.first + COLLECT_MS
    return pending === undefined ? collected : Math.min(pending, collected)
  }

  /**
   * Follows another row set from now on. Readers receive the differences.
   *
   * **Shape** `observe` calls its argument at each change of the underlying objects, and returns the function that
   * stops it.
   */
  follow(set: RowSet<Row>, observe: (touched: () => void) => () => void): void {
    const previous = this.#set?.byPlace() ?? []
    this.#stop()
    this.#set = set
    const unlisten = set.listen({
      change: (before, next) => this.#note(before, next, this.#settledSince ?? this.#now()),
      whole: (before, next) => this.#compare(before, next)
    })
    const unobserve = observe(() => this.#touch())
    this.#stop = () => {
      unlisten()
      unobserve()
    }
    this.#compare(previous, set.byPlace())
    this.#begunAt ??= this.#now()
  }

  /** Counts all current rows as reported, because there was no reader before. */
  showAll(): void {
    this.#pending.clear()
    this.#reported = undefined
    this.#isShown = true
  }

  /** Stops following. **Shape** with `isGone`, all rows are reported as gone; otherwise they stay as reported. */
  end(isGone: boolean): void {
    const previous = this.#set?.byPlace() ?? []
    this.#stop()
    this.#stop = () => {}
    this.#set = undefined
    if (isGone) this.#compare(previous, [])
  }

  /** Makes the rows of changed objects. */
  settle(): void {
    if (this.#touched === undefined) return
    this.#settledSince = this.#touched.last
    this.#set?.settle()
    this.#settledSince = undefined
    this.#touched = undefined
  }

  /** Takes the changes that are due until a time. */
  take(until: number): ReadonlyArray<Change<Row>> {
    const taken = this.#pending.take(until, this.#now())
    if (taken.length > 0) this.#reported = undefined
    return taken
  }

  /** Returns all rows as reported to readers, as an immutable array. */
  reported(): ReadonlyArray<Row> {
    return (this.#reported ??= this.#pending.before(this.#set?.byPlace() ?? []))
  }

  #touch(): void {
    const now = this.#now()
    if (this.#touched === undefined) this.#touched = { first: now, last: now }
    else this.#touched.last = now
    this.#notify()
  }

  #note(previous: Row | undefined, next: Row | undefined, now: number): void {
    this.#pending.note(previous, next, now)
    this.#reported = undefined
    this.#notify()
  }

  #compare(previous: ReadonlyArray<Row>, next: ReadonlyArray<Row>): void {
    const now = this.#now()
    const before = new Map(previous.map((row) => [keyOf(row), row]))
    for (const row of next) {
      const key = keyOf(row)
      const known = before.get(key)
      before.delete(key)
      if (!isDeepStrictEqual(known, row)) this.#note(known, row, now)
    }
    for (const row of before.values()) this.#note(row, undefined, now)
  }
}
