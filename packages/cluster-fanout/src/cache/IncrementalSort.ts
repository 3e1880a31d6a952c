/**
 * Sorts rows a little at a time, while they change.
 */
import { Heap } from "./Heap.ts"
import { type Compare, SortedRows } from "./SortedRows.ts"

/** What one step does, well under a millisecond's work: rows that are sorted by themselves, or merged, or changes. */
const SORTED = 256
const MERGED = 512
const CHANGED = 128

/** Changes that may come in meanwhile, or as many as there are rows. */
const MOST_CHANGES = 4_096

interface Part<Row> {
  readonly place: number
  readonly rows: ReadonlyArray<Row>
  at: number
}

export class IncrementalSort<Row> {
  readonly #compare: Compare<Row>
  readonly #compareFirst: Compare<Row>
  /** As they were at the beginning. */
  readonly #rows: ReadonlyArray<Row>
  readonly #parts: Array<Part<Row>> = []
  #taken = 0
  #heap: Heap<Part<Row>> | undefined
  readonly #merged: Array<Row> = []
  /** What changed since the beginning, of which the first `#done` are in `#sorted`. */
  readonly #changes: Array<readonly [held: Row | undefined, next: Row | undefined]> = []
  #sorted: SortedRows<Row> | undefined
  #done = 0

  /**
   * Begins to sort a copy of the rows. `compareFirst` may find more rows equal than `compare`: those that stand in the
   * right order among themselves already.
   */
  constructor(rows: ReadonlyArray<Row>, compare: Compare<Row>, compareFirst = compare) {
    this.#rows = rows.slice()
    this.#compare = compare
    this.#compareFirst = compareFirst
  }

  /** Notes a change, to be made when all are sorted. */
  change(held: Row | undefined, next: Row | undefined): void {
    this.#changes.push([held, next])
  }

  /** Whether so much changed that it is better begun anew. */
  get isOverrun(): boolean {
    return this.#changes.length > Math.max(MOST_CHANGES, this.#rows.length)
  }

  /** Does a little. **Shape** gives the sorted rows once every change so far is in them. */
  step(): SortedRows<Row> | undefined {
    if (this.#taken < this.#rows.length) this.#sortPart()
    else if (this.#merged.length < this.#rows.length) this.#merge()
    else return this.#catchUp()
    return undefined
  }

  #sortPart(): void {
    const rows = this.#rows.slice(this.#taken, this.#taken + SORTED).toSorted(this.#compareFirst)
    this.#parts.push({ place: this.#taken, rows, at: 0 })
    this.#taken += rows.length
  }

  #merge(): void {
    const heap = (this.#heap ??= new Heap(
      this.#parts,
      (one, other) => this.#compareFirst(rowOf(one), rowOf(other)) || one.place - other.place
    ))
    for (let merged = 0; merged < MERGED; merged++) {
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
    const changes = this.#changes.slice(this.#done, this.#done + CHANGED)
    for (const [held, next] of changes) sorted.change(held, next)
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
