/**
 * The rows of one cluster: counted, and sorted in each order that was asked for, kept so with each change.
 */
import * as RowOrder from "../projection/RowOrder.ts"
import type { SortKey } from "../projection/RowOrder.ts"
import { RowCounts } from "./RowCounts.ts"
import { RowLabels } from "./RowLabels.ts"
import { type Compare, SortedRows } from "./SortedRows.ts"
import { IncrementalSort } from "./IncrementalSort.ts"

/** What rows are kept by. */
export interface Placed {
  readonly namespace: string
  readonly labels: Readonly<Record<string, string>>
}

/**
 * An ascending order of the rows of one cluster.
 *
 * **Shape** one name stands for one key; rows that share it stand by their places, as all do without one.
 */
export interface NamedOrder<Row> {
  readonly name: string
  readonly key: SortKey<Row> | undefined
}

/**
 * How rows of one sort are kept.
 *
 * **Shape** `groupOf` parts the rows of a namespace into few groups that are counted; in the order of places the rows of a
 * namespace stand beside each other, and no two rows share one.
 */
export interface RowForm<Row> {
  readonly groupOf: (row: Row) => string
  readonly byPlace: Compare<Row>
  /** Those that `prepare` makes too. */
  readonly orders?: ReadonlyArray<NamedOrder<Row>>
}

/** Hears of a row. **Shape** what it was, and what it is now; never neither. */
export type RowChange<Row> = (held: Row | undefined, next: Row | undefined) => void

/** Follows rows that are kept. **Limits** called within the change: must be quick, and must not throw. */
export interface RowListener<Row> {
  readonly change: RowChange<Row>
  /** All rows were derived anew. **Shape** `held` are those that were there before. */
  readonly whole: (held: ReadonlyArray<Row>, next: ReadonlyArray<Row>) => void
}

/** Where the rows come from. */
export interface RowSource<Row> {
  /**
   * Tells what is still to be told.
   *
   * **Shape** gives all rows instead when they had to be derived anew, and tells of none then, nor of any before that.
   */
  readonly settle: () => ReadonlyArray<Row> | undefined
  /** Does a little of what `settle` would have to do in one go. **Shape** gives whether there is more of it. */
  readonly prepare: () => boolean
}

/**
 * How very many rows are sorted.
 *
 * **Shape** within the turn that asks if `isNow` allows so many there; else by steps that `later` has done in other turns, until
 * one gives `false`.
 */
export interface Sorting {
  readonly isNow: (rows: number) => boolean
  readonly later: (step: () => boolean) => void
}

interface Kept<Row extends Placed> {
  readonly counts: RowCounts<Row>
  readonly labels: RowLabels<Row>
  byPlace: SortedRows<Row> | IncrementalSort<Row>
  /** The other orders that were asked for since all rows were last derived. */
  readonly sorted: Map<string, SortedRows<Row> | IncrementalSort<Row>>
}

const MOST_COUNTED = 256
const MOST_NAME = 1_024

export class RowSet<Row extends Placed> {
  readonly form: RowForm<Row>
  readonly #source: RowSource<Row>
  readonly #sorting: Sorting | undefined
  #kept: Kept<Row>
  readonly #listeners = new Set<RowListener<Row>>()
  readonly #counted = new Map<string, number>()

