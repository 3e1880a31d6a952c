/**
 * Sorts rows in small steps while they change, and limits the sorting of one turn.
 */
import { Heap } from "./Heap.ts"
import { type Compare, SortedRows } from "./SortedRows.ts"

/** Rows or changes processed in one step, well under a millisecond's work. */
const ROWS_SORTED = 256
const ROWS_MERGED = 512
const CHANGES_APPLIED = 128

/** Changes that may queue up during the sort. If there are more rows than this, the limit is the number of rows. */
const MAX_CHANGES = 4_096

interface Part<Row> {
  readonly place: number
  readonly rows: ReadonlyArray<Row>
  at: number
}

export class IncrementalSort<Row> {
  readonly #compare: Compare<Row>
  readonly #compareFirst: Compare<Row>
  /** The rows at the start. */
  readonly #rows: ReadonlyArray<Row>
  readonly #parts: Array<Part<Row>> = []
  #taken = 0
  #heap: Heap<Part<Row>> | undefined
  readonly #merged: Array<Row> = []
  /** Changes since the start. The first `#done` of them are applied to `#sorted`. */
  readonly #changes: Array<readonly [previous: Row | undefined, next: Row | undefined]> = []
  #sorted: SortedRows<Row> | undefined
  #done = 0

  /**
   * Starts to sort a copy of the rows. `compareFirst` may be a cheaper comparison for this sort. It may return 0 for
   * two rows that `rows` already contains in the right order.
   */
  constructor(rows: ReadonlyArray<Row>, compare: Compare<Row>, compareFirst = compare) {
    this.#rows = rows.slice()
    this.#compare = compare
    this.#compareFirst = compareFirst
  }

  /** Records a change, which is applied when all rows are sorted. */
  change(previous: Row | undefined, next: Row | undefined): void {
    this.#changes.push([previous, next])
  }

  /** True if so many changes are queued that a new sort is cheaper. */
  get isOverrun(): boolean {
    return this.#changes.length > Math.max(MAX_CHANGES, this.#rows.length)
  }

  /** Performs one step. Returns the sorted rows once every change so far is applied. */
  step(): SortedRows<Row> | undefined {
    if (this.#taken < this.#rows.length) this.#sortPart()
    else if (this.#merged.length < this.#rows.length) this.#merge()
    else return this.#catchUp()
    return undefined
  }

  #sortPart(): void {
    const rows = this.#rows.slice(this.#taken, this.#taken + ROWS_SORTED).toSorted(this.#compareFirst)
    this.#parts.push({ place: this.#taken, rows, at: 0 })
    this.#taken += rows.length
  }

  #merge(): void {
    const heap = (this.#heap ??= new Heap(
      this.#parts,
      (left, right) => this.#compareFirst(rowOf(left), rowOf(right)) || left.place - right.place
    ))
    for (let merged = 0; merged < ROWS_MERGED; merged++) {
      const part = heap.first
      if (part === undefined) return
      this.#merged.push(rowOf(part))
      part.at++
      if (part.at === part.rows.length) heap.drop()
      else heap.sink()
    }
  }

  #catchUp(): SortedRows<Row> | undefined {
    const sorted = (this.#sorted ??= SortedRows.ofSorted(this.#merged, this.#compare))
    const changes = this.#changes.slice(this.#done, this.#done + CHANGES_APPLIED)
    for (const [previous, next] of changes) sorted.change(previous, next)
    this.#done += changes.length
    return this.#done === this.#changes.length ? sorted : undefined
  }
}

const rowOf = <Row>({ at, rows }: Part<Row>): Row => {
  const row = rows[at]
  // A part leaves the heap with its last row.
  if (row === undefined) throw new RangeError("a part of the merge is exhausted")
  return row
}

/** Budget of rows that may be sorted within one turn of the event loop. */
export class SortAllowance {
  readonly #whole: number
  #left: number

  /** Allows `whole` rows per turn, for all users of the budget together. */
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
