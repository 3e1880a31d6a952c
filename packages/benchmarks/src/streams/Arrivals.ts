/**
 * The arrival times of writes at one reader. If one event covers several writes, each write has its own delay.
 */

/** One event. **Shape** `written` is the time of the last write that it shows, infinite for a deleted row. */
interface Arrival {
  readonly written: number
  readonly at: number
}

export class Arrivals {
  readonly #byRow = new Map<string, Array<Arrival>>()

  /** Discards all arrivals. */
  clear(): void {
    this.#byRow.clear()
  }

  /** Records an event of a row. **Units** milliseconds of one clock. */
  note(row: string, written: number, at: number): void {
    const known = this.#byRow.get(row)
    if (known === undefined) this.#byRow.set(row, [{ written, at }])
    else known.push({ written, at })
  }

  /** Returns the delay until the reader had a write or a later one, or `undefined` if it got neither. */
  delayOf(row: string, written: number): number | undefined {
    const arrival = this.#byRow.get(row)?.find((one) => one.written >= written)
    return arrival === undefined ? undefined : arrival.at - written
  }
}
