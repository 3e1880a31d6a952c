/**
 * The first rows of what the clusters that answer at once have for a page.
 */
import { mergeRuns } from "./PageMerge.ts"
import type { RowOrder } from "../projection/RowOrder.ts"

export class PageHead<Row> {
  readonly #order: RowOrder<Row>
  readonly #size: number
  /** The first of all that was settled, sorted. */
  #first: ReadonlyArray<Row> = []
  #runs: Array<Iterator<Row, undefined>> = []

  constructor(order: RowOrder<Row>, size: number) {
    this.#order = order
    this.#size = size
  }

  /** Takes what one cluster has, to be looked at when all have been asked. */
  take(run: Iterator<Row, undefined>): void {
    this.#runs.push(run)
  }

  /** Takes rows out of the runs, which hold only until rows change. */
  settle(): void {
    if (this.#runs.length === 0) return
    this.#first = mergeRuns([this.#first.values(), ...this.#runs], this.#order, this.#size).items
    this.#runs = []
  }

  /** Gives the last row of the page as it is by now, if it is full: what stands behind it has no place any more. */
  last(): Row | undefined {
    this.settle()
    return this.#first[this.#size - 1]
  }

  /** Gives the first rows of all, sorted. */
  rows(): ReadonlyArray<Row> {
    this.settle()
    return this.#first
  }
}
