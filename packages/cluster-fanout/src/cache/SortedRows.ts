/**
 * Rows in one order, corrected one by one.
 */

/** An order that no two different rows share a place in, but by mistake of their cluster. */
export type Compare<Row> = (one: Row, other: Row) => number

export class SortedRows<Row> {
  readonly #compare: Compare<Row>
  readonly #rows: Array<Row>

  private constructor(sorted: Array<Row>, compare: Compare<Row>) {
    this.#compare = compare
    this.#rows = sorted
  }

  /** Sorts a copy of the rows, in n log n. */
  static of<Row>(rows: ReadonlyArray<Row>, compare: Compare<Row>): SortedRows<Row> {
    return new SortedRows(rows.toSorted(compare), compare)
  }

  /** Takes over rows that are sorted. */
  static ofSorted<Row>(sorted: Array<Row>, compare: Compare<Row>): SortedRows<Row> {
    return new SortedRows(sorted, compare)
  }

  /** The rows in order, which change in place: take what you need before you wait. */
  get rows(): ReadonlyArray<Row> {
    return this.#rows
  }

  /** Puts one row in another's place. **Limits** finds by halving; moves those behind it only when its place changes. */
  change(held: Row | undefined, next: Row | undefined): void {
    if (held === undefined) {
      if (next !== undefined) this.#insert(next)
      return
    }
    const place = this.#placeOf(held)
    if (next === undefined) this.#rows.splice(place, 1)
    else if (this.#compare(held, next) === 0) this.#rows[place] = next
    else {
      this.#rows.splice(place, 1)
      this.#insert(next)
    }
  }

  #insert(row: Row): void {
    this.#rows.splice(
      firstPlace(this.#rows, (other) => this.#compare(other, row) > 0),
      0,
      row
    )
  }

  /** Rows that compare as equal are told apart by identity. */
  #placeOf(row: Row): number {
    const from = firstPlace(this.#rows, (other) => this.#compare(other, row) >= 0)
    const place = this.#rows.indexOf(row, from)
    if (place < 0) throw new RangeError("a row that goes was not kept")
    return place
  }
}

/** Finds the first place whose row passes, in rows of which those that pass stand behind those that do not. */
export const firstPlace = <Row>(
  rows: ReadonlyArray<Row>,
  passes: (row: Row) => boolean,
  from = 0,
  to = rows.length
): number => {
  let low = from
  let high = to
  while (low < high) {
    const middle = (low + high) >>> 1
    const row = rows[middle]
    if (row === undefined || passes(row)) high = middle
    else low = middle + 1
  }
  return low
}
