/**
 * Rows in one order, updated one by one.
 */

/** A total order of rows. Two rows compare as equal only if their cluster reports faulty objects. */
export type Compare<Row> = (one: Row, other: Row) => number

export class SortedRows<Row> {
  readonly #compare: Compare<Row>
  readonly #rows: Array<Row>

  private constructor(sorted: Array<Row>, compare: Compare<Row>) {
    this.#compare = compare
    this.#rows = sorted
  }

  /** Sorts a copy of the rows. */
  static of<Row>(rows: ReadonlyArray<Row>, compare: Compare<Row>): SortedRows<Row> {
    return new SortedRows(rows.toSorted(compare), compare)
  }

  /** Takes over rows that are sorted already. */
  static ofSorted<Row>(sorted: Array<Row>, compare: Compare<Row>): SortedRows<Row> {
    return new SortedRows(sorted, compare)
  }

  /** The rows in order. Mutable: copy what you need before you wait. */
  get rows(): ReadonlyArray<Row> {
    return this.#rows
  }

  /** Adds, replaces or removes a row. **Limits** binary search; moves later rows only if the position changes. */
  change(previous: Row | undefined, next: Row | undefined): void {
    if (previous === undefined) {
      if (next !== undefined) this.#insert(next)
      return
    }
    const place = this.#placeOf(previous)
    if (next === undefined) this.#rows.splice(place, 1)
    else if (this.#compare(previous, next) === 0) this.#rows[place] = next
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

  /** Finds a row. Rows that compare as equal are distinguished by identity. */
  #placeOf(row: Row): number {
    const from = firstPlace(this.#rows, (other) => this.#compare(other, row) >= 0)
    const place = this.#rows.indexOf(row, from)
    if (place < 0) throw new RangeError("the row to remove is not in the list")
    return place
  }
}

/** Finds the first row that `passes` by binary search. All rows that pass must follow those that do not. */
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
