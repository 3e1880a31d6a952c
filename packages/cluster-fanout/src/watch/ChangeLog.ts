/**
 * Numbered log of the latest row changes, so that a reader that reconnects receives what it missed.
 */

/** A row before and after a change. **Shape** at least one of them is defined. */
export interface Change<Row> {
  readonly previous: Row | undefined
  readonly next: Row | undefined
}

export interface NumberedChange<Row> extends Change<Row> {
  readonly number: number
}

/** Upper bound of the kept changes. */
const MAX_CHANGES = 10_000

/** Changes beyond the bound that may collect before the oldest are dropped together. */
const SLACK = 2_000

export class ChangeLog<Row> {
  /** Identifies this log: its numbers have no meaning in another log. */
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

  /** Numbers changes and adds them to the log. */
  append(changes: ReadonlyArray<Change<Row>>): ReadonlyArray<NumberedChange<Row>> {
    const numbered = changes.map(({ previous, next }) => ({ number: ++this.#last, previous, next }))
    // Append in place: copying the array at each change would burden the garbage collector.
    for (const change of numbered) this.#changes.push(change)
    if (this.#changes.length > MAX_CHANGES + SLACK) this.#changes = this.#changes.slice(-MAX_CHANGES)
    return numbered
  }

  /**
   * Returns the changes after a number.
   *
   * **Shape** `undefined` if the number is not from this log or older than the last {@link MAX_CHANGES} changes.
   */
  since(number: number): ReadonlyArray<NumberedChange<Row>> | undefined {
    if (!Number.isSafeInteger(number) || number < 0 || number > this.#last) return undefined
    const missed = this.#last - number
    if (missed > MAX_CHANGES) return undefined
    return missed === 0 ? [] : this.#changes.slice(-missed)
  }
}
