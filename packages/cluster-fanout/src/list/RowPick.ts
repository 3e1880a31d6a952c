/**
 * Picks a page's part out of the kept rows of one cluster, by the road that looks at the fewest of them.
 */
import type { NamedOrder, Placed, RowSet } from "../cache/RowSet.ts"
import { firstPlace } from "../cache/SortedRows.ts"
import * as RowOrder from "../projection/RowOrder.ts"
import type { Selection } from "./PageMerge.ts"

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
}

/** Which of the rows that match are wanted. **Shape** `ascending` is `order` without its direction. */
export interface Part<Row> {
  readonly order: RowOrder.RowOrder<Row>
  readonly ascending: NamedOrder<Row>
  readonly after: RowOrder.Position | undefined
  readonly size: number
  /** Tells whether a row still has a place on the page; one behind it has none either. */
  readonly isWithin: (row: Row) => boolean
}

/** A row costs about so much more to be sorted than to be looked at. */
const SORTING = 8

/**
 * Picks the first rows after a place, and counts all that match.
 *
 * **Limits** without `matches`, in all namespaces: what it gives. Else at most one look at each row in scope, of which
 * the fewest are sorted.
 */
export const pick = <Row extends Placed>(rows: RowSet<Row>, wanted: Wanted<Row>, part: Part<Row>): Selection<Row> => {
  const counts = rows.counts()
  const { byPlace, groupOf } = rows.form
  const everything = rows.inOrder(byPlace).length
  const { groups, matches, reaches } = wanted
  const namespaces: Array<string> = []
  let inScope = 0
  for (const namespace of counts.namespaces()) {
    const count = reaches === undefined || reaches(namespace) ? counts.of(namespace, groups) : 0
    if (count > 0) namespaces.push(namespace)
    inScope += count
  }
  if (inScope === 0) return { first: [], count: 0 }
  const hasAll = inScope === everything
  // As many as are passed on the way to a whole page, if the rows in scope lie evenly among the others.
  const passed = matches === undefined ? Math.min(everything, (part.size * everything) / inScope) : everything
  if (!hasAll && inScope * SORTING < passed) return sorted(candidates(rows, namespaces, groups), matches, part)

  const reached = new Set(namespaces)
  const isInScope = (row: Row) =>
    hasAll || (reached.has(row.namespace) && (groups === undefined || groups.has(groupOf(row))))
  if (wanted.label !== undefined) {
    const labelled = rows.labelled(wanted.label.key, wanted.label.values)
    if (labelled.length * SORTING < everything) return sorted(labelled.filter(isInScope), matches, part)
  }
  const isWanted = (row: Row) => isInScope(row) && (matches === undefined || matches(row))
  const inOrder = rows.inOrder(part.ascending)
  const count = matches === undefined ? inScope : countOf(inOrder, isWanted)
  return { first: count === 0 ? [] : walk(inOrder, isWanted, part), count }
}

const countOf = <Row>(rows: ReadonlyArray<Row>, isWanted: (row: Row) => boolean): number => {
  let count = 0
  for (const row of rows) if (isWanted(row)) count++
  return count
}

/** Takes the rows of some namespaces and groups, which stand beside each other in the order of places. */
const candidates = <Row extends Placed>(
  rows: RowSet<Row>,
  namespaces: ReadonlyArray<string>,
  groups: ReadonlySet<string> | undefined
): ReadonlyArray<Row> => {
  const { groupOf } = rows.form
  const byPlace = rows.inOrder(rows.form.byPlace)
  return namespaces.flatMap((namespace) => {
    const from = firstPlace(byPlace, (row) => RowOrder.compareText(row.namespace, namespace) >= 0)
    const to = firstPlace(byPlace, (row) => RowOrder.compareText(row.namespace, namespace) > 0, from)
    const found = byPlace.slice(from, to)
    return groups === undefined ? found : found.filter((row) => groups.has(groupOf(row)))
  })
}

const sorted = <Row>(
  rows: ReadonlyArray<Row>,
  matches: Wanted<Row>["matches"],
  { after, isWithin, order, size }: Part<Row>
): Selection<Row> => {
  const matching = matches === undefined ? rows : rows.filter(matches)
  const rest = matching.filter((row) => (after === undefined || order.compareTo(row, after) > 0) && isWithin(row))
  return { first: rest.toSorted(order.compare).slice(0, size), count: matching.length }
}

/** Takes rows as they stand until there are enough. */
const walk = <Row>(rows: ReadonlyArray<Row>, isWanted: (row: Row) => boolean, part: Part<Row>): ReadonlyArray<Row> => {
  const first: Array<Row> = []
  let isMoreWanted = true
  const take = (from: number, to: number): void => {
    for (let place = from; place < to && isMoreWanted; place++) {
      const row = rows[place]
      if (row === undefined || !isWanted(row)) continue
      isMoreWanted = part.isWithin(row)
      if (isMoreWanted) isMoreWanted = first.push(row) < part.size
    }
  }
  if (part.order.direction === "asc") take(startOf(rows, part), rows.length)
  else descend(rows, part, take, () => isMoreWanted)
  return first
}

const startOf = <Row>(rows: ReadonlyArray<Row>, { after, order }: Part<Row>): number =>
  after === undefined ? 0 : firstPlace(rows, (row) => order.compareTo(row, after) > 0)

/**
 * Goes through rows that stand ascending by the greatest first key first.
 *
 * **Shape** only the first key is turned: rows that share it are taken as they stand, so that what is gone through are
 * runs of one key, the last run first.
 */
const descend = <Row>(
  rows: ReadonlyArray<Row>,
  { after, order }: Part<Row>,
  take: (from: number, to: number) => void,
  isMoreWanted: () => boolean
): void => {
  let end = rows.length
  if (after !== undefined) {
    end = firstPlace(rows, (row) => order.comparePrimaryTo(row, after) > 0)
    const run = firstPlace(rows, (row) => order.comparePrimaryTo(row, after) >= 0, 0, end)
    take(
      firstPlace(rows, (row) => order.compareTo(row, after) > 0, run, end),
      end
    )
    end = run
  }
  while (end > 0 && isMoreWanted()) {
    const last = rows[end - 1]
    if (last === undefined) return
    const run = runOf(rows, end, (row) => order.comparePrimary(row, last) === 0)
    take(run, end)
    end = run
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
