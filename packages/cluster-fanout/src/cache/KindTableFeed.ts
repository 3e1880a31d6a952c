/**
 * Feeds a row set from the records of one kind, where each record is a row.
 */
import type { KindTable, Observer } from "./KindTable.ts"
import type { RowChange, RowSource } from "./RowSet.ts"

/** Reports each later change of a table. */
export const feed =
  <R extends { readonly uid: string }>(table: KindTable<R>) =>
  (change: RowChange<R>): RowSource<R> => {
    const rows = new KindTableFeed(table, change)
    table.observe(rows)
    return rows
  }

class KindTableFeed<R extends { readonly uid: string }> implements Observer<R>, RowSource<R> {
  readonly #table: KindTable<R>
  readonly #change: RowChange<R>
  /** True if the records have been read since they were last replaced. */
  #isDerived = false

  constructor(table: KindTable<R>, change: RowChange<R>) {
    this.#table = table
    this.#change = change
  }

  put(record: R, previous: R | undefined): void {
    this.#report(previous, record)
  }

  gone(record: R): void {
    this.#report(record, undefined)
  }

  whole(): void {
    this.#isDerived = false
  }

  settle(): ReadonlyArray<R> | undefined {
    if (this.#isDerived) return undefined
    this.#isDerived = true
    return [...this.#table.records.values()]
  }

  /** Nothing to prepare: `settle` only copies an array. */
  prepare(): boolean {
    return false
  }

  /** Reports a change. After a defect, all rows are read again at the next use. */
  #report(previous: R | undefined, next: R | undefined): void {
    if (!this.#isDerived) return
    try {
      this.#change(previous, next)
    } catch (defect) {
      this.#isDerived = false
      throw defect
    }
  }
}
