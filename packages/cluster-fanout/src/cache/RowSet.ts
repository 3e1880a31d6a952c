/**
 * The rows of one cluster: counted, and sorted in each order that was asked for, kept so with each change.
 */
import { RowCounts } from "./RowCounts.ts"
import { RowLabels } from "./RowLabels.ts"
import { type Compare, SortedRows } from "./SortedRows.ts"

/** What rows are kept by. */
export interface Placed {
  readonly namespace: string
  readonly labels: Readonly<Record<string, string>>
}

/** An ascending order of the rows of one cluster. **Shape** one name stands for one comparison. */
export interface NamedOrder<Row> {
  readonly name: string
  readonly compare: Compare<Row>
}

/**
 * How rows of one sort are kept.
 *
 * **Shape** `groupOf` parts the rows of a namespace into few groups that are counted; `byPlace` has the rows of a namespace,
 * and those of a group in it, stand beside each other.
 */
export interface RowForm<Row> {
  readonly groupOf: (row: Row) => string
  readonly byPlace: NamedOrder<Row>
}

/** Hears of a row. **Shape** what it was, and what it is now; never neither. */
export type RowChange<Row> = (held: Row | undefined, next: Row | undefined) => void

/** Where the rows come from. */
export interface RowSource<Row> {
  /**
   * Tells what is still to be told.
   *
   * **Shape** gives all rows instead when they had to be derived anew, and tells of none then, nor of any before that.
   */
  readonly settle: () => ReadonlyArray<Row> | undefined
}

interface Kept<Row extends Placed> {
  readonly counts: RowCounts<Row>
  readonly labels: RowLabels<Row>
  readonly byPlace: SortedRows<Row>
  /** The other orders that were asked for since all rows were last derived. */
  readonly sorted: Map<string, SortedRows<Row>>
}

export class RowSet<Row extends Placed> {
  readonly form: RowForm<Row>
  readonly #source: RowSource<Row>
  #kept: Kept<Row>

  /** **Shape** `sourceOf` makes what tells of each change. */
  constructor(form: RowForm<Row>, sourceOf: (change: RowChange<Row>) => RowSource<Row>) {
    this.form = form
    this.#kept = kept([], form)
    this.#source = sourceOf((held, next) => {
      const { byPlace, counts, labels, sorted } = this.#kept
      counts.change(held, next)
      labels.change(held, next)
      byPlace.change(held, next)
      for (const rows of sorted.values()) rows.change(held, next)
    })
  }

  /** **Limits** linear in what changed; sorts all rows when a kind was read anew. */
  counts(): RowCounts<Row> {
    return this.#settled().counts
  }

  /**
   * Gives all rows in an order.
   *
   * **Limits** sorts them at the order's first use. Changes in place: take what you need before you wait.
   */
  inOrder({ compare, name }: NamedOrder<Row>): ReadonlyArray<Row> {
    const { byPlace, sorted } = this.#settled()
    if (name === this.form.byPlace.name) return byPlace.rows
    const known = sorted.get(name)
    if (known !== undefined) return known.rows
    const made = new SortedRows(byPlace.rows, compare)
    sorted.set(name, made)
    return made.rows
  }

  /** Gives the rows whose label has one of some values, in no order. **Limits** looks at all rows at a key's first use. */
  labelled(key: string, values: ReadonlyArray<string>): ReadonlyArray<Row> {
    const { byPlace, labels } = this.#settled()
    return labels.of(key, values, byPlace.rows)
  }

  #settled(): Kept<Row> {
    const derived = this.#source.settle()
    if (derived !== undefined) this.#kept = kept(derived, this.form)
    return this.#kept
  }
}

const kept = <Row extends Placed>(rows: ReadonlyArray<Row>, { byPlace, groupOf }: RowForm<Row>): Kept<Row> => ({
  counts: new RowCounts(rows, groupOf),
  labels: new RowLabels(),
  byPlace: new SortedRows(rows, byPlace.compare),
  sorted: new Map()
})
