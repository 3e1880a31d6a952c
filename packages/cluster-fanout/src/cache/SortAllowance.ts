/**
 * Budget of rows that may be sorted within one turn of the event loop.
 */

export class SortAllowance {
  readonly #whole: number
  #left: number

  /** Allows `whole` rows a turn, over all users of the budget. */
  constructor(whole: number) {
    this.#whole = whole
    this.#left = whole
  }

  /** Takes rows from the budget. Returns whether enough were left. */
  take(rows: number): boolean {
    if (rows > this.#left) return false
    if (rows > 0 && this.#left === this.#whole) {
      setImmediate(() => {
        this.#left = this.#whole
      })
    }
    this.#left -= rows
    return true
  }
}
