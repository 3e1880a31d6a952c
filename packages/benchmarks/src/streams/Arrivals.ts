/**
 * When one reader was told what was written: changes that were told as one are each counted from their own write on.
 */

/** One telling. **Shape** `written` is the moment of the last write that it shows, infinite for a row that is gone. */
interface Arrival {
  readonly written: number
  readonly at: number
}

export class Arrivals {
  readonly #byRow = new Map<string, Array<Arrival>>()

  /** Forgets all that was told so far. */
  clear(): void {
    this.#byRow.clear()
  }

  /** Notes what was told of a row. **Units** milliseconds of one clock. */
  note(row: string, written: number, at: number): void {
    const known = this.#byRow.get(row)
    if (known === undefined) this.#byRow.set(row, [{ written, at }])
    else known.push({ written, at })
  }

  /** Gives how long a write took until the reader had it, or what came after it; `undefined` if it was never told. */
  delayOf(row: string, written: number): number | undefined {
    const arrival = this.#byRow.get(row)?.find((one) => one.written >= written)
    return arrival === undefined ? undefined : arrival.at - written
  }
}
