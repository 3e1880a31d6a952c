/**
 * Takes one page out of many rows without sorting them all, and merges the pages of several clusters.
 */
import { Effect } from "effect"
import type { Position, RowOrder } from "../projection/RowOrder.ts"

/** The rows that one cluster contributes. **Shape** `first` is sorted; `count` is all that match, on any page. */
export interface Selection<Row> {
  readonly first: ReadonlyArray<Row>
  readonly count: number
}

/** Rows looked at before other fibers get their turn: well under a millisecond's work. */
const SLICE = 4_096

/** What a page takes of many rows. */
export interface Selecting<Row> {
  readonly matches: (row: Row) => boolean
  readonly order: RowOrder<Row>
  readonly after: Position | undefined
  readonly size: number
}

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

const selection = <Row>({ after, matches, order, size }: Selecting<Row>) => {
  let first: Array<Row> = []
  let count = 0
  // Sorting now and then, when twice as many are held as wanted, costs a row no more than a heap would.
  const most = Math.max(2 * size, 64)
  let bound: Row | undefined
  const trim = () => {
    first = first.toSorted(order.compare).slice(0, size)
    bound = first.length === size ? first.at(-1) : undefined
  }
  return {
    take: (row: Row): void => {
      if (!matches(row)) return
      count++
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

/**
 * Merges sorted rows.
 *
 * **Limits** `limit` rows times the logarithm of the lists. **Shape** `isLast` when nothing is left behind them.
 */
export const merge = <Row>(
  lists: ReadonlyArray<ReadonlyArray<Row>>,
  order: RowOrder<Row>,
  limit: number
): { readonly items: ReadonlyArray<Row>; readonly isLast: boolean } => {
  const heads = lists.filter((rows) => rows.length > 0).map((rows): Head<Row> => ({ rows, at: 0 }))
  const isBefore = (one: Head<Row>, other: Head<Row>) => order.compare(rowOf(one), rowOf(other)) < 0
  for (let index = (heads.length >> 1) - 1; index >= 0; index--) sink(heads, index, isBefore)

  const items: Array<Row> = []
  while (items.length < limit) {
    const [head] = heads
    if (head === undefined) return { items, isLast: true }
    items.push(rowOf(head))
    head.at++
    if (head.at === head.rows.length) {
      const last = heads.pop()
      if (last !== undefined && last !== head) heads[0] = last
    }
    sink(heads, 0, isBefore)
  }
  return { items, isLast: heads.length === 0 }
}

interface Head<Row> {
  readonly rows: ReadonlyArray<Row>
  at: number
}

const rowOf = <Row>({ at, rows }: Head<Row>): Row => {
  const row = rows[at]
  // A head leaves the heap with its last row.
  if (row === undefined) throw new RangeError("a list in the merge is exhausted")
  return row
}

/** Restores the heap below one place. */
const sink = <A>(heap: Array<A>, start: number, isBefore: (one: A, other: A) => boolean): void => {
  let at = start
  for (;;) {
    let least = at
    for (const child of [2 * at + 1, 2 * at + 2]) {
      const one = heap[child]
      const other = heap[least]
      if (one !== undefined && other !== undefined && isBefore(one, other)) least = child
    }
    const up = heap[least]
    const down = heap[at]
    if (least === at || up === undefined || down === undefined) return
    heap[at] = up
    heap[least] = down
    at = least
  }
}
