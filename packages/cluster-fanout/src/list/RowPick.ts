/**
 * Picks a page's part out of the kept rows of one cluster, by the road that looks at the fewest of them.
 */
import type { NamedOrder, Placed, RowSet } from "../cache/RowSet.ts"
import { firstPlace } from "../cache/SortedRows.ts"
import * as RowOrder from "../projection/RowOrder.ts"
import { Heap } from "../cache/Heap.ts"
import * as PageMerge from "./PageMerge.ts"

/** What is looked for. **Shape** each field that is absent matches every row. */
export interface Wanted<Row> {
  /** Groups of the rows' form. */
  readonly groups?: ReadonlySet<string> | undefined
  /** Whether a namespace is asked for, and in scope. */
  readonly reaches?: ((namespace: string) => boolean) | undefined
  /** A label that each row must have with one of some values: only a hint, which `matches` decides too. */
  readonly label?: { readonly key: string; readonly values: ReadonlyArray<string> } | undefined
  /** What only a look at the row itself decides. */
  readonly matches?: ((row: Row) => boolean) | undefined
  /** Tells what is wanted from all else that is: two of one name want the same rows, as long as no row changes. */
  readonly name?: string | undefined
}

/** Rows in order, of which as many are looked at as are taken. **Limits** holds until rows change. */
export type Run<Row> = IterableIterator<Row, undefined>

/** What one cluster has for a page. **Shape** `count` is all that match. */
export interface Picked<Row> {
  readonly run: Run<Row>
  readonly count: number
}

/** Which of the rows that match are wanted. **Shape** `ascending` is `order` without its direction. */
export interface Part<Row> {
  readonly order: RowOrder.RowOrder<Row>
  readonly ascending: NamedOrder<Row>
  readonly after: RowOrder.Position | undefined
  readonly size: number
  /** Gives the last row of the page as it is by now, if it is full. */
  readonly last: () => Row | undefined
}

/** A row costs about so much more to be sorted than to be looked at. */
const SORTING = 8

/**
 * Picks the rows after a place, and counts all that match.
 *
 * **Limits** without `matches`, in all namespaces: what is taken of the run. Else at most one look at each row in scope. All
 * of them, too, while their order is not sorted yet.
 */
export const pick = <Row extends Placed>(rows: RowSet<Row>, wanted: Wanted<Row>, part: Part<Row>): Picked<Row> => {
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
  // As many as are passed on the way to a whole page, if the rows in scope lie evenly among the others.
  const passed = matches === undefined ? Math.min(everything, (part.size * everything) / inScope) : everything
  if (!hasAll && inScope * SORTING < passed) return heaped(candidates(rows, reached, groups), matches, part)

  const isInScope = (row: Row) =>
    hasAll || (reached.has(row.namespace) && (groups === undefined || groups.has(groupOf(row))))
  if (wanted.label !== undefined) {
    const labelled = rows.labelled(wanted.label.key, wanted.label.values)
    if (labelled.length * SORTING < everything) return heaped(labelled.filter(isInScope), matches, part)
  }
  const isEveryWanted = hasAll && matches === undefined
  const isWanted = (row: Row) => isInScope(row) && (matches === undefined || matches(row))
  const inOrder = rows.inOrder(part.ascending)
  if (inOrder === undefined) {
    const { after, last, order, size } = part
    const wants = isEveryWanted ? undefined : isWanted
    const { count, first } = PageMerge.selectNow(rows.byPlace(), { after, before: last(), matches: wants, order, size })
    return { run: first.values(), count }
  }
  const count = matches === undefined ? inScope : rows.counted(wanted.name, () => countOf(inOrder, isWanted))
  const run = part.order.direction === "asc" ? ascending(inOrder, part) : descending(inOrder, part)
  return { run: isEveryWanted ? run : filtered(run, isWanted), count }
}

function* filtered<Row>(run: Run<Row>, isWanted: (row: Row) => boolean): Generator<Row, undefined> {
  for (const row of run) if (isWanted(row)) yield row
}

const countOf = <Row>(rows: ReadonlyArray<Row>, isWanted: (row: Row) => boolean): number => {
  let count = 0
  for (const row of rows) if (isWanted(row)) count++
  return count
}

/** Takes the rows of some namespaces and groups, which stand beside each other in the order of places. */
const candidates = <Row extends Placed>(
  rows: RowSet<Row>,
  namespaces: Iterable<string>,
  groups: ReadonlySet<string> | undefined
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

/** Gives rows that stand in no order, each sorted when it is asked for. */
const heaped = <Row>(
  rows: ReadonlyArray<Row>,
  matches: Wanted<Row>["matches"],
  { after, order }: Part<Row>
): Picked<Row> => {
  const matching = matches === undefined ? rows : rows.filter(matches)
  const rest = matching.filter((row) => after === undefined || order.compareTo(row, after) > 0)
  return { run: drained(new Heap(rest, order.compare)), count: matching.length }
}

function* drained<Row>(heap: Heap<Row>): Generator<Row, undefined> {
  for (let row = heap.first; row !== undefined; row = heap.first) {
    heap.drop()
    yield row
  }
}

/** Gives rows as they stand. */
function* ascending<Row>(rows: ReadonlyArray<Row>, { after, order }: Part<Row>): Generator<Row, undefined> {
  const from = after === undefined ? 0 : firstPlace(rows, (row) => order.compareTo(row, after) > 0)
  yield* between(rows, from, rows.length)
}

/**
 * Gives rows that stand ascending by the greatest first key first.
 *
 * Only the first key is turned: rows that share it come as they stand, so that what is gone through are runs of one key,
 * the last run first.
 */
function* descending<Row>(rows: ReadonlyArray<Row>, { after, order }: Part<Row>): Generator<Row, undefined> {
  let end = rows.length
  if (after !== undefined) {
    end = firstPlace(rows, (row) => order.comparePrimaryTo(row, after) > 0)
    const run = firstPlace(rows, (row) => order.comparePrimaryTo(row, after) >= 0, 0, end)
    yield* between(
      rows,
      firstPlace(rows, (row) => order.compareTo(row, after) > 0, run, end),
      end
    )
    end = run
  }
  while (end > 0) {
    const last = rows[end - 1]
    if (last === undefined) return
    const run = runOf(rows, end, (row) => order.comparePrimary(row, last) === 0)
    yield* between(rows, run, end)
    end = run
  }
}

function* between<Row>(rows: ReadonlyArray<Row>, from: number, to: number): Generator<Row, undefined> {
  for (let place = from; place < to; place++) {
    const row = rows[place]
    if (row !== undefined) yield row
  }
}

/** Finds where the run begins that ends at a place, in steps that double: most runs are short. */
const runOf = <Row>(rows: ReadonlyArray<Row>, end: number, isInRun: (row: Row) => boolean): number => {
  let step = 1
  for (;;) {
    const row = rows[end - 1 - step]
    if (row === undefined || !isInRun(row)) break
    step *= 2
  }
  return step === 1 ? end - 1 : firstPlace(rows, isInRun, Math.max(0, end - 1 - step), end)
}
