/**
 * The last changes of rows, numbered, so that a reader who was away hears what it missed.
 */

/** One row as it was, and as it is. **Shape** never neither. */
export interface Change<Row> {
  readonly held: Row | undefined
  readonly next: Row | undefined
}

export interface NumberedChange<Row> extends Change<Row> {
  readonly number: number
}

/** How many changes are kept. */
const MOST_CHANGES = 10_000

/** How many more may be there before the oldest go, all at once. */
const SLACK = 2_000

export class ChangeLog<Row> {
  /** Tells this log from every other: numbers of one mean nothing in another. */
  readonly name: string
  #changes: Array<NumberedChange<Row>> = []
  #last = 0

  constructor(name: string) {
    this.name = name
  }

  /** The number of the last change; 0 before the first. */
  get last(): number {
    return this.#last
  }

  /** Numbers changes and keeps them. */
  append(changes: ReadonlyArray<Change<Row>>): ReadonlyArray<NumberedChange<Row>> {
    const numbered = changes.map(({ held, next }) => ({ number: ++this.#last, held, next }))
    // In place: a copy of all with every few changes would keep the garbage collector busy.
    for (const change of numbered) this.#changes.push(change)
    if (this.#changes.length > MOST_CHANGES + SLACK) this.#changes = this.#changes.slice(-MOST_CHANGES)
    return numbered
  }

  /** Gives what changed after a number; `undefined` when it is not among the last {@link MOST_CHANGES}, or none of this log. */
  since(number: number): ReadonlyArray<NumberedChange<Row>> | undefined {
    if (!Number.isSafeInteger(number) || number < 0 || number > this.#last) return undefined
    const missed = this.#last - number
    if (missed > MOST_CHANGES) return undefined
    return missed === 0 ? [] : this.#changes.slice(-missed)
  }
}
