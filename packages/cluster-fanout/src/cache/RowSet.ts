/**
 * The rows of one cluster: counted, and sorted by each order in use. Updated with each change.
 */
import * as RowOrder from "../projection/RowOrder.ts"
import type { SortKey } from "../projection/RowOrder.ts"
import { RowCounts, type Tally } from "./RowCounts.ts"
import { RowLabels } from "./RowLabels.ts"
import { type Compare, SortedRows } from "./SortedRows.ts"
import { IncrementalSort } from "./IncrementalSort.ts"

/** Fields that rows are indexed by. */
export interface Placed {
  readonly namespace: string
  readonly labels: Readonly<Record<string, string>>
}

/**
 * An ascending order of the rows of one cluster.
 *
 * **Shape** orders of the same name have the same key. Rows with equal keys keep the default order. Without a key, all
 * rows keep the default order.
 */
export interface NamedOrder<Row> {
  readonly name: string
  readonly key: SortKey<Row> | undefined
}

/**
 * Grouping and order of a row set.
 *
 * **Shape** `groupOf` divides the rows of a namespace into a few counted groups. `byPlace` is the default order: the
 * rows of a namespace are adjacent in it, and no two rows are equal.
 */
export interface RowForm<Row> {
  readonly groupOf: (row: Row) => string
  readonly byPlace: Compare<Row>
  /** Orders that `prepare` sorts in advance. */
  readonly orders?: ReadonlyArray<NamedOrder<Row>>
}

/** Called with the previous and the next version of a row. At least one of them is defined. */
export type RowChange<Row> = (previous: Row | undefined, next: Row | undefined) => void

/** Observes row changes. **Limits** called synchronously at each change: must be quick and must not throw. */
export interface RowListener<Row> {
  readonly change: RowChange<Row>
  /** All rows were derived again. **Shape** `previous` are the earlier rows. */
  readonly whole: (previous: ReadonlyArray<Row>, next: ReadonlyArray<Row>) => void
}

/** Source of the rows. */
export interface RowSource<Row> {
  /**
   * Reports pending changes.
   *
   * **Shape** if all rows had to be derived again, returns them all and reports no change; otherwise returns
   * `undefined`.
   */
  readonly settle: () => ReadonlyArray<Row> | undefined
  /** Performs a part of the work of `settle`. Returns whether more remains. */
  readonly prepare: () => boolean
}

/**
 * Scheduling of large sorts.
 *
 * **Shape** sorts at once if `isNow` allows that many rows in this turn. Otherwise `later` repeats a step in other
 * turns until the step returns `false`.
 */
export interface Sorting {
  readonly isNow: (rows: number) => boolean
  readonly later: (step: () => boolean) => void
}

interface State<Row extends Placed> {
  readonly counts: RowCounts<Row>
  readonly labels: RowLabels<Row>
  byPlace: SortedRows<Row> | IncrementalSort<Row>
  /** Rows in orders other than the default, by the order's name. Added when first requested or prepared. */
  readonly sorted: Map<string, SortedRows<Row> | IncrementalSort<Row>>
}

const MAX_TALLIES = 256
const MAX_NAME = 1_024

export class RowSet<Row extends Placed> {
  readonly form: RowForm<Row>
  readonly #source: RowSource<Row>
  readonly #sorting: Sorting | undefined
  #state: State<Row>
  readonly #listeners = new Set<RowListener<Row>>()
  readonly #tallied = new Map<string, Tally>()