  /**
   * Keeps the rows of a source that `sourceOf` makes, which tells of each change; without `sorting` no order but that
   * of places is kept.
   */
  constructor(form: RowForm<Row>, sourceOf: (change: RowChange<Row>) => RowSource<Row>, sorting?: Sorting) {
    this.form = form
    this.#sorting = sorting
    this.#kept = kept([], form, undefined)
    this.#source = sourceOf((held, next) => {
      const { byPlace, counts, labels, sorted } = this.#kept
      this.#counted.clear()
      counts.change(held, next)
      labels.change(held, next)
      byPlace.change(held, next)
      for (const listener of this.#listeners) listener.change(held, next)
      for (const [name, rows] of sorted) {
        rows.change(held, next)
        if (rows instanceof IncrementalSort && rows.isOverrun) sorted.delete(name)
      }
    })
  }

  /** Tells a listener of each change from now on, of rows made of several objects once they are asked for. **Shape** gives what ends it. */
  listen(listener: RowListener<Row>): () => void {
    this.#derive()
    this.#listeners.add(listener)
    return () => {
      this.#listeners.delete(listener)
    }
  }

  /** Makes and tells what nobody has asked for yet. **Limits** linear in what changed, in all rows when a kind was read anew. */
  settle(): void {
    this.#derive()
  }

  /**
   * Makes ready what the next who asks would have to wait for: all rows by their places, then the orders of their form.
   *
   * **Limits** in steps, some microseconds a row.
   */
  prepare(): void {
    this.#sorting?.later(() => {
      if (this.#source.prepare()) return true
      this.#derive()
      const { byPlace, sorted } = this.#kept
      if (byPlace instanceof IncrementalSort) {
        const made = byPlace.step()
        if (made !== undefined) this.#kept.byPlace = made
        return true
      }
      const order = this.form.orders?.find(({ name }) => !(sorted.get(name) instanceof SortedRows))
      if (order?.key === undefined) return false
      const known = sorted.get(order.name)
      // Whoever has asked for it has begun it.
      const sorting = known instanceof IncrementalSort ? known : this.#sortingOf(order.key, byPlace.rows)
      sorted.set(order.name, sorting.step() ?? sorting)
      return true
    })
  }

  /** Gives the counts of all rows. **Limits** linear in what changed; sorts all rows when a kind was read anew. */
  counts(): RowCounts<Row> {
    return this.#settled().counts
  }

  /** Gives all rows by their places. **Limits** changes in place: take what you need before you wait. */
  byPlace(): ReadonlyArray<Row> {
    return this.#settled().byPlace.rows
  }

  /**
   * Gives all rows in an order; of very many, once they are sorted so, which its first use begins.
   *
   * **Limits** changes in place: take what you need before you wait.
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
    const { sorted } = this.#kept
    if (isNow(rows.length)) {
      sorted.set(name, SortedRows.ofSorted(sortedBy(key, rows), comparing(key, this.form.byPlace)))
      return
    }
    const sorting = this.#sortingOf(key, rows)
    sorted.set(name, sorting)
    later(() => {
      // All rows may have been derived anew since, or so many have changed that it is better begun anew.
      if (this.#kept.sorted.get(name) !== sorting) return false
      const made = sorting.step()
      if (made !== undefined) sorted.set(name, made)
      return made === undefined
    })
  }

  /** Begins to sort rows that stand by their places: those that share a key stay as they are. */
  #sortingOf({ read }: SortKey<Row>, byPlace: ReadonlyArray<Row>): IncrementalSort<Row> {
    const byKey: Compare<Row> = (one, other) => RowOrder.compareValues(read(one), read(other))
    return new IncrementalSort(byPlace, comparing({ read }, this.form.byPlace), byKey)
  }

  /** Gives the rows whose label has one of some values, in no order. **Limits** looks at all rows at a key's first use. */
  labelled(key: string, values: ReadonlyArray<string>): ReadonlyArray<Row> {
    const { byPlace, labels } = this.#settled()
    return labels.of(key, values, byPlace.rows)
  }

  /**
   * Counts rows once for all who ask by one name, until a row changes; without a name each time.
   *
   * **Limits** {@link MOST_COUNTED} names, then it begins anew; a name of more than {@link MOST_NAME} characters is as none.
   */
  counted(name: string | undefined, count: () => number): number {
    if (name === undefined || name.length > MOST_NAME) return count()
    const known = this.#counted.get(name)
    if (known !== undefined) return known
    const made = count()
    if (this.#counted.size >= MOST_COUNTED) this.#counted.clear()
    this.#counted.set(name, made)
    return made
  }

  #derive(): void {
    const derived = this.#source.settle()
    if (derived === undefined) return
    const held = this.#listeners.size === 0 ? [] : sortedOf(this.#kept).rows
    this.#kept = kept(derived, this.form, this.#sorting)
    this.#counted.clear()
    for (const listener of this.#listeners) listener.whole(held, derived)
  }

  #settled(): Kept<Row> & { readonly byPlace: SortedRows<Row> } {
    this.#derive()
    return { ...this.#kept, byPlace: sortedOf(this.#kept) }
  }
}

/** Gives the rows by their places, sorted to the end. */
const sortedOf = <Row extends Placed>(known: Kept<Row>): SortedRows<Row> => {
  const { byPlace } = known
  if (byPlace instanceof SortedRows) return byPlace
  let made = byPlace.step()
  while (made === undefined) made = byPlace.step()
  known.byPlace = made
  return made
}

const kept = <Row extends Placed>(
  rows: ReadonlyArray<Row>,
  { byPlace, groupOf }: RowForm<Row>,
  sorting: Sorting | undefined
): Kept<Row> => ({
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
  (one, other) =>
    RowOrder.compareValues(read(one), read(other)) || byPlace(one, other)

/** Sorts rows that stand by their places. **Limits** compares each key once, however many rows share it. */
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
