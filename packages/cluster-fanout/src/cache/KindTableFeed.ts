/**
 * Feeds kept rows from the records of one kind, each of which is a row.
 */
import type { KindTable, Observer } from "./KindTable.ts"
import type { RowChange, RowSource } from "./RowSet.ts"

/** Tells of each change of a table from now on. */
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
  /** Whether the records were taken since they were last read anew. */
  #isDerived = false

  constructor(table: KindTable<R>, change: RowChange<R>) {
    this.#table = table
    this.#change = change
  }

  put(record: R, held: R | undefined): void {
    this.#tell(held, record)
  }

  gone(record: R): void {
    this.#tell(record, undefined)
  }

  whole(): void {
    this.#isDerived = false
  }

  settle(): ReadonlyArray<R> | undefined {
    if (this.#isDerived) return undefined
    this.#isDerived = true
    return [...this.#table.records.values()]
  }

  /** All that there is to do is to copy an array. */
  prepare(): boolean {
    return false
  }

  /** What a defect leaves half changed is derived anew when it is next asked for. */
  #tell(held: R | undefined, next: R | undefined): void {
    if (!this.#isDerived) return
    try {
      this.#change(held, next)
    } catch (defect) {
      this.#isDerived = false
      throw defect
    }
  }
}
