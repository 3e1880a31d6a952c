/**
 * How many rows may still be sorted within this turn of the loop.
 */

export class SortAllowance {
  readonly #whole: number
  #left: number

  /** Allows `whole` rows a turn of the loop to all who share the allowance. */
  constructor(whole: number) {
    this.#whole = whole
    this.#left = whole
  }

  /** Takes so many rows of the allowance; tells whether they were left of it. */
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
