/**
 * Selects a page's rows from the cached rows of one cluster, choosing the plan that reads the fewest rows.
 */
import { countOf, type Groups, type Tally } from "../cache/RowCounts.ts"
import type { NamedOrder, Placed, RowSet } from "../cache/RowSet.ts"
import { firstPlace } from "../cache/SortedRows.ts"
import * as RowOrder from "../projection/RowOrder.ts"
import { Heap } from "../cache/Heap.ts"
import * as PageMerge from "./PageMerge.ts"

/** Criteria of the wanted rows. **Shape** an absent field matches every row. */
export interface Wanted<Row> {
  /** Groups of rows, as `RowForm.groupOf` defines them. */
  readonly groups?: Groups | undefined
  /** Returns whether a namespace is requested and in scope. */
  readonly reaches?: ((namespace: string) => boolean) | undefined
  /**
   * A label that each row must have, with one of these values. Only a hint for the index: `matches` tests the row too.
   */
  readonly label?: { readonly key: string; readonly values: ReadonlyArray<string> } | undefined
  /** Tests that read the row itself. */
  readonly matches?: ((row: Row) => boolean) | undefined
  /**
   * Identifies the criteria other than `groups` for the cache of counts. Criteria with the same name match the same rows
   * until a row changes.
   */
  readonly name?: string | undefined
}

/** Sorted rows, read lazily. **Limits** valid until rows change. */
export type Run<Row> = IterableIterator<Row, undefined>

/** One cluster's rows for a page. **Shape** `count` is the number of all matching rows. */
export interface Selected<Row> {
  readonly run: Run<Row>
  readonly count: number
}

/**
 * Counts the rows of each group that match all criteria but `groups`.
 *
 * **Limits** without `matches`, linear in the namespaces and groups; otherwise reads each row in scope once, until a row
 * changes.
 */
export const tally = <Row extends Placed>(rows: RowSet<Row>, wanted: Wanted<Row>): Tally => {
  const { label, matches, name, reaches } = wanted
  if (matches === undefined) return rows.counts().tally(reaches)
  return rows.tallied(name, () => {
    const { groupOf } = rows.form
    const found = new Map<string, number>()
    for (const row of tallyRows(rows, { label, reaches })) {
      if (!matches(row)) continue
      const group = groupOf(row)
      found.set(group, (found.get(group) ?? 0) + 1)
    }
    return found
  })
}

/** Returns the rows in scope that may match, read by the cheapest index. */
const tallyRows = <Row extends Placed>(
  rows: RowSet<Row>,
  { label, reaches }: Pick<Wanted<Row>, "label" | "reaches">
): ReadonlyArray<Row> => {
  const counts = rows.counts()
  const reached = reaches === undefined ? undefined : new Set([...counts.namespaces()].filter(reaches))
  const labelled = label === undefined ? undefined : rows.labelled(label.key, label.values)
  if (labelled !== undefined && labelled.length * SORT_COST < counts.all) {
    return reached === undefined ? labelled : labelled.filter(({ namespace }) => reached.has(namespace))
  }
  return reached === undefined ? rows.byPlace() : candidates(rows, reached, undefined)
}

/** Position and order of the page. **Shape** `ascending` is `order` without its direction. */
export interface Part<Row> {
  readonly order: RowOrder.RowOrder<Row>
  readonly ascending: NamedOrder<Row>
  readonly after: RowOrder.Position | undefined
  readonly size: number
  /** Returns the last row of the page so far, if the page is full. */
  readonly last: () => Row | undefined
}

/** Cost of sorting a row, relative to the cost of reading it. */
const SORT_COST = 8

/**
 * Selects the rows after a position, and counts all that match.
 *
 * **Limits** without `matches`, in all namespaces: reads only the rows taken from `run`. Otherwise reads each row in
 * scope at most once. While rows are not sorted in the page's order yet, reads all of them.
 */
export const select = <Row extends Placed>(rows: RowSet<Row>, wanted: Wanted<Row>, part: Part<Row>): Selected<Row> => {
  const counts = rows.counts()
  const { groupOf } = rows.form
  const { groups, matches, reaches } = wanted
  const everything = counts.all
  const reached = new Set<string>()
  let inScope = 0
  if (groups === undefined && reaches === undefined) inScope = everything
  else {
    for (const namespace of counts.namespaces()) {
      const count = reaches === undefined || reaches(namespace) ? counts.of(namespace, groups) : 0
      if (count > 0) reached.add(namespace)
      inScope += count
    }
  }
  if (inScope === 0) return { run: [].values(), count: 0 }
  const hasAll = inScope === everything
  // Rows to read for a full page, if the rows in scope are spread evenly among the others.
  const passed = matches === undefined ? Math.min(everything, (part.size * everything) / inScope) : everything
  if (!hasAll && inScope * SORT_COST < passed) return heaped(candidates(rows, reached, groups), matches, part)

  const isInScope = (row: Row) =>
    hasAll || (reached.has(row.namespace) && (groups === undefined || groups.has(groupOf(row))))
  if (wanted.label !== undefined) {
    const labelled = rows.labelled(wanted.label.key, wanted.label.values)
    if (labelled.length * SORT_COST < everything) return heaped(labelled.filter(isInScope), matches, part)
  }
  const isEveryWanted = hasAll && matches === undefined
  const isWanted = (row: Row) => isInScope(row) && (matches === undefined || matches(row))
  const wants = isEveryWanted ? undefined : isWanted
  const inOrder = rows.inOrder(part.ascending)
  if (inOrder === undefined) {
    const { after, last, order, size } = part
    const { count, first } = PageMerge.selectNow(rows.byPlace(), { after, before: last(), matches: wants, order, size })
    return { run: first.values(), count }
  }
  const count = matches === undefined ? inScope : countOf(tally(rows, wanted), groups)
  const run = part.order.direction === "asc" ? ascending(inOrder, wants, part) : descending(inOrder, wants, part)
  return { run, count }
}

