/**
 * The place behind which no row of a page can stand any more, found while its parts come in.
 */
import { firstPlace } from "../cache/SortedRows.ts"
import { merge } from "./PageMerge.ts"
import type { RowOrder } from "../projection/RowOrder.ts"

const FEW = 8

export class PageBound<Row> {
  readonly #order: RowOrder<Row>
  readonly #size: number
  /** The first rows of all parts so far, sorted. */
  #first: Array<Row> = []

  constructor(order: RowOrder<Row>, size: number) {
    this.#order = order
    this.#size = size
  }

  /** Tells whether a row still has a place on the page. */
  isWithin(row: Row): boolean {
    const last = this.#first[this.#size - 1]
    return last === undefined || this.#order.compare(row, last) < 0
  }

  /** Takes a part's rows. **Shape** sorted; they must come to the page, or others would be missing there. */
  take(rows: ReadonlyArray<Row>): void {
    // A few are put into their places; of many, both sides are gone through.
    if (rows.length * FEW < this.#first.length) for (const row of rows) this.#insert(row)
    else this.#first = [...merge([this.#first, rows], this.#order, this.#size).items]
  }

  #insert(row: Row): void {
    const place = firstPlace(this.#first, (other) => this.#order.compare(other, row) > 0)
    this.#first.splice(place, 0, row)
    if (this.#first.length > this.#size) this.#first.pop()
  }
}
