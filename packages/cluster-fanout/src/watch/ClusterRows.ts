/**
 * The rows of one cluster as its readers were told them, and what they are still to be told.
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

/** An owner of one id may have pods in several namespaces, and each is a row of its own. */
const keyOf = ({ id, kind, name, namespace }: Identified): string => `${namespace}/${kind}/${name}/${id}`

/** Tells whether two rows show the same. **Limits** rows that are read anew are made anew. */
const isSame = (one: Identified, other: Identified): boolean => one === other || isDeepStrictEqual(one, other)

export class ClusterRows<Row extends Identified> {
  readonly #now: () => number
  readonly #notify: () => void
  readonly #pending = new PendingChanges<Row>(keyOf)
  #set: RowSet<Row> | undefined
  #stop: () => void = () => {}
  #touchedAt: number | undefined
  /** When what is being settled was touched. */
  #settledSince: number | undefined
  /** When the first rows were noted, which are shown once they were told. */
  #begunAt: number | undefined
  #isShown = false
  #told: ReadonlyArray<Row> | undefined

  /** Calls `notify` when something waits; `now` gives milliseconds by `steadyClock`. */
  constructor(now: () => number, notify: () => void) {
    this.#now = now
    this.#notify = notify
  }

  /** Whether readers were told the rows of the cluster. */
  get isShown(): boolean {
    return this.#isShown
  }

  /** When that changed which waits longest; `undefined` when nothing waits. */
  get oldest(): number | undefined {
    const pending = this.#pending.oldest
    if (this.#touchedAt === undefined) return pending
    return pending === undefined ? this.#touchedAt : Math.min(pending, this.#touchedAt)
  }

  /**
   * Follows other rows from now on: readers are told how they differ.
   *
   * **Shape** `observe` begins to call what it is given at each change of the objects below, and gives what ends it.
   */
  follow(set: RowSet<Row>, observe: (touched: () => void) => () => void): void {
    const held = this.#set?.byPlace() ?? []
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
    this.#compare(held, set.byPlace())
    this.#begunAt ??= this.#now()
    this.#touch()
  }

  /** Counts all that is there now as told: there was nobody to tell. */
  showAll(): void {
    this.#pending.take(Number.POSITIVE_INFINITY)
    this.#told = undefined
    this.#isShown = true
  }

  /** Follows nothing any more. **Shape** with `isGone` all rows go; else they stay as they were told. */
  end(isGone: boolean): void {
    const held = this.#set?.byPlace() ?? []
    this.#stop()
    this.#stop = () => {}
    this.#set = undefined
    if (isGone) this.#compare(held, [])
  }

  /** Takes the changes that have waited since a moment or longer. */
  take(until: number): ReadonlyArray<Change<Row>> {
    if (this.#touchedAt !== undefined) {
      this.#settledSince = this.#touchedAt
      this.#set?.settle()
      this.#settledSince = undefined
      this.#touchedAt = undefined
    }
    const taken = this.#pending.take(until)
    if (taken.length > 0) this.#told = undefined
    if (this.#begunAt !== undefined && this.#begunAt <= until) this.#isShown = true
    return taken.filter(({ held, next }) => held === undefined || next === undefined || !isSame(held, next))
  }

  /** Gives all rows as readers were told them: an array that no later change touches. */
  told(): ReadonlyArray<Row> {
    return (this.#told ??= this.#pending.before(this.#set?.byPlace() ?? []))
  }

  #touch(): void {
    this.#touchedAt ??= this.#now()
    this.#notify()
  }

  #note(held: Row | undefined, next: Row | undefined, now: number): void {
    this.#pending.note(held, next, now)
    this.#told = undefined
    this.#notify()
  }

  #compare(held: ReadonlyArray<Row>, next: ReadonlyArray<Row>): void {
    const now = this.#now()
    const before = new Map(held.map((row) => [keyOf(row), row]))
    for (const row of next) {
      const key = keyOf(row)
      const known = before.get(key)
      before.delete(key)
      if (known === undefined || !isSame(known, row)) this.#note(known, row, now)
    }
    for (const row of before.values()) this.#note(row, undefined, now)
  }
}