/** Makes the iterator over the rows that `next` returns. A loop without generators reads a page faster. */
const runFrom = <Row>(next: () => Row | undefined): Run<Row> => {
  const run: Run<Row> = {
    next: () => {
      const row = next()
      return row === undefined ? END : { done: false, value: row }
    },
    [Symbol.iterator]: () => run
  }
  return run
}

const END: IteratorReturnResult<undefined> = { done: true, value: undefined }

/** Returns the rows of some namespaces and groups. Rows of one namespace are adjacent in the default order. */
const candidates = <Row extends Placed>(
  rows: RowSet<Row>,
  namespaces: Iterable<string>,
  groups: Groups | undefined
): ReadonlyArray<Row> => {
  const { groupOf } = rows.form
  const byPlace = rows.byPlace()
  return [...namespaces].flatMap((namespace) => {
    const from = firstPlace(byPlace, (row) => RowOrder.compareText(row.namespace, namespace) >= 0)
    const to = firstPlace(byPlace, (row) => RowOrder.compareText(row.namespace, namespace) > 0, from)
    const found = byPlace.slice(from, to)
    return groups === undefined ? found : found.filter((row) => groups.has(groupOf(row)))
  })
}

/** Selects from unsorted rows. The run takes them in order from a heap, so only the rows taken are sorted. */
const heaped = <Row>(
  rows: ReadonlyArray<Row>,
  matches: Wanted<Row>["matches"],
  { after, order }: Part<Row>
): Selected<Row> => {
  const matching = matches === undefined ? rows : rows.filter(matches)
  const rest = matching.filter((row) => after === undefined || order.compareTo(row, after) > 0)
  return { run: drained(new Heap(rest, order.compare)), count: matching.length }
}

const drained = <Row>(heap: Heap<Row>): Run<Row> =>
  runFrom(() => {
    const row = heap.first
    if (row !== undefined) heap.drop()
    return row
  })

/** Tests whether a row is wanted. If absent, every row is wanted. */
type Wants<Row> = ((row: Row) => boolean) | undefined

/** Returns the wanted rows in their order. */
const ascending = <Row>(rows: ReadonlyArray<Row>, wants: Wants<Row>, { after, order }: Part<Row>): Run<Row> => {
  let place = after === undefined ? 0 : firstPlace(rows, (row) => order.compareTo(row, after) > 0)
  return runFrom(() => {
    for (;;) {
      const row = rows[place++]
      if (row === undefined || wants === undefined || wants(row)) return row
    }
  })
}

/**
 * Returns the wanted ones of ascending rows, greatest primary key first.
 *
 * Only the primary key is reversed: rows with the same primary key keep their ascending order. The iterator therefore
 * reads whole runs of one key, starting with the last run.
 */
const descending = <Row>(rows: ReadonlyArray<Row>, wants: Wants<Row>, { after, order }: Part<Row>): Run<Row> => {
  /** Start of the run that is read. */
  let start = rows.length
  let place = start
  let end = start
  if (after !== undefined) {
    end = firstPlace(rows, (row) => order.comparePrimaryTo(row, after) > 0)
    start = firstPlace(rows, (row) => order.comparePrimaryTo(row, after) >= 0, 0, end)
    place = firstPlace(rows, (row) => order.compareTo(row, after) > 0, start, end)
  }
  return runFrom(() => {
    for (;;) {
      if (place === end) {
        const last = rows[start - 1]
        if (last === undefined) return undefined
        end = start
        start = runOf(rows, end, (row) => order.comparePrimary(row, last) === 0)
        place = start
      }
      const row = rows[place++]
      if (row === undefined || wants === undefined || wants(row)) return row
    }
  })
}

/** Finds the start of the run that ends at a position, in doubling steps: most runs are short. */
const runOf = <Row>(rows: ReadonlyArray<Row>, end: number, isInRun: (row: Row) => boolean): number => {
  let step = 1
  for (;;) {
    const row = rows[end - 1 - step]
    if (row === undefined || !isInRun(row)) break
    step *= 2
  }
  return step === 1 ? end - 1 : firstPlace(rows, isInRun, Math.max(0, end - 1 - step), end)
}
