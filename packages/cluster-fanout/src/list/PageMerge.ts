/**
 * Takes one page out of many rows without sorting them all, and merges the pages of several clusters.
 */
import { Effect } from "effect"
import { Heap } from "../cache/Heap.ts"
import type { Position, RowOrder } from "../projection/RowOrder.ts"

/** The rows that one cluster contributes. **Shape** `first` is sorted; `count` is all that match, on any page. */
export interface Selection<Row> {
  readonly first: ReadonlyArray<Row>
  readonly count: number
}

/** What a page takes of many rows. */
export interface Selecting<Row> {
  /** All do unless given. */
  readonly matches?: ((row: Row) => boolean) | undefined
  readonly order: RowOrder<Row>
  readonly after: Position | undefined
  readonly size: number
  /** The row that all rows of the page stand before, where one is known. */
  readonly before?: Row | undefined
}

/** Rows looked at before other fibers get their turn: well under a millisecond's work. */
const SLICE = 4_096

/**
 * Selects the first rows after a place.
 *
 * **Limits** linear in the rows with `size` of them held; gives way to other fibers every 4,096 rows.
 */
export const select = Effect.fnUntraced(function* <Row>(rows: Iterable<Row>, options: Selecting<Row>) {
  const { end, take } = selection(options)
  let seen = 0
  for (const row of rows) {
    seen++
    if (seen % SLICE === 0) yield* Effect.yieldNow
    take(row)
  }
  return end()
})

/** Does the same as `select` in one turn. */
export const selectNow = <Row>(rows: Iterable<Row>, options: Selecting<Row>): Selection<Row> => {
  const { end, take } = selection(options)
  for (const row of rows) take(row)
  return end()
}

const selection = <Row>({ after, before, matches, order, size }: Selecting<Row>) => {
  let first: Array<Row> = []
  let count = 0
  // Sorting now and then, when twice as many are held as wanted, costs a row no more than a heap would.
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

/** What is left of many rows once some were taken. **Shape** `isLast` when nothing is. */
export interface Merged<Row> {
  readonly items: ReadonlyArray<Row>
  readonly isLast: boolean
}

/** Merges sorted rows. **Limits** `limit` rows times the logarithm of the lists. */
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

/** Merges rows that come one by one, sorted. **Limits** of each run one row more than are taken is looked at. */
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
  const heap = new Heap(heads, (one, other) => order.compare(one.row, other.row))
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
