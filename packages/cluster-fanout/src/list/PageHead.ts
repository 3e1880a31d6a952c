/**
 * Merges the cached rows of several clusters into the first rows of a page.
 */
import { mergeRuns } from "./PageMerge.ts"
import type { RowOrder } from "../projection/RowOrder.ts"

export class PageHead<Row> {
  readonly #order: RowOrder<Row>
  readonly #size: number
  /** The first rows of all merged runs, sorted. */
  #first: ReadonlyArray<Row> = []
  #runs: Array<Iterator<Row, undefined>> = []

  constructor(order: RowOrder<Row>, size: number) {
    this.#order = order
    this.#size = size
  }

  /** Adds the rows of one cluster. They are merged later, when every cluster has been asked. */
  add(run: Iterator<Row, undefined>): void {
    this.#runs.push(run)
  }

  /** Merges the added rows. Call this before rows change, because a change invalidates the iterators. */
  settle(): void {
    if (this.#runs.length === 0) return
    this.#first = mergeRuns([this.#first.values(), ...this.#runs], this.#order, this.#size).items
    this.#runs = []
  }

  /** Returns the last row of the page, if the page is full. Rows that sort after it are not on the page. */
  last(): Row | undefined {
    this.settle()
    return this.#first[this.#size - 1]
  }

  /** Returns the first rows of all clusters, sorted. */
  rows(): ReadonlyArray<Row> {
    this.settle()
    return this.#first
  }
}
