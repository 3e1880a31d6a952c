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

/**
 * Returns whether two rows have the same content. **Limits** compares deeply: a row that is made again is a new object.
 */
const isSame = (left: Identified, right: Identified): boolean => left === right || isDeepStrictEqual(left, right)

export class ClusterRows<Row extends Identified> {
  readonly #now: () => number
  readonly #notify: () => void
  readonly #pending = new PendingChanges<Row>(keyOf)
  #set: RowSet<Row> | undefined
  #stop: () => void = () => {}
  #touchedAt: number | undefined
  /** Time of the first change whose rows `take` is determining now. */
  #settledSince: number | undefined
  /** Time at which the first rows were recorded. They count as shown once they have been reported. */
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
    return this.#isShown
  }

  /** Time of the change that has waited longest; `undefined` if none waits. */
  get oldest(): number | undefined {
    const pending = this.#pending.oldest
    if (this.#touchedAt === undefined) return pending
    return pending === undefined ? this.#touchedAt : Math.min(pending, this.#touchedAt)
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
    this.#touch()
  }

  /** Counts all current rows as reported, because there was no reader before. */
  showAll(): void {
    this.#pending.take(Number.POSITIVE_INFINITY)
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

  /** Takes the changes that have waited at least since `until`. */
  take(until: number): ReadonlyArray<Change<Row>> {
    if (this.#touchedAt !== undefined) {
      this.#settledSince = this.#touchedAt
      this.#set?.settle()
      this.#settledSince = undefined
      this.#touchedAt = undefined
    }
    const taken = this.#pending.take(until)
    if (taken.length > 0) this.#reported = undefined
    if (this.#begunAt !== undefined && this.#begunAt <= until) this.#isShown = true
    return taken.filter(({ previous, next }) => previous === undefined || next === undefined || !isSame(previous, next))
  }

  /** Returns all rows as reported to readers, as an immutable array. */
  reported(): ReadonlyArray<Row> {
    return (this.#reported ??= this.#pending.before(this.#set?.byPlace() ?? []))
  }

  #touch(): void {
    this.#touchedAt ??= this.#now()
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
      if (known === undefined || !isSame(known, row)) this.#note(known, row, now)
    }
    for (const row of before.values()) this.#note(row, undefined, now)
  }
}