  /**
   * Makes the row set of the source that `sourceOf` returns. The source reports each change. Without `sorting`, rows
   * are sorted in the default order only.
   */
  constructor(form: RowForm<Row>, sourceOf: (change: RowChange<Row>) => RowSource<Row>, sorting?: Sorting) {
    this.form = form
    this.#sorting = sorting
    this.#state = stateOf([], form, undefined)
    this.#source = sourceOf((previous, next) => {
      const { byPlace, counts, labels, sorted } = this.#state
      this.#tallied.clear()
      counts.change(previous, next)
      labels.change(previous, next)
      byPlace.change(previous, next)
      for (const listener of this.#listeners) listener.change(previous, next)
      for (const [name, rows] of sorted) {
        rows.change(previous, next)
        if (rows instanceof IncrementalSort && rows.isOverrun) sorted.delete(name)
      }
    })
  }

  /**
   * Notifies a listener of each later change. Changes of rows made from several objects are reported at the next use.
   *
   * **Shape** returns the function that removes the listener.
   */
  listen(listener: RowListener<Row>): () => void {
    this.#derive()
    this.#listeners.add(listener)
    return () => {
      this.#listeners.delete(listener)
    }
  }

  /**
   * Reports pending changes to the listeners. **Limits** linear in the changes; in all rows after a kind was read
   * again.
   */
  settle(): void {
    this.#derive()
  }

  /**
   * Does work in advance that the next request would wait for: derives all rows, then sorts them by each order of the
   * form.
   *
   * **Limits** in steps, some microseconds a row.
   */
  prepare(): void {
    this.#sorting?.later(() => {
      if (this.#source.prepare()) return true
      this.#derive()
      const { byPlace, sorted } = this.#state
      if (byPlace instanceof IncrementalSort) {
        const made = byPlace.step()
        if (made !== undefined) this.#state.byPlace = made
        return true
      }
      const order = this.form.orders?.find(({ name }) => !(sorted.get(name) instanceof SortedRows))
      if (order?.key === undefined) return false
      const known = sorted.get(order.name)
      // A request may have begun the sort already.
      const sorting = known instanceof IncrementalSort ? known : this.#sortingOf(order.key, byPlace.rows)
      sorted.set(order.name, sorting.step() ?? sorting)
      return true
    })
  }

  /** Returns the counts of all rows. **Limits** linear in the changes; sorts all rows after a kind was read again. */
  counts(): RowCounts<Row> {
    return this.#settled().counts
  }

  /** Returns all rows in the default order. **Limits** mutable: copy what you need before you wait. */
  byPlace(): ReadonlyArray<Row> {
    return this.#settled().byPlace.rows
  }

  /**
   * Returns all rows in an order, or `undefined` while many rows are still being sorted. The first use starts the sort.
   *
   * **Limits** mutable: copy what you need before you wait.
   */
  inOrder({ key, name }: NamedOrder<Row>): ReadonlyArray<Row> | undefined {
    const { byPlace, sorted } = this.#settled()
    if (key === undefined) return byPlace.rows
    if (!sorted.has(name)) this.#begin(name, key, byPlace.rows)
    const known = sorted.get(name)
    return known instanceof SortedRows ? known.rows : undefined
  }

  #begin(name: string, key: SortKey<Row>, rows: ReadonlyArray<Row>): void {
    if (this.#sorting === undefined) return
    const { isNow, later } = this.#sorting
    const { sorted } = this.#state
    if (isNow(rows.length)) {
      sorted.set(name, SortedRows.ofSorted(sortedBy(key, rows), comparing(key, this.form.byPlace)))
      return
    }
    const sorting = this.#sortingOf(key, rows)
    sorted.set(name, sorting)
    later(() => {
      // All rows may have been derived again, or the sort was abandoned after too many changes.
      if (this.#state.sorted.get(name) !== sorting) return false
      const made = sorting.step()
      if (made !== undefined) sorted.set(name, made)
      return made === undefined
    })
  }

  /** Starts to sort rows that are in the default order. Rows with equal keys keep that order. */
  #sortingOf({ read }: SortKey<Row>, byPlace: ReadonlyArray<Row>): IncrementalSort<Row> {
    const byKey: Compare<Row> = (left, right) => RowOrder.compareValues(read(left), read(right))
    return new IncrementalSort(byPlace, comparing({ read }, this.form.byPlace), byKey)
  }

  /**
   * Returns the rows whose label `key` has one of `values`, unordered. **Limits** reads all rows at the first use of a
   * key.
   */
  labelled(key: string, values: ReadonlyArray<string>): ReadonlyArray<Row> {
    const { byPlace, labels } = this.#settled()
    return labels.of(key, values, byPlace.rows)
  }

  /**
   * Caches a tally by name until a row changes. Without a name, counts each time.
   *
   * **Limits** {@link MAX_TALLIES} names, then the cache is cleared. A name of more than {@link MAX_NAME} characters is
   * not cached.
   */
  tallied(name: string | undefined, count: () => Tally): Tally {
    if (name === undefined || name.length > MAX_NAME) return count()
    this.#derive()
    const known = this.#tallied.get(name)
    if (known !== undefined) return known
    const made = count()
    if (this.#tallied.size >= MAX_TALLIES) this.#tallied.clear()
    this.#tallied.set(name, made)
    return made
  }

  #derive(): void {
    const derived = this.#source.settle()
    if (derived === undefined) return
    const previous = this.#listeners.size === 0 ? [] : sortedOf(this.#state).rows
    this.#state = stateOf(derived, this.form, this.#sorting)
    this.#tallied.clear()
    for (const listener of this.#listeners) listener.whole(previous, derived)
  }

  #settled(): State<Row> & { readonly byPlace: SortedRows<Row> } {
    this.#derive()
    return { ...this.#state, byPlace: sortedOf(this.#state) }
  }
}

/** Returns the rows in the default order. Finishes a pending sort. */
const sortedOf = <Row extends Placed>(known: State<Row>): SortedRows<Row> => {
  const { byPlace } = known
  if (byPlace instanceof SortedRows) return byPlace
  let made = byPlace.step()
  while (made === undefined) made = byPlace.step()
  known.byPlace = made
  return made
}

const stateOf = <Row extends Placed>(
  rows: ReadonlyArray<Row>,
  { byPlace, groupOf }: RowForm<Row>,
  sorting: Sorting | undefined
): State<Row> => ({
  counts: new RowCounts(rows, groupOf),
  labels: new RowLabels(),
  byPlace:
    sorting === undefined || sorting.isNow(rows.length)
      ? SortedRows.of(rows, byPlace)
      : new IncrementalSort(rows, byPlace),
  sorted: new Map()
})

const comparing =
  <Row>({ read }: Pick<SortKey<Row>, "read">, byPlace: Compare<Row>): Compare<Row> =>
  (left, right) =>
    RowOrder.compareValues(read(left), read(right)) || byPlace(left, right)

/** Sorts rows that are in the default order. **Limits** sorts only the distinct keys, not the rows. */
const sortedBy = <Row>({ read }: SortKey<Row>, rows: ReadonlyArray<Row>): Array<Row> => {
  const byKey = new Map<RowOrder.SortValue, Array<Row>>()
  for (const row of rows) {
    const key = read(row)
    const same = byKey.get(key)
    if (same === undefined) byKey.set(key, [row])
    else same.push(row)
  }
  const keys = [...byKey.keys()].toSorted(RowOrder.compareValues)
  return keys.flatMap((key) => byKey.get(key) ?? [])
}
