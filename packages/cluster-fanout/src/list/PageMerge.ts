/**
 * Takes one page out of many rows without sorting them all, and merges the pages of several clusters.
 */
import { Effect } from "effect"
import { Heap } from "../cache/Heap.ts"
import type { Position, RowOrder } from "../projection/RowOrder.ts"

/** Rows of one cluster. **Shape** `first` is sorted; `count` is the number of matching rows on all pages. */
export interface Selection<Row> {
  readonly first: ReadonlyArray<Row>
  readonly count: number
}

/** Criteria of a page. */
export interface Selecting<Row> {
  /** Without this function, all rows match. */
  readonly matches?: ((row: Row) => boolean) | undefined
  readonly order: RowOrder<Row>
  readonly after: Position | undefined
  readonly size: number
  /** A row that sorts after every row of the page, if known. */
  readonly before?: Row | undefined
}

/** Rows processed before other fibers get their turn: well under a millisecond's work. */
const SLICE = 4_096

/**
 * Selects the first rows after a position.
 *
 * **Limits** linear in the rows; holds at most twice `size` rows, or 64 if that is more. Yields to other fibers every
 * 4,096 rows.
 */
export const select = Effect.fnUntraced(function* <Row>(rows: Iterable<Row>, options: Selecting<Row>) {
  const { end, take } = selection(options)
  let count = 0
  for (const row of rows) {
    count++
    if (count % SLICE === 0) yield* Effect.yieldNow
    take(row)
  }
  return end()
})

/** Does the same as `select` without yielding. */
export const selectNow = <Row>(rows: Iterable<Row>, options: Selecting<Row>): Selection<Row> => {
  const { end, take } = selection(options)
  for (const row of rows) take(row)
  return end()
}

const selection = <Row>({ after, before, matches, order, size }: Selecting<Row>) => {
  let first: Array<Row> = []
  let count = 0
  // Sort whenever twice the wanted number of rows has collected. Per row, this costs no more than a heap.
  const most = Math.max(2 * size, 64)
  let bound = before
  let isBehind = bound === undefined ? undefined : order.behind(bound)
  const trim = () => {
    first = first.toSorted(order.compare).slice(0, size)
    if (first.length < size) return
    bound = first.at(-1)
    isBehind = bound === undefined ? undefined : order.behind(bound)
  }
  return {
    take: (row: Row): void => {
      if (matches !== undefined && !matches(row)) return
      count++
      if (isBehind?.(row) === true) return
      if (after !== undefined && order.compareTo(row, after) <= 0) return
      if (bound !== undefined && order.compare(row, bound) >= 0) return
      first.push(row)
      if (first.length >= most) trim()
    },
    end: (): Selection<Row> => {
      trim()
      return { first, count }
    }
  }
}

/** Merged rows. **Shape** `isLast` is true if no row is left over. */
export interface Merged<Row> {
  readonly items: ReadonlyArray<Row>
  readonly isLast: boolean
}

/** Merges sorted lists. **Limits** `limit` rows times the logarithm of the number of lists. */
export const merge = <Row>(
  lists: ReadonlyArray<ReadonlyArray<Row>>,
  order: RowOrder<Row>,
  limit: number
): Merged<Row> =>
  mergeRuns(
    lists.filter(({ length }) => length > 0).map((rows) => rows.values()),
    order,
    limit
  )

/** Merges sorted iterators. **Limits** reads one row more from each iterator than it returns. */
export const mergeRuns = <Row>(
  runs: Iterable<Iterator<Row, undefined>>,
  order: RowOrder<Row>,
  limit: number
): Merged<Row> => {
  const heads: Array<Head<Row>> = []
  for (const rest of runs) {
    const { done, value } = rest.next()
    if (done !== true) heads.push({ row: value, rest })
  }
  const heap = new Heap(heads, (left, right) => order.compare(left.row, right.row))
  const items: Array<Row> = []
  while (items.length < limit) {
    const head = heap.first
    if (head === undefined) return { items, isLast: true }
    items.push(head.row)
    const { done, value } = head.rest.next()
    if (done === true) heap.drop()
    else {
      head.row = value
      heap.sink()
    }
  }
  return { items, isLast: heap.first === undefined }
}

interface Head<Row> {
  row: Row
  readonly rest: Iterator<Row, undefined>
}
